#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"
#include "hostmetal/compiler/lowering/function_constants.hpp"
#include "hostmetal/compiler/lowering/linked_functions.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Target/TargetMachine.h>

namespace hostmetal::lowering {

/// What a pass may ask beside the kernel.
struct PassContext {
  llvm::ArrayRef<ConstantValue> constants;
  llvm::ArrayRef<LinkedFunction> linked;
  const llvm::TargetMachine &target;
};

struct KernelPass {
  llvm::StringLiteral name;
  llvm::Error (*run)(AirKernel &kernel, const PassContext &context);
};

/// The passes in their order, from a kernel that reflect_kernel has read to one that is ready for
/// optimisation.
llvm::ArrayRef<KernelPass> lowering_passes();

/// A module of one kernel, as extract_kernel leaves it, made ready for the passes: with the
/// target's layout and one address space, and its metadata read.
llvm::Expected<AirKernel> open_kernel(std::unique_ptr<llvm::Module> module,
                                      const llvm::TargetMachine &target);

/// One kernel of AIR-form bitcode, specialised, with the functions that it may call in tables, as a
/// module with one entry function (named as form_entry says) ready for optimisation for `target`,
/// and its reflection. Errors of class KernelError are the user's.
llvm::Expected<AirKernel> lower_kernel(llvm::LLVMContext &context, llvm::MemoryBufferRef bitcode,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<ConstantValue> constants,
                                       llvm::ArrayRef<LinkedFunction> linked,
                                       const llvm::TargetMachine &target);

/// What a kernel takes, without lowering it.
llvm::Expected<image::Kernel> describe_kernel(llvm::LLVMContext &context,
                                              llvm::MemoryBufferRef bitcode, llvm::StringRef name);

} // namespace hostmetal::lowering
