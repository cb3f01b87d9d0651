#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Takes a module with one kernel in `!air.kernel`, and reads from the metadata what its parameters
/// are: AirKernel::parameters and the reflection, but for what only later passes know (use,
/// threadgroup bytes, synchronisation).
llvm::Expected<AirKernel> reflect_kernel(std::unique_ptr<llvm::Module> module);

} // namespace hostmetal::lowering
