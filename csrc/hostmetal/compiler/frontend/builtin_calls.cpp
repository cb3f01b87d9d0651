#include "hostmetal/compiler/frontend/builtin_calls.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace hostmetal::frontend {
namespace {

llvm::Type *by_value_type(const llvm::Argument &argument) {
  llvm::Type *type = argument.getParamByValType();
  return type && type->isVectorTy() ? type : nullptr;
}

llvm::Function *declare_by_value(llvm::Function &old) {
  std::vector<llvm::Type *> types;
  for (const llvm::Argument &argument : old.args())
    types.push_back(by_value_type(argument) ? by_value_type(argument) : argument.getType());
  auto *made = llvm::Function::Create(llvm::FunctionType::get(old.getReturnType(), types, false),
                                      old.getLinkage(), "", old.getParent());
  made->takeName(&old);
  for (llvm::Attribute attribute : old.getAttributes().getFnAttrs())
    made->addFnAttr(attribute);
  return made;
}

void replace_call(llvm::CallBase &call, const llvm::Function &old, llvm::Function &made) {
  llvm::IRBuilder<> builder(&call);
  std::vector<llvm::Value *> values;
  for (const llvm::Argument &argument : old.args()) {
    llvm::Value *value = call.getArgOperand(argument.getArgNo());
    llvm::Type *type = by_value_type(argument);
    values.push_back(type ? builder.CreateAlignedLoad(type, value, argument.getParamAlign())
                          : value);
  }
  llvm::CallInst *replacement = builder.CreateCall(&made, values);
  for (llvm::Attribute attribute : call.getAttributes().getFnAttrs())
    replacement->addFnAttr(attribute);
  replacement->takeName(&call);
  call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
}

} // namespace

void pass_vectors_by_value(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("air.") ||
        llvm::none_of(function.args(), by_value_type))
      continue;
    llvm::Function *made = declare_by_value(function);
    for (llvm::User *user : llvm::make_early_inc_range(function.users()))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        replace_call(*call, function, *made);
    function.eraseFromParent();
  }
}

} // namespace hostmetal::frontend
