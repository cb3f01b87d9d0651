#include "hostmetal/compiler/lowering/atomics.hpp"

#include "hostmetal/compiler/lowering/air_name.hpp"
#include "hostmetal/compiler/lowering/coerce.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// AIR numbers memory orders as C does; an order that is not a constant gets the strongest.
AtomicOrdering ordering_of(const Value *order) {
  auto *constant = dyn_cast<ConstantInt>(order);
  switch (constant ? constant->getZExtValue() : 5) {
  case 0:
    return AtomicOrdering::Monotonic;
  case 1:
  case 2:
    return AtomicOrdering::Acquire;
  case 3:
    return AtomicOrdering::Release;
  case 4:
    return AtomicOrdering::AcquireRelease;
  default:
    return AtomicOrdering::SequentiallyConsistent;
  }
}

/// Loads cannot release and stores cannot acquire.
AtomicOrdering for_load(AtomicOrdering order) {
  return order == AtomicOrdering::Release          ? AtomicOrdering::Monotonic
         : order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Acquire
                                                   : order;
}
AtomicOrdering for_store(AtomicOrdering order) {
  return order == AtomicOrdering::Acquire          ? AtomicOrdering::Monotonic
         : order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Release
                                                   : order;
}

std::optional<AtomicRMWInst::BinOp> operation_of(StringRef word, bool is_signed, bool is_float) {
  if (is_float)
    return StringSwitch<std::optional<AtomicRMWInst::BinOp>>(word)
        .Case("xchg", AtomicRMWInst::Xchg)
        .Case("add", AtomicRMWInst::FAdd)
        .Case("sub", AtomicRMWInst::FSub)
        .Case("min", AtomicRMWInst::FMin)
        .Case("max", AtomicRMWInst::FMax)
        .Default(std::nullopt);
  return StringSwitch<std::optional<AtomicRMWInst::BinOp>>(word)
      .Case("xchg", AtomicRMWInst::Xchg)
      .Case("add", AtomicRMWInst::Add)
      .Case("sub", AtomicRMWInst::Sub)
      .Case("min", is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
      .Case("max", is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Default(std::nullopt);
}

/// compare-exchange as C has it: on failure the present value goes to *expected.
Value *compare_exchange(IRBuilder<> &builder, CallInst &call, Type *type, Align align) {
  Value *expected_address = call.getArgOperand(1);
  Value *expected = builder.CreateLoad(type, expected_address);
  Value *desired = call.getArgOperand(2);
  Type *bits = builder.getIntNTy(type->getScalarSizeInBits());
  AtomicOrdering failure = for_load(ordering_of(call.getArgOperand(4)));
  auto *exchange = builder.CreateAtomicCmpXchg(
      call.getArgOperand(0), builder.CreateBitCast(expected, bits),
      builder.CreateBitCast(desired, bits), align, ordering_of(call.getArgOperand(3)), failure);
  Value *present = builder.CreateBitCast(builder.CreateExtractValue(exchange, 0), type);
  Value *succeeded = builder.CreateExtractValue(exchange, 1);
  // On success this stores what is there already: a store without a branch.
  builder.CreateStore(builder.CreateSelect(succeeded, expected, present), expected_address);
  return builder.CreateZExtOrTrunc(succeeded, call.getType());
}

/// The call's result; nothing when the name or the arguments are of no known form.
std::optional<Value *> lower(CallInst &call, ArrayRef<StringRef> words) {
  IRBuilder<> builder(&call);
  if (words.size() == 2 && words[1] == "fence" && call.arg_size() >= 2) {
    AtomicOrdering order = ordering_of(call.getArgOperand(1));
    return order == AtomicOrdering::Monotonic ? nullptr : builder.CreateFence(order);
  }
  if (words.size() < 4 || (words[1] != "global" && words[1] != "local"))
    return std::nullopt;
  StringRef operation = words[2];
  Type *type = scalar_type(call.getContext(), words.back());
  if (!type || call.arg_size() < 3 || !call.getArgOperand(0)->getType()->isPointerTy())
    return std::nullopt;
  Value *address = call.getArgOperand(0);
  Align align(std::max<uint64_t>(1, type->getScalarSizeInBits() / 8));
  if (operation == "load") {
    LoadInst *load = builder.CreateAlignedLoad(type, address, align);
    load->setAtomic(for_load(ordering_of(call.getArgOperand(1))));
    return load;
  }
  if (operation == "store") {
    StoreInst *store =
        builder.CreateAlignedStore(coerce(builder, call.getArgOperand(1), type), address, align);
    store->setAtomic(for_store(ordering_of(call.getArgOperand(2))));
    return store;
  }
  if (operation == "cmpxchg")
    return call.arg_size() >= 5 ? std::optional(compare_exchange(builder, call, type, align))
                                : std::nullopt;
  bool is_signed = words.size() > 4 && words[3] == "s";
  std::optional<AtomicRMWInst::BinOp> binary =
      operation_of(operation, is_signed, type->isFloatingPointTy());
  if (!binary)
    return std::nullopt;
  return builder.CreateAtomicRMW(*binary, address, coerce(builder, call.getArgOperand(1), type),
                                 align, ordering_of(call.getArgOperand(2)));
}

} // namespace

void lower_atomics(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    SmallVector<StringRef, 8> words = air_words(function.getName());
    if (words.empty() || words[0] != "atomic" || !function.isDeclaration())
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      std::optional<Value *> result = lower(*call, words);
      if (!result)
        continue;
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(*result);
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace hostmetal::lowering
