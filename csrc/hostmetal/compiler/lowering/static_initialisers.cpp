#include "hostmetal/compiler/lowering/static_initialisers.hpp"

#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

bool is_used_in_recursion(const GlobalVariable &variable) {
  return any_of(variable.users(), [](const User *user) {
    auto *instruction = dyn_cast<Instruction>(user);
    return instruction && is_recursive(*instruction->getFunction());
  });
}

void replace_in(const Function &function, GlobalVariable &variable, Value *replacement) {
  variable.replaceUsesWithIf(replacement, [&](Use &use) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    return user && user->getFunction() == &function;
  });
}

} // namespace

void run_static_initialisers(AirKernel &kernel) {
  Module &module = *kernel.module;
  IRBuilder<> builder(&*kernel.function->getEntryBlock().getFirstInsertionPt());
  if (GlobalVariable *constructors = module.getNamedGlobal("llvm.global_ctors")) {
    if (constructors->hasInitializer())
      if (auto *list = dyn_cast<ConstantArray>(constructors->getInitializer()))
        for (Value *entry : list->operands())
          if (auto *function = dyn_cast<Function>(cast<Constant>(entry)->getOperand(1)))
            builder.CreateCall(function);
    constructors->eraseFromParent();
  }
  FunctionCallee predicate = module.getOrInsertFunction(intrinsic::predicate, builder.getVoidTy(),
                                                        builder.getInt32Ty(), builder.getInt8Ty());
  for (const Parameter &parameter : kernel.parameters)
    if (parameter.predicate)
      builder.CreateCall(predicate, {builder.getInt32(parameter.number),
                                     builder.CreateLoad(builder.getInt8Ty(), parameter.predicate)});
}

void privatise_static_variables(AirKernel &kernel) {
  SmallVector<GlobalVariable *> written;
  for (GlobalVariable &variable : kernel.module->globals())
    if (!variable.isConstant() && variable.hasInitializer() && variable.hasLocalLinkage() &&
        !variable.isExternallyInitialized() && variable.getSection() != threadgroup_section)
      written.push_back(&variable);
  convertUsersOfConstantsToInstructions(SmallVector<Constant *>(written.begin(), written.end()));
  for (GlobalVariable *variable : written) {
    IRBuilder<> builder(&*kernel.function->getEntryBlock().getFirstInsertionPt());
    AllocaInst *local = builder.CreateAlloca(variable->getValueType());
    if (MaybeAlign align = variable->getAlign())
      local->setAlignment(*align);
    if (!isa<UndefValue>(variable->getInitializer()))
      builder.CreateStore(variable->getInitializer(), local);
    // What is left besides these uses is in functions that nothing calls any more.
    if (is_used_in_recursion(*variable))
      for (Function *function : hand_down(*kernel.module, local))
        replace_in(*function, *variable, function->getArg(function->arg_size() - 1));
    replace_in(*kernel.function, *variable, local);
  }
}

void apply_predicates(AirKernel &kernel) {
  Function *predicate = kernel.module->getFunction(intrinsic::predicate);
  if (!predicate)
    return;
  for (User *user : make_early_inc_range(predicate->users())) {
    auto *call = cast<CallInst>(user);
    auto number = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    auto *value = dyn_cast<ConstantInt>(call->getArgOperand(1));
    if (value && value->isZero())
      for (const Parameter &parameter : kernel.parameters)
        if (parameter.number == number && !parameter.builtin)
          kernel.reflection.arguments[parameter.slot].is_active = false;
    call->eraseFromParent();
  }
  predicate->eraseFromParent();
}

} // namespace hostmetal::lowering
