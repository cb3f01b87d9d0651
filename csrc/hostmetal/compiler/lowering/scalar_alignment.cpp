#include "hostmetal/compiler/lowering/scalar_alignment.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

Align scalar_alignment(Type *type, const DataLayout &layout) {
  if (type->isAggregateType())
    return Align(1);
  return layout.getABITypeAlign(type->getScalarType());
}

void relax(Instruction &instruction, const DataLayout &layout) {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (!load->isAtomic())
      load->setAlignment(std::min(load->getAlign(), scalar_alignment(load->getType(), layout)));
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    Type *type = store->getValueOperand()->getType();
    if (!store->isAtomic())
      store->setAlignment(std::min(store->getAlign(), scalar_alignment(type, layout)));
  } else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    memory->setDestAlignment(Align(1));
    if (auto *transfer = dyn_cast<MemTransferInst>(memory))
      transfer->setSourceAlignment(Align(1));
  } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
    for (unsigned i = 0; i < call->arg_size(); ++i)
      call->removeParamAttr(i, Attribute::Alignment);
    call->removeRetAttr(Attribute::Alignment);
  }
}

} // namespace

void assume_scalar_alignment(AirKernel &kernel) {
  const DataLayout &layout = kernel.module->getDataLayout();
  for (Function &function : *kernel.module) {
    if (function.isIntrinsic())
      continue;
    for (Argument &argument : function.args())
      argument.removeAttr(Attribute::Alignment);
    function.removeRetAttr(Attribute::Alignment);
    for (Instruction &instruction : instructions(function))
      relax(instruction, layout);
  }
}

} // namespace hostmetal::lowering
