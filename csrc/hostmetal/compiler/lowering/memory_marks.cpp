#include "hostmetal/compiler/lowering/memory_marks.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

using namespace llvm;

namespace hostmetal::lowering {

void mark_constant_reads(Function &function, const SmallPtrSetImpl<const Value *> &constants) {
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->isSimple() &&
        constants.contains(getUnderlyingObject(load->getPointerOperand())))
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(function.getContext(), {}));
  }
}

MDNode *mark_independent_accesses(Function &function) {
  MDNode *group = MDNode::getDistinct(function.getContext(), {});
  for (Instruction &instruction : instructions(function)) {
    if (!instruction.mayReadOrWriteMemory())
      continue;
    SmallVector<const Value *> objects;
    if (const Value *address = getLoadStorePointerOperand(&instruction)) {
      objects.push_back(address);
    } else if (auto *transfer = dyn_cast<MemIntrinsic>(&instruction)) {
      objects.push_back(transfer->getRawDest());
      if (auto *copy = dyn_cast<MemTransferInst>(transfer))
        objects.push_back(copy->getRawSource());
    } else {
      continue;
    }
    // Only what certainly begins at a bound argument or the group's memory: both are loads from the
    // dispatch. A pointer loaded from elsewhere may lead to a variable of the thread's.
    bool is_shared = all_of(objects, [](const Value *address) {
      SmallVector<const Value *> underlying;
      getUnderlyingObjects(address, underlying);
      return all_of(underlying, [](const Value *object) {
        auto *load = dyn_cast<LoadInst>(object);
        auto *variable = dyn_cast<GlobalVariable>(object);
        return (variable && variable->isConstant()) ||
               (load && load->hasMetadata(LLVMContext::MD_invariant_load));
      });
    });
    if (is_shared)
      instruction.setMetadata(LLVMContext::MD_access_group, group);
  }
  return group;
}

MDNode *loop_over_threads(LLVMContext &context, MDNode *accesses) {
  MDBuilder builder(context);
  MDNode *parallel =
      MDNode::get(context, {builder.createString("llvm.loop.parallel_accesses"), accesses});
  MDNode *progress = MDNode::get(context, {builder.createString("llvm.loop.mustprogress")});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, parallel, progress});
  loop->replaceOperandWith(0, loop);
  return loop;
}

} // namespace hostmetal::lowering
