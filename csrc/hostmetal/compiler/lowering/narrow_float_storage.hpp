#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Target/TargetMachine.h>

namespace hostmetal::lowering {

/// After lower_narrow_floats: what is left of the types that it takes out of arithmetic are loads,
/// stores and moves of values. They become those of 16-bit integers: LLVM's code generator converts
/// some moves of bfloat through functions that no library has.
void store_narrow_floats_as_integers(AirKernel &kernel, const llvm::TargetMachine &target);

} // namespace hostmetal::lowering
