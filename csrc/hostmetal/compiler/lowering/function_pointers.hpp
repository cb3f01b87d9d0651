#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Makes numbers of pointers to functions, and of calls through them a choice among the functions
/// whose number it may be: those in AirKernel::pointed, and those of the kernel's own library whose
/// address is taken. All can then be inlined, with their barriers and simdgroup operations. A call
/// of what is none of them, such as of an empty place in a table, does nothing and returns zeros.
void lower_function_pointers(AirKernel &kernel);

} // namespace hostmetal::lowering
