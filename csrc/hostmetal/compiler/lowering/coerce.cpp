#include "hostmetal/compiler/lowering/coerce.hpp"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <algorithm>

using namespace llvm;

namespace hostmetal::lowering {

Value *coerce(IRBuilder<> &builder, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  const DataLayout &layout = entry.getModule()->getDataLayout();
  TypeSize from = layout.getTypeAllocSize(value->getType()), to = layout.getTypeAllocSize(type);
  IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  AllocaInst *bytes = at_entry.CreateAlloca(from >= to ? value->getType() : type);
  bytes->setAlignment(
      std::max(layout.getPrefTypeAlign(value->getType()), layout.getPrefTypeAlign(type)));
  builder.CreateStore(value, bytes);
  return builder.CreateLoad(type, bytes);
}

} // namespace hostmetal::lowering
