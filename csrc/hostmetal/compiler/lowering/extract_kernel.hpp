#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <memory>

namespace hostmetal::lowering {

/// Reads from AIR-form bitcode the kernel of that name and what it reaches, and nothing else.
/// `!air.kernel` then holds that one kernel, and it alone has external linkage.
llvm::Expected<std::unique_ptr<llvm::Module>>
extract_kernel(llvm::LLVMContext &context, llvm::MemoryBufferRef bitcode, llvm::StringRef name);

/// The same for a visible function; `!air.visible` then holds it.
llvm::Expected<std::unique_ptr<llvm::Module>>
extract_visible(llvm::LLVMContext &context, llvm::MemoryBufferRef bitcode, llvm::StringRef name);

} // namespace hostmetal::lowering
