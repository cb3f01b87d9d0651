#include "hostmetal/compiler/lowering/intrinsic_calls.hpp"

#include "hostmetal/image/abi.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

class Replacement {
public:
  Replacement(Function &function, DispatchValues &dispatch)
      : function_(function), dispatch_(dispatch) {}

  /// `value` gets a builder that stands at the call.
  void replace(const char *name, function_ref<Value *(IRBuilder<> &)> value) {
    for (CallInst *call : calls_of(name)) {
      IRBuilder<> builder(call);
      put(*call, *value(builder));
    }
  }

  /// The executor's function of the same parameters, but for the first one if that is given.
  void call_runtime(const char *name, uint64_t offset, function_ref<Value *()> first = nullptr) {
    SmallVector<CallInst *> calls = calls_of(name);
    if (calls.empty())
      return;
    Value *runtime = dispatch_.runtime_function(offset);
    SmallVector<Value *> before;
    if (first)
      before.push_back(first());
    for (CallInst *call : calls) {
      SmallVector<Value *> arguments(before);
      arguments.append(call->arg_begin(), call->arg_end());
      SmallVector<Type *> types;
      for (Value *argument : arguments)
        types.push_back(argument->getType());
      CallInst *replacement = IRBuilder<>(call).CreateCall(
          FunctionType::get(call->getType(), types, false), runtime, arguments);
      replacement->setDoesNotThrow();
      // A copy of a wait on another path would still meet its lanes (the site goes along), but the
      // lanes of one path would no longer wait for each other in control-flow order.
      if (call->isConvergent())
        replacement->setConvergent();
      put(*call, *replacement);
    }
  }

private:
  SmallVector<CallInst *> calls_of(const char *name) {
    SmallVector<CallInst *> calls;
    if (const Function *callee = function_.getParent()->getFunction(name))
      for (const User *user : callee->users())
        if (auto *call = const_cast<CallInst *>(cast<CallInst>(user));
            call->getFunction() == &function_)
          calls.push_back(call);
    return calls;
  }

  static void put(CallInst &call, Value &value) {
    Function *callee = call.getCalledFunction();
    if (!call.getType()->isVoidTy())
      call.replaceAllUsesWith(&value);
    call.eraseFromParent();
    if (callee->use_empty())
      callee->eraseFromParent();
  }

  Function &function_;
  DispatchValues &dispatch_;
};

} // namespace

void replace_intrinsic_calls(Function &function, DispatchValues &dispatch, Value *index,
                             Value *thread) {
  Replacement calls(function, dispatch);
  calls.replace(intrinsic::threadgroup_memory,
                [&](IRBuilder<> &) { return dispatch.threadgroup_memory(); });
  calls.replace(intrinsic::lane, [&](IRBuilder<> &builder) {
    return builder.CreateURem(index, builder.getInt32(HM_SIMD_WIDTH));
  });
  calls.call_runtime(intrinsic::log, offsetof(HmRuntime, log), [&] { return dispatch.log(); });
  calls.call_runtime(intrinsic::load_texel, offsetof(HmRuntime, load_texel));
  calls.call_runtime(intrinsic::store_texel, offsetof(HmRuntime, store_texel));
  calls.call_runtime(intrinsic::look_up_texture, offsetof(HmRuntime, look_up_texture));
  if (!thread)
    return;
  const auto self = [&] { return thread; };
  calls.call_runtime(intrinsic::threadgroup_barrier, offsetof(HmRuntime, threadgroup_barrier),
                     self);
  calls.call_runtime(intrinsic::simd_exchange_at, offsetof(HmRuntime, simd_exchange), self);
}

} // namespace hostmetal::lowering
