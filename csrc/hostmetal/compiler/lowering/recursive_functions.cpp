#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr char mark[] = "hm-recursive";

Value *to_type(IRBuilder<> &builder, Value *value, Type *type) {
  return value->getType() == type ? value : builder.CreateBitCast(value, type);
}

/// A function of another type, with more parameters perhaps, that takes the body and the name.
Function *take_over(Function &old, FunctionType *type) {
  Function *function = Function::Create(type, old.getLinkage(), "", old.getParent());
  function->copyAttributesFrom(&old);
  function->takeName(&old);
  function->splice(function->end(), &old);
  BasicBlock &entry = function->getEntryBlock();
  IRBuilder<> start(&entry, entry.getFirstInsertionPt());
  for (Argument &argument : old.args()) {
    Argument *twin = function->getArg(argument.getArgNo());
    twin->takeName(&argument);
    argument.replaceAllUsesWith(to_type(start, twin, argument.getType()));
    twin->removeAttrs(AttributeFuncs::typeIncompatible(twin->getType()));
  }
  if (type->getReturnType() == old.getReturnType())
    return function;
  function->removeRetAttrs(AttributeFuncs::typeIncompatible(type->getReturnType()));
  for (BasicBlock &block : *function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      IRBuilder<> builder(end);
      end->setOperand(0, to_type(builder, end->getReturnValue(), type->getReturnType()));
    }
  return function;
}

/// Calls another function of the same bits instead, with `more` as its last arguments.
void redirect(CallInst &call, Function &callee, ArrayRef<Value *> more) {
  IRBuilder<> builder(&call);
  SmallVector<Value *> arguments(call.args());
  arguments.append(more.begin(), more.end());
  AttributeList attributes = call.getAttributes();
  for (auto [number, argument] : enumerate(arguments)) {
    Type *type = callee.getArg(static_cast<unsigned>(number))->getType();
    attributes = attributes.removeParamAttributes(call.getContext(), static_cast<unsigned>(number),
                                                  AttributeFuncs::typeIncompatible(type));
    argument = to_type(builder, argument, type);
  }
  CallInst *direct = builder.CreateCall(&callee, arguments);
  direct->setAttributes(attributes.removeRetAttributes(
      call.getContext(), AttributeFuncs::typeIncompatible(direct->getType())));
  direct->setCallingConv(call.getCallingConv());
  if (isa<FPMathOperator>(call) && isa<FPMathOperator>(direct))
    direct->setFastMathFlags(call.getFastMathFlags());
  direct->takeName(&call);
  call.replaceAllUsesWith(to_type(builder, direct, call.getType()));
  call.eraseFromParent();
}

} // namespace

void mark_as_recursive(Function &function) {
  // A call that overflows the stack does not return, and the runtime hears of it.
  AttributeMask untrue;
  for (Attribute::AttrKind kind : {Attribute::WillReturn, Attribute::Memory, Attribute::NoSync,
                                   Attribute::NoRecurse, Attribute::Speculatable})
    untrue.addAttribute(kind);
  function.removeFnAttrs(untrue);
  for (User *user : function.users())
    if (auto *call = dyn_cast<CallBase>(user))
      call->removeFnAttrs(untrue);
  function.removeFnAttr(Attribute::AlwaysInline);
  function.addFnAttr(Attribute::NoInline);
  function.addFnAttr(mark);
}

bool is_recursive(const Function &function) {
  return function.hasFnAttribute(mark);
}

SmallVector<Function *> recursive_functions(Module &module) {
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (is_recursive(function))
      functions.push_back(&function);
  return functions;
}

bool is_code_of(const AirKernel &kernel, const Function &function) {
  return &function == kernel.function || is_recursive(function);
}

SmallVector<Function *> hand_down(Module &module, ArrayRef<Value *> values) {
  SmallVector<Function *> old = recursive_functions(module), extended;
  SmallVector<CallInst *> calls;
  for (Function *function : old) {
    for (User *user : function->users())
      calls.push_back(cast<CallInst>(user));
    SmallVector<Type *> types(function->getFunctionType()->params());
    for (const Value *value : values)
      types.push_back(value->getType());
    extended.push_back(
        take_over(*function, FunctionType::get(function->getReturnType(), types, false)));
  }
  for (CallInst *call : calls) {
    Function *caller = call->getFunction();
    SmallVector<Value *> passed(values);
    if (is_recursive(*caller))
      for (auto [number, value] : enumerate(passed))
        value = caller->arg_end() - values.size() + number;
    redirect(*call, *extended[find(old, call->getCalledFunction()) - old.begin()], passed);
  }
  for (Function *function : old)
    function->eraseFromParent();
  return extended;
}

void pass_as(Module &module, function_ref<Type *(Type *)> type_of) {
  for (Function *old : recursive_functions(module)) {
    FunctionType *type = old->getFunctionType();
    SmallVector<Type *> types(map_range(type->params(), type_of));
    auto *passed = FunctionType::get(type_of(type->getReturnType()), types, false);
    if (passed == type)
      continue;
    Function *function = take_over(*old, passed);
    for (User *user : make_early_inc_range(old->users()))
      redirect(*cast<CallInst>(user), *function, {});
    old->eraseFromParent();
  }
}

} // namespace hostmetal::lowering
