#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"
#include "hostmetal/compiler/lowering/function_constants.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Target/TargetMachine.h>

namespace hostmetal::lowering {

/// One kernel of AIR-form bitcode, specialised, as a module with one entry function (named as
/// form_entry says) ready for optimisation for `target`, and its reflection. Errors of class
/// KernelError are the user's.
llvm::Expected<AirKernel> lower_kernel(llvm::LLVMContext &context, llvm::MemoryBufferRef bitcode,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<ConstantValue> constants,
                                       const llvm::TargetMachine &target);

} // namespace hostmetal::lowering
