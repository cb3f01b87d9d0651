#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Replaces calls of `air.atomic.*` by LLVM's atomic instructions. Calls of a form it does not know
/// stay, and are reported as unknown functions later.
void lower_atomics(llvm::Module &module);

} // namespace hostmetal::lowering
