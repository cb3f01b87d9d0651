#pragma once

#include "hostmetal/image/abi.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/Support/Error.h>

#include <memory>

namespace hostmetal::codegen {

/// One kernel's object in memory that is executable and not writable. Freed by the destructor,
/// which must not run while the code does. Independent of all others: any thread may load and free.
class LoadedCode {
public:
  static llvm::Expected<std::unique_ptr<LoadedCode>> load(llvm::StringRef object);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  HmKernelCode code() const { return code_; }

private:
  class Context;
  explicit LoadedCode(std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory);

  std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory_;
  llvm::jitlink::JITLinkMemoryManager::FinalizedAlloc allocation_;
  HmKernelCode code_{};
};

} // namespace hostmetal::codegen
