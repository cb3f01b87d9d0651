#pragma once

#include "hostmetal/compiler/lowering/air_kernel.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

namespace hostmetal::lowering {

/// A value for one function constant.
struct ConstantValue {
  uint32_t index = 0;
  image::DataType type = 0;
  llvm::StringRef bytes;
};

/// Gives the function constants that have a value that value. Those without stay loads of a
/// variable that nothing initialises; require_function_constants reports them if they are still
/// there once dead code is gone.
llvm::Error specialise_function_constants(AirKernel &kernel, llvm::ArrayRef<ConstantValue> values);

/// An error that names the first function constant which the kernel reads and which has no value.
llvm::Error require_function_constants(const AirKernel &kernel);

} // namespace hostmetal::lowering
