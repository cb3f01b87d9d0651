#pragma once

#include <llvm/IR/Module.h>

namespace hostmetal::lowering {

/// Replaces calls of builtins on vectors ("air.fast_sin.v4f32") by calls of the scalar builtin for
/// each element; `air.dot` by multiplications and additions, `air.any`/`air.all` by reductions.
void expand_vector_builtins(llvm::Module &module);

} // namespace hostmetal::lowering
