#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Replaces calls of `air.convert.<kind>.<type>.<kind>.<type>` (scalars and vectors) by LLVM
/// conversions. Float to integer saturates and makes 0 of NaN, as Metal does; to bool is "not
/// zero".
void lower_conversions(llvm::Module &module);

} // namespace hostmetal::lowering
