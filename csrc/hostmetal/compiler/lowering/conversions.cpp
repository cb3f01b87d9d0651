#include "hostmetal/compiler/lowering/conversions.hpp"

#include "hostmetal/compiler/lowering/air_name.hpp"
#include "hostmetal/compiler/lowering/coerce.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// Neither 16-bit float holds all of the other's values: the way is over float.
Value *convert_float(IRBuilder<> &builder, Value *value, Type *to) {
  Type *from = value->getType();
  if (from == to)
    return value;
  if (from->getScalarSizeInBits() == to->getScalarSizeInBits()) {
    value = builder.CreateFPExt(value, from->getWithNewType(builder.getFloatTy()));
    return builder.CreateFPTrunc(value, to);
  }
  return builder.CreateFPCast(value, to);
}

Value *convert(IRBuilder<> &builder, Value *value, StringRef from_kind, StringRef to_kind,
               Type *to) {
  Type *from = value->getType();
  bool from_float = from_kind == "f", to_float = to_kind == "f";
  if (from_float && to_float)
    return convert_float(builder, value, to);
  if (to->getScalarSizeInBits() == 1)
    return from_float ? builder.CreateFCmpUNE(value, Constant::getNullValue(from))
                      : builder.CreateICmpNE(value, Constant::getNullValue(from));
  if (from_float)
    return builder.CreateIntrinsic(to_kind == "s" ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                   {to, from}, {value});
  // bool is 0 or 1, never -1.
  bool is_signed = from_kind == "s" && from->getScalarSizeInBits() > 1;
  if (to_float)
    return is_signed ? builder.CreateSIToFP(value, to) : builder.CreateUIToFP(value, to);
  return builder.CreateIntCast(value, to, is_signed);
}

bool is_kind(StringRef word) {
  return word == "f" || word == "s" || word == "u";
}

} // namespace

void lower_conversions(Module &module) {
  LLVMContext &context = module.getContext();
  for (Function &function : make_early_inc_range(module)) {
    SmallVector<StringRef, 8> words = air_words(function.getName());
    if (words.size() < 5 || words[0] != "convert" || !function.isDeclaration() ||
        !is_kind(words[1]) || !is_kind(words[3]))
      continue;
    Type *to = value_type(context, words[2]), *from = value_type(context, words[4]);
    if (!to || !from)
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function || call->arg_size() != 1)
        continue;
      IRBuilder<> builder(call);
      Value *value = coerce(builder, call->getArgOperand(0), from);
      Value *result = convert(builder, value, words[3], words[1], to);
      call->replaceAllUsesWith(coerce(builder, result, call->getType()));
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace hostmetal::lowering
