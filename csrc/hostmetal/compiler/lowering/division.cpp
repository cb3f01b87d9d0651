#include "hostmetal/compiler/lowering/division.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hostmetal::lowering {
namespace {

bool is_signed(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

/// Constants that are neither 0 nor, for signed numbers, -1 in any element need no guard.
bool is_safe(const BinaryOperator &division) {
  const APInt *divisor = nullptr;
  return match(division.getOperand(1), m_APInt(divisor)) && !divisor->isZero() &&
         !(is_signed(division) && divisor->isAllOnes());
}

void guard(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0);
  Value *divisor = division.getOperand(1);
  Type *type = division.getType();
  Value *is_unsafe = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
  if (is_signed(division)) {
    const unsigned bits = type->getScalarSizeInBits();
    Value *is_least =
        builder.CreateICmpEQ(dividend, ConstantInt::get(type, APInt::getSignedMinValue(bits)));
    Value *is_minus_one = builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type));
    is_unsafe = builder.CreateOr(is_unsafe, builder.CreateAnd(is_least, is_minus_one));
  }
  division.setOperand(1, builder.CreateSelect(is_unsafe, ConstantInt::get(type, 1), divisor));
}

} // namespace

void guard_divisions(AirKernel &kernel) {
  for (Function &function : *kernel.module)
    for (Instruction &instruction : instructions(function)) {
      auto *division = dyn_cast<BinaryOperator>(&instruction);
      if (division != nullptr && division->isIntDivRem() && !is_safe(*division))
        guard(*division);
    }
}

} // namespace hostmetal::lowering
