#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Target/TargetMachine.h>

namespace hostmetal::lowering {

/// Takes away what other compilers said about code generation (processor, frame pointers, which
/// library functions exist), and promises that the host's Metal does not keep: that buffers bound
/// to different arguments do not overlap.
void strip_foreign_attributes(AirKernel &kernel);

/// Sets the processor on the module's functions.
void set_native_attributes(AirKernel &kernel, const llvm::TargetMachine &target);

/// True when half converts to and from float in hardware.
bool processor_converts_half(const llvm::TargetMachine &target);

} // namespace hostmetal::lowering
