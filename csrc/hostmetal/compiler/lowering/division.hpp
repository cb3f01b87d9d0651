#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Keeps integer divisions by zero, and of the least number by -1, from trapping: MSL leaves their
/// results undefined, and a GPU goes on. They divide by 1 instead.
void guard_divisions(AirKernel &kernel);

} // namespace hostmetal::lowering
