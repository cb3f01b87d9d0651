#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace hostmetal::codegen {

/// Code generation for one of image::Slice's targets ("x86-64-v3", …), or for the CPU of this
/// process when `name` is empty. A KernelError names targets that cannot be built for.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_target(llvm::StringRef name);

} // namespace hostmetal::codegen
