#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Scalar clean-up of the kernel and its recursive functions: memory of its own to values,
/// constants folded, dead code gone. It moves nothing across a barrier and duplicates no
/// synchronisation.
void simplify_kernel(AirKernel &kernel);

} // namespace hostmetal::lowering
