#pragma once

#include "hostmetal/compiler/lowering/function_constants.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <vector>

namespace hostmetal::lowering {

/// A visible function that a kernel may call, of its own or of another library.
struct LinkedFunction {
  llvm::MemoryBufferRef bitcode; ///< AIR-form
  llvm::StringRef name;
  std::vector<ConstantValue> constants; ///< of the function's own library
  uint64_t id = 0;                      ///< what stands for it in a function table; below 2^63
};

/// Brings linked functions, specialised, into the kernel's module, to AirKernel::pointed, and
/// resolves the kernel's references to them by name. The kernel has been specialised.
llvm::Error link_functions(AirKernel &kernel, llvm::ArrayRef<LinkedFunction> functions);

} // namespace hostmetal::lowering
