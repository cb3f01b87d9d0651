#pragma once

#include <llvm/IR/IRBuilder.h>

namespace hostmetal::lowering {

/// The bits of `value` as `type`: how C passes short vectors differs between processors ("double"
/// for two floats). Bits beyond the smaller of the two are undefined.
llvm::Value *coerce(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Type *type);

} // namespace hostmetal::lowering
