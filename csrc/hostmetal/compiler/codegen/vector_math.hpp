#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Target/TargetMachine.h>

namespace hostmetal::codegen {

/// What `target` may assume of the C library, with the vector math functions that libmvec has for
/// its registers and that this machine's libmvec has at all.
llvm::TargetLibraryInfoImpl library_info(const llvm::TargetMachine &target);

} // namespace hostmetal::codegen
