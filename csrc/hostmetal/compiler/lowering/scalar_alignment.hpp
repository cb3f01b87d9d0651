#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

namespace hostmetal::lowering {

/// Lets vectors and structures lie wherever their scalars may. Metal's processors load them so, and
/// published kernels count on it: they cast a pointer into a row of any length to `device float4
/// *`.
void assume_scalar_alignment(AirKernel &kernel);

} // namespace hostmetal::lowering
