#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace hostmetal::codegen {

/// Keeps a target machine for the next compile: to make one takes as long as a tenth of a small
/// kernel's compile.
struct KeepTarget {
  std::string name;
  void operator()(llvm::TargetMachine *machine) const;
};
/// For the use of one thread at a time.
using TargetPointer = std::unique_ptr<llvm::TargetMachine, KeepTarget>;

/// Code generation for one of image::Slice's targets ("x86-64-v3", …), or for the CPU of this
/// process when `name` is empty. A KernelError names targets that cannot be built for. Any thread.
llvm::Expected<TargetPointer> make_target(llvm::StringRef name);

} // namespace hostmetal::codegen
