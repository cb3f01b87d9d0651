#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace hostmetal::codegen {

/// Optimises a lowered kernel: its one function, in native form, whose outermost loop may run over
/// threads.
void optimise(llvm::Module &module, llvm::TargetMachine &target,
              const llvm::TargetLibraryInfoImpl &library);

} // namespace hostmetal::codegen
