#include "hostmetal/compiler/lowering/narrow_floats.hpp"

#include "hostmetal/compiler/lowering/native_attributes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// Emits conversions between float and 16-bit floats, on scalars and vectors, as integer
/// arithmetic.
class Conversions {
public:
  explicit Conversions(IRBuilder<> &builder) : builder_(builder) {}

  Value *to_float(Value *value) {
    Type *type = value->getType();
    bool is_half = type->getScalarType()->isHalfTy();
    Value *bits = builder_.CreateZExt(
        builder_.CreateBitCast(value, type->getWithNewType(builder_.getInt16Ty())), words(type));
    return is_half ? half_to_float(bits) : as_float(builder_.CreateShl(bits, 16));
  }

  Value *from_float(Value *value, Type *type) {
    Value *bits = builder_.CreateBitCast(value, words(type));
    bits = type->getScalarType()->isHalfTy() ? float_to_half(value, bits)
                                             : float_to_bfloat(value, bits);
    return builder_.CreateBitCast(
        builder_.CreateTrunc(bits, type->getWithNewType(builder_.getInt16Ty())), type);
  }

private:
  Type *words(Type *type) { return type->getWithNewType(builder_.getInt32Ty()); }
  Value *as_float(Value *bits) {
    return builder_.CreateBitCast(bits, bits->getType()->getWithNewType(builder_.getFloatTy()));
  }
  Value *constant(Value *like, uint32_t value) { return ConstantInt::get(like->getType(), value); }

  Value *half_to_float(Value *bits) {
    // Read as a float, exponent and fraction are 2^112 too small, subnormal values included.
    Value *magnitude = builder_.CreateShl(builder_.CreateAnd(bits, 0x7fff), 13);
    Value *scale = as_float(constant(bits, 0x77800000)); // 2^112
    Value *scaled =
        builder_.CreateBitCast(builder_.CreateFMul(as_float(magnitude), scale), bits->getType());
    Value *is_special = builder_.CreateICmpUGE(magnitude, constant(bits, 0x0f800000));
    Value *special = builder_.CreateOr(magnitude, constant(bits, 0x7f800000));
    Value *sign = builder_.CreateShl(builder_.CreateAnd(bits, 0x8000), 16);
    return as_float(builder_.CreateOr(builder_.CreateSelect(is_special, special, scaled), sign));
  }

  Value *float_to_half(Value *value, Value *bits) {
    Value *sign = builder_.CreateAnd(builder_.CreateLShr(bits, 16), 0x8000);
    Value *magnitude = builder_.CreateAnd(bits, 0x7fffffff);
    // Normal results: move the exponent by -112 and round to even; a carry may reach infinity.
    Value *odd = builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), 1);
    Value *rounded =
        builder_.CreateAdd(builder_.CreateAdd(magnitude, constant(bits, 0xc8000fff)), odd);
    Value *normal = builder_.CreateLShr(rounded, 13);
    // Subnormal results: adding 0.5 lets the addition round at 2^-24.
    Value *half = ConstantFP::get(value->getType(), 0.5);
    Value *sum = builder_.CreateFAdd(as_float(magnitude), half);
    Value *subnormal = builder_.CreateSub(builder_.CreateBitCast(sum, bits->getType()),
                                          constant(bits, 0x3f000000));
    Value *is_small = builder_.CreateICmpULT(magnitude, constant(bits, 0x38800000)); // 2^-14
    Value *is_large = builder_.CreateICmpUGE(magnitude, constant(bits, 0x47800000)); // 2^16
    Value *is_nan = builder_.CreateICmpUGT(magnitude, constant(bits, 0x7f800000));
    Value *result = builder_.CreateSelect(is_small, subnormal, normal);
    result = builder_.CreateSelect(is_large, constant(bits, 0x7c00), result);
    result = builder_.CreateSelect(is_nan, constant(bits, 0x7e00), result);
    return builder_.CreateOr(result, sign);
  }

  Value *float_to_bfloat(Value *value, Value *bits) {
    Value *odd = builder_.CreateAnd(builder_.CreateLShr(bits, 16), 1);
    Value *rounded = builder_.CreateAdd(builder_.CreateAdd(bits, constant(bits, 0x7fff)), odd);
    Value *quiet = builder_.CreateOr(bits, constant(bits, 0x400000));
    Value *is_nan = builder_.CreateFCmpUNO(value, value);
    return builder_.CreateLShr(builder_.CreateSelect(is_nan, quiet, rounded), 16);
  }

  IRBuilder<> &builder_;
};

