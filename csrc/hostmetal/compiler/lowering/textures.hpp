#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Replaces calls of AIR's texture builtins, `air.<operation>_<object>[_grad][.<type>]`, by calls
/// of the device library's, which do not know types and kinds of textures. Calls of a form it does
/// not know stay, and are reported as unknown functions later.
///
/// Operands, as AIR has them: texture; sampler; i32 1 for depth; coordinate; face of a cube that is
/// read or written; slice of an array; then what the operation needs, levels of detail among it;
/// the access at last. A sampler is its word (see abi.h): an integer, or a pointer of that value.
void lower_textures(llvm::Module &module);

} // namespace hostmetal::lowering
