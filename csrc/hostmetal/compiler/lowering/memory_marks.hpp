#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Metadata.h>

namespace hostmetal::lowering {

/// Marks reads of the constant address space: nothing writes it while the kernel runs, so they may
/// leave loops that store elsewhere.
void mark_constant_reads(llvm::Function &function,
                         const llvm::SmallPtrSetImpl<const llvm::Value *> &constants);

/// Marks what no two threads of a group do in an order: every access to memory but those to the
/// thread's own variables, which all threads of the loop keep in one place.
llvm::MDNode *mark_independent_accesses(llvm::Function &function);

/// The `!llvm.loop` node of a loop over threads whose accesses of that group are independent.
llvm::MDNode *loop_over_threads(llvm::LLVMContext &context, llvm::MDNode *accesses);

} // namespace hostmetal::lowering
