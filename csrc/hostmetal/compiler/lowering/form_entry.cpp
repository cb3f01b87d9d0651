#include "hostmetal/compiler/lowering/form_entry.hpp"

#include "hostmetal/compiler/lowering/dispatch_values.hpp"
#include "hostmetal/compiler/lowering/intrinsic_calls.hpp"
#include "hostmetal/compiler/lowering/memory_marks.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"
#include "hostmetal/image/abi.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

bool is_called(const AirKernel &kernel, const char *name) {
  const Function *function = kernel.module->getFunction(name);
  return function && !function->use_empty();
}

/// A row of threads has one stack, whose end nobody knows.
bool needs_fibers(const AirKernel &kernel) {
  return kernel.reflection.has_barriers || kernel.reflection.has_simd_operations ||
         !recursive_functions(*kernel.module).empty();
}

/// Fills in what the kernel's parameters and calls say about it.
void describe_use(AirKernel &kernel) {
  kernel.reflection.has_barriers = is_called(kernel, intrinsic::threadgroup_barrier);
  kernel.reflection.has_simd_operations = is_called(kernel, intrinsic::simd_exchange_at);
  bool regroupable = !kernel.reflection.has_barriers && !kernel.reflection.has_simd_operations &&
                     !is_called(kernel, intrinsic::threadgroup_memory);
  for (const Parameter &parameter : kernel.parameters) {
    bool is_used = !kernel.function->getArg(parameter.number)->use_empty();
    if (!parameter.builtin)
      kernel.reflection.arguments[parameter.slot].is_active &= is_used;
    if (is_used && (parameter.builtin ? !is_independent_of_groups(*parameter.builtin)
                                      : parameter.is_threadgroup))
      regroupable = false;
  }
  kernel.reflection.regroupable = regroupable;
}

/// One stack slot per function, not per turn of a loop.
void hoist_allocas(BasicBlock &from, BasicBlock &to) {
  for (Instruction &instruction : make_early_inc_range(from))
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction);
        alloca && isa<Constant>(alloca->getArraySize()))
      alloca->moveBefore(to, to.getFirstInsertionPt());
}

/// The function with the kernel's blocks, between an entry block and the blocks that its returns
/// lead to.
class Entry {
public:
  Entry(AirKernel &kernel, bool has_thread)
      : kernel_(kernel), context_(kernel.module->getContext()) {
    Type *pointer = PointerType::get(context_, 0), *number = Type::getInt32Ty(context_);
    SmallVector<Type *> parameters =
        has_thread ? SmallVector{pointer, pointer} : SmallVector{pointer, number, number};
    function_ = Function::Create(FunctionType::get(Type::getVoidTy(context_), parameters, false),
                                 GlobalValue::ExternalLinkage,
                                 (has_thread ? thread_entry_prefix : row_entry_prefix) +
                                     kernel.reflection.name,
                                 kernel.module.get());
    function_->setVisibility(GlobalValue::HiddenVisibility);
    function_->setDoesNotThrow();
    for (Argument &argument : function_->args())
      argument.addAttr(Attribute::NoUndef);
    start_ = BasicBlock::Create(context_, "start", function_);
    body_ = &kernel.function->getEntryBlock();
    function_->splice(function_->end(), kernel.function);
  }

  /// Makes every return a branch to `target`.
  void return_to(BasicBlock *target) {
    for (BasicBlock &block : *function_)
      if (auto *ret = dyn_cast_or_null<ReturnInst>(block.getTerminator());
          ret && &block != target) {
        BranchInst::Create(target, ret->getIterator());
        ret->eraseFromParent();
      }
  }

  /// Replaces parameters and intrinsics. Arguments are read where `dispatch` stands, and builtins
  /// are computed where `at_thread` stands.
  void bind(IRBuilder<> &at_thread, DispatchValues &dispatch, const ThreadPlace &place,
            Value *thread) {
    for (const Parameter &parameter : kernel_.parameters) {
      Argument *old = kernel_.function->getArg(parameter.number);
      if (old->use_empty())
        continue;
      Value *value = parameter.builtin          ? builtin_value(at_thread, dispatch, place,
                                                                *parameter.builtin, old->getType())
                     : parameter.is_threadgroup ? dispatch.threadgroup_argument(parameter.slot)
                                                : argument(dispatch, parameter);
      old->replaceAllUsesWith(value);
      if (!parameter.builtin && is_immutable(kernel_.reflection.arguments[parameter.slot]))
        constants_.insert(value);
    }
    replace_intrinsic_calls(*function_, dispatch, place.index, thread);
  }

  Function *function() { return function_; }
  /// The addresses of arguments that nothing changes while the kernel runs.
  const SmallPtrSetImpl<const Value *> &constants() const { return constants_; }
  BasicBlock *start() { return start_; }
  BasicBlock *body() { return body_; }
  BasicBlock *new_block(const char *name) { return BasicBlock::Create(context_, name, function_); }

private:
  /// Memory in the constant address space, and what describes a texture.
  static bool is_immutable(const image::Argument &argument) {
    return argument.is_constant || argument.kind == image::ArgumentKind::texture;
  }

  Value *argument(DispatchValues &dispatch, const Parameter &parameter) const {
    const image::Argument &argument = kernel_.reflection.arguments[parameter.slot];
    // The executor promises that a reference is bound to a whole value.
    return dispatch.argument(parameter.slot, argument.is_reference ? argument.type_size : 0,
                             argument.type_alignment);
  }

