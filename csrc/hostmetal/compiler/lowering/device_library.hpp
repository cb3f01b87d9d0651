#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// Links the definitions of the builtins that the module calls, and marks them to be inlined. A
/// builtin that is declared with other types than its definition has is an error.
llvm::Error link_device_library(llvm::Module &module);

} // namespace hostmetal::lowering
