#include "hostmetal/compiler/lowering/narrow_float_storage.hpp"

#include "hostmetal/compiler/lowering/native_attributes.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <optional>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

class IntegerStorage {
public:
  explicit IntegerStorage(bool keep_half) : keep_half_(keep_half) {}

  /// The type with the bits of such floats.
  Type *storage_of(Type *type) const { return is_narrow(type) ? integer_type(type) : type; }

  void run(Function &function) {
    for (Instruction &instruction : instructions(function))
      if (is_narrow(instruction.getType()) && moves(instruction))
        integers_[&instruction] = nullptr;
    // Operands of phis may come later than the phi, so every copy exists before any is filled in.
    for (auto &[narrow, integer] : integers_)
      integer = copy_of(*narrow);
    for (auto &[narrow, integer] : integers_)
      fill_in(integer);
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      replace_use(instruction);
    for (auto &[narrow, integer] : integers_)
      give_to_remaining_users(*narrow, integer);
    for (auto &[narrow, integer] : integers_)
      narrow->dropAllReferences();
    for (auto &[narrow, integer] : integers_)
      narrow->eraseFromParent();
    integers_.clear();
  }

private:
  bool is_narrow(const Type *type) const {
    const Type *element = type->getScalarType();
    return element->isBFloatTy() || (element->isHalfTy() && !keep_half_);
  }
  static Type *integer_type(Type *type) {
    return type->getWithNewType(Type::getInt16Ty(type->getContext()));
  }
  static bool moves(const Instruction &instruction) {
    return isa<LoadInst, PHINode, SelectInst, FreezeInst, ExtractElementInst, InsertElementInst,
               ShuffleVectorInst>(instruction);
  }

  /// The same move, still with the old operands.
  Instruction *copy_of(Instruction &narrow) {
    Instruction *copy = narrow.clone();
    copy->mutateType(integer_type(narrow.getType()));
    copy->insertBefore(&narrow);
    copy->takeName(&narrow);
    return copy;
  }

  Value *integer_of(Value *value, Instruction *user) {
    if (!is_narrow(value->getType()))
      return value;
    if (auto *instruction = dyn_cast<Instruction>(value))
      if (Value *integer = integers_.lookup(instruction))
        return integer;
    Type *type = integer_type(value->getType());
    if (auto *constant = dyn_cast<Constant>(value))
      return ConstantExpr::getBitCast(constant, type);
    // Behind the value's own definition, which dominates every use of it, a phi's too.
    if (auto *source = dyn_cast<Instruction>(value))
      if (std::optional<BasicBlock::iterator> place = source->getInsertionPointAfterDef())
        return IRBuilder<>((*place)->getParent(), *place).CreateBitCast(value, type);
    return IRBuilder<>(user).CreateBitCast(value, type);
  }

  void fill_in(Instruction *integer) {
    for (Use &operand : integer->operands())
      operand.set(integer_of(operand.get(), integer));
  }

  /// Instructions that take a narrow value and give none: stores, and casts of its bits.
  void replace_use(Instruction &instruction) {
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      store->setOperand(0, integer_of(store->getValueOperand(), store));
    } else if (auto *cast = dyn_cast<BitCastInst>(&instruction)) {
      auto *source = dyn_cast<Instruction>(cast->getOperand(0));
      if (source && integers_.contains(source)) {
        IRBuilder<> builder(cast);
        cast->replaceAllUsesWith(builder.CreateBitCast(integers_[source], cast->getType()));
        cast->eraseFromParent();
      }
    }
  }

  void give_to_remaining_users(Instruction &narrow, Instruction *integer) {
    SmallVector<Use *> uses;
    for (Use &use : narrow.uses())
      if (auto *user = dyn_cast<Instruction>(use.getUser()); user && !integers_.contains(user))
        uses.push_back(&use);
    if (uses.empty())
      return;
    std::optional<BasicBlock::iterator> place = integer->getInsertionPointAfterDef();
    IRBuilder<> builder((*place)->getParent(), *place);
    Value *cast = builder.CreateBitCast(integer, narrow.getType());
    for (Use *use : uses)
      use->set(cast);
  }

  bool keep_half_;
  MapVector<Instruction *, Instruction *> integers_;
};

} // namespace

void store_narrow_floats_as_integers(AirKernel &kernel, const TargetMachine &target) {
  IntegerStorage storage(processor_converts_half(target));
  pass_as(*kernel.module, [&](Type *type) { return storage.storage_of(type); });
  for (Function &function : *kernel.module)
    storage.run(function);
}

} // namespace hostmetal::lowering
