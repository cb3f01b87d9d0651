#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

namespace hostmetal::lowering {

/// Functions that call themselves, directly or through others, stay functions when all else is
/// inlined. Marks one as such, and takes back what is not true of a call that may overflow the
/// stack.
void mark_as_recursive(llvm::Function &function);

/// Those of the kernel, once inline_calls has marked them.
llvm::SmallVector<llvm::Function *> recursive_functions(llvm::Module &module);
bool is_recursive(const llvm::Function &function);

/// True where a pass looks at the kernel's code: in its function, and in the recursive ones.
bool is_code_of(const AirKernel &kernel, const llvm::Function &function);

/// Gives each recursive function parameters for values that only the kernel's function has: its
/// calls pass these, the others' calls pass on their own. Returns the functions that take the old
/// ones' places; the values are their last arguments.
llvm::SmallVector<llvm::Function *> hand_down(llvm::Module &module,
                                              llvm::ArrayRef<llvm::Value *> values);

/// Lets the recursive functions take and return values of a type as what `type_of` gives for it: a
/// type of as many bits.
void pass_as(llvm::Module &module, llvm::function_ref<llvm::Type *(llvm::Type *)> type_of);

} // namespace hostmetal::lowering