class Widening {
public:
  explicit Widening(bool keep_half) : keep_half_(keep_half) {}

  /// Replaces the instruction when it computes on narrow floats. True: the old one is dead.
  bool replace(Instruction &instruction) {
    bool narrow_operand =
        any_of(instruction.operands(), [&](Value *operand) { return is_narrow(operand); });
    if (!narrow_operand && !is_narrow(&instruction))
      return false;
    IRBuilder<> builder(&instruction);
    Conversions convert(builder);
    Type *type = instruction.getType();
    Value *result = nullptr;
    if (auto *cast = dyn_cast<CastInst>(&instruction)) {
      result = replace_cast(builder, convert, *cast);
    } else if (isa<BinaryOperator, UnaryOperator, FCmpInst>(instruction) ||
               isa<IntrinsicInst>(instruction)) {
      result = compute(builder, convert, instruction);
    }
    if (!result)
      return false;
    if (is_narrow(&instruction) && result->getType() != type)
      result = convert.from_float(result, type);
    result->takeName(&instruction);
    instruction.replaceAllUsesWith(result);
    return true;
  }

private:
  bool is_narrow(const Value *value) const {
    Type *element = value->getType()->getScalarType();
    return element->isBFloatTy() || (element->isHalfTy() && !keep_half_);
  }
  static Type *wide(Type *type) {
    return type->getWithNewType(Type::getFloatTy(type->getContext()));
  }
  Value *widen(Conversions &convert, Value *value) {
    return is_narrow(value) ? convert.to_float(value) : value;
  }

  Value *replace_cast(IRBuilder<> &builder, Conversions &convert, CastInst &cast) {
    if (isa<BitCastInst>(cast))
      return nullptr;
    Value *value = widen(convert, cast.getOperand(0));
    Type *target = is_narrow(&cast) ? wide(cast.getType()) : cast.getType();
    if (value->getType() == target)
      return value;
    return builder.CreateCast(isa<FPTruncInst>(cast) ? Instruction::FPTrunc
                              : isa<FPExtInst>(cast) ? Instruction::FPExt
                                                     : cast.getOpcode(),
                              value, target);
  }

  /// The same operation on float.
  Value *compute(IRBuilder<> &builder, Conversions &convert, Instruction &instruction) {
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
      SmallVector<Value *> arguments;
      for (Value *argument : intrinsic->args())
        arguments.push_back(widen(convert, argument));
      Type *result = is_narrow(intrinsic) ? wide(intrinsic->getType()) : intrinsic->getType();
      CallInst *call =
          builder.CreateIntrinsic(result, intrinsic->getIntrinsicID(), arguments, intrinsic);
      return call;
    }
    Instruction *copy = instruction.clone();
    for (Use &operand : copy->operands())
      operand.set(widen(convert, operand.get()));
    if (is_narrow(&instruction))
      copy->mutateType(wide(instruction.getType()));
    return builder.Insert(copy);
  }

  bool keep_half_;
};

} // namespace

void lower_narrow_floats(AirKernel &kernel, const TargetMachine &target) {
  Widening widening(processor_converts_half(target));
  SmallVector<Instruction *> work;
  for (Function &function : *kernel.module)
    for (Instruction &instruction : instructions(function))
      work.push_back(&instruction);
  for (Instruction *instruction : work)
    if (widening.replace(*instruction))
      instruction->eraseFromParent();
}

} // namespace hostmetal::lowering