  AirKernel &kernel_;
  LLVMContext &context_;
  Function *function_;
  BasicBlock *start_, *body_;
  SmallPtrSet<const Value *, 8> constants_;
};

/// A loop over the threads of a row, after the entry block: header and latch exist, the caller
/// connects the body.
struct CountingLoop {
  BasicBlock *header, *latch, *exit;
  PHINode *counter;
};

CountingLoop open_loop(Entry &entry, Value *first, Value *end) {
  CountingLoop loop{entry.new_block("x"), entry.new_block("next"), entry.new_block("done"),
                    nullptr};
  IRBuilder<> builder(loop.header);
  loop.counter = builder.CreatePHI(builder.getInt32Ty(), 2, "x");
  loop.counter->addIncoming(first, entry.start());
  builder.SetInsertPoint(loop.latch);
  // Positions end at the grid's, which 32 bits hold.
  Value *next = builder.CreateNUWAdd(loop.counter, builder.getInt32(1));
  loop.counter->addIncoming(next, loop.latch);
  builder.CreateCondBr(builder.CreateICmpULT(next, end), loop.header, loop.exit);
  return loop;
}

void form_row_function(AirKernel &kernel) {
  Entry entry(kernel, false);
  IRBuilder<> start(entry.start());
  DispatchValues dispatch(start, entry.function()->getArg(0));
  Value *y = entry.function()->getArg(1), *z = entry.function()->getArg(2);
  Vector3 origin = dispatch.origin(), size = dispatch.size();
  CountingLoop x = open_loop(entry, origin[0], start.CreateNUWAdd(origin[0], size[0]));
  entry.return_to(x.latch);
  ReturnInst::Create(kernel.module->getContext(), x.exit);
  hoist_allocas(*entry.body(), *entry.start());

  IRBuilder<> thread(x.header);
  ThreadPlace place;
  place.grid_position = {x.counter, start.CreateNUWAdd(origin[1], y),
                         start.CreateNUWAdd(origin[2], z)};
  place.group_position = {thread.CreateNUWSub(x.counter, origin[0]), y, z};
  Value *row = start.CreateAdd(start.CreateMul(z, size[1]), y);
  place.index = thread.CreateAdd(start.CreateMul(row, size[0]), place.group_position[0]);
  entry.bind(thread, dispatch, place, nullptr);
  thread.CreateBr(entry.body());
  start.CreateBr(x.header);

  mark_constant_reads(*entry.function(), entry.constants());
  MDNode *accesses = mark_independent_accesses(*entry.function());
  x.latch->getTerminator()->setMetadata(LLVMContext::MD_loop,
                                        loop_over_threads(kernel.module->getContext(), accesses));
  kernel.function->eraseFromParent();
  kernel.function = entry.function();
}

/// Ends the thread where the frame of the function, which is there once it has begun, reaches too
/// far down.
void check_stack(IRBuilder<> &start, DispatchValues &dispatch, Value *thread) {
  Value *overflow = dispatch.runtime_function(offsetof(HmRuntime, stack_overflow));
  Value *is_full = start.CreateICmpULT(start.CreateStackSave(), dispatch.stack_limit(thread));
  MDNode *unlikely = MDBuilder(start.getContext()).createUnlikelyBranchWeights();
  IRBuilder<> end(SplitBlockAndInsertIfThen(is_full, &*start.GetInsertPoint(),
                                            /*Unreachable=*/true, unlikely));
  CallInst *call = end.CreateCall(FunctionType::get(end.getVoidTy(), {thread->getType()}, false),
                                  overflow, {thread});
  call->setDoesNotReturn();
  call->setDoesNotThrow();
}

/// Recursive functions learn which thread of which group calls them.
void form_recursive_functions(AirKernel &kernel, Value *group, Value *thread) {
  for (Function *function : hand_down(*kernel.module, {group, thread})) {
    function->setDoesNotThrow();
    Value *own_thread = function->getArg(function->arg_size() - 1);
    Value *own_group = function->getArg(function->arg_size() - 2);
    BasicBlock &entry = function->getEntryBlock();
    hoist_allocas(entry, entry);
    entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "body");
    IRBuilder<> start(entry.getTerminator());
    DispatchValues dispatch(start, own_group);
    replace_intrinsic_calls(*function, dispatch, dispatch.thread_index(own_thread), own_thread);
    check_stack(start, dispatch, own_thread);
  }
}

void form_thread_function(AirKernel &kernel) {
  Entry entry(kernel, true);
  IRBuilder<> start(entry.start());
  Value *thread = entry.function()->getArg(1);
  DispatchValues dispatch(start, entry.function()->getArg(0));
  ThreadPlace place;
  place.group_position = dispatch.thread_position(thread);
  place.index = dispatch.thread_index(thread);
  Vector3 origin = dispatch.origin();
  for (unsigned i = 0; i < 3; ++i)
    place.grid_position[i] = start.CreateNUWAdd(origin[i], place.group_position[i]);
  hoist_allocas(*entry.body(), *entry.start());
  entry.bind(start, dispatch, place, thread);
  start.CreateBr(entry.body());
  form_recursive_functions(kernel, entry.function()->getArg(0), thread);
  mark_constant_reads(*entry.function(), entry.constants());
  kernel.function->eraseFromParent();
  kernel.function = entry.function();
}

} // namespace

void form_entry(AirKernel &kernel) {
  describe_use(kernel);
  if (needs_fibers(kernel))
    form_thread_function(kernel);
  else
    form_row_function(kernel);
}

} // namespace hostmetal::lowering
