#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Target/TargetMachine.h>

namespace hostmetal::lowering {

/// Computes on bfloat, and on half where the processor does not convert it, in float: conversions
/// become integer operations, rounding to nearest even. Otherwise code generation would call
/// functions that not every C library has.
void lower_narrow_floats(AirKernel &kernel, const llvm::TargetMachine &target);

} // namespace hostmetal::lowering
