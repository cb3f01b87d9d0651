#include "hostmetal/compiler/lowering/simdgroup_matrix.hpp"

#include "hostmetal/compiler/lowering/air_kernel.hpp"
#include "hostmetal/compiler/lowering/air_name.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <array>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr StringLiteral prefix = "air.simdgroup_matrix_8x8_";
constexpr unsigned own_elements = 2;

using Pair = std::array<Value *, own_elements>;

/// Names of device/simdgroup_matrix.cpp.
constexpr char multiply_accumulate_name[] = "hm_matrix_multiply_accumulate";
constexpr char element_offset_name[] = "hm_matrix_element_offset";
constexpr char is_diagonal_name[] = "hm_matrix_is_diagonal";

Pair elements_of(IRBuilder<> &builder, Value *matrix) {
  return {builder.CreateExtractElement(matrix, uint64_t{0}),
          builder.CreateExtractElement(matrix, uint64_t{1})};
}

Value *matrix_of(IRBuilder<> &builder, Type *type, Pair elements) {
  Value *matrix = PoisonValue::get(type);
  for (unsigned i = 0; i < own_elements; ++i)
    matrix = builder.CreateInsertElement(matrix, elements[i], i);
  return matrix;
}

/// 64-element vectors of numbers, and nothing else, are matrices.
bool is_matrix(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() >= own_elements &&
         vector->getElementType()->isFloatingPointTy();
}

/// The lanes exchange their elements in the kernel; what each computes from all of them is a
/// function that stays one, as kernels hold dozens of these calls.
Value *multiply_accumulate(IRBuilder<> &builder, CallInst &call) {
  if (call.arg_size() != 3 || !is_matrix(call.getType()))
    return nullptr;
  Type *wide = builder.getFloatTy();
  SmallVector<Value *> elements;
  for (Value *operand : call.args()) {
    if (!is_matrix(operand->getType()))
      return nullptr;
    for (Value *element : elements_of(builder, operand))
      elements.push_back(builder.CreateFPExt(element, wide));
  }
  Module &module = *call.getModule();
  BasicBlock &entry = call.getFunction()->getEntryBlock();
  IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  auto *share_type = ArrayType::get(wide, 2 * own_elements);
  Value *share = at_entry.CreateAlloca(share_type);
  Value *out = at_entry.CreateAlloca(ArrayType::get(wide, own_elements));
  for (unsigned i = 0; i < share_type->getNumElements(); ++i)
    builder.CreateStore(elements[i], builder.CreateConstInBoundsGEP1_64(wide, share, i));

  FunctionCallee exchange = module.getOrInsertFunction(intrinsic::simd_exchange, builder.getPtrTy(),
                                                       builder.getPtrTy(), builder.getInt32Ty());
  cast<Function>(exchange.getCallee())->setConvergent();
  CallInst *frame = builder.CreateCall(
      exchange, {share, builder.getInt32(share_type->getNumElements() * sizeof(float))});
  frame->setConvergent();
  Value *lane =
      builder.CreateCall(module.getOrInsertFunction(intrinsic::lane, builder.getInt32Ty()));
  FunctionCallee multiply =
      module.getOrInsertFunction(multiply_accumulate_name, builder.getVoidTy(), builder.getPtrTy(),
                                 builder.getInt32Ty(), wide, wide, builder.getPtrTy());
  builder.CreateCall(multiply, {frame, lane, elements[4], elements[5], out});

  Type *element_type = cast<VectorType>(call.getType())->getElementType();
  Pair result;
  for (unsigned i = 0; i < own_elements; ++i)
    result[i] = builder.CreateFPTrunc(
        builder.CreateLoad(wide, builder.CreateConstInBoundsGEP1_64(wide, out, i)), element_type);
  return matrix_of(builder, call.getType(), result);
}

/// The addresses of the lane's elements. Arguments of load and store: address, elements per row,
/// origin {column, row}, and whether rows are rows (false: the matrix lies transposed).
Pair addresses(IRBuilder<> &builder, CallInst &call, unsigned first, Type *element) {
  Value *stride = builder.CreateZExtOrTrunc(call.getArgOperand(first + 1), builder.getInt64Ty());
  Value *origin = call.getArgOperand(first + 2);
  Value *is_straight = call.getArgOperand(first + 3);
  FunctionCallee offset = call.getModule()->getOrInsertFunction(
      element_offset_name, builder.getInt64Ty(), builder.getInt32Ty(), builder.getInt64Ty(),
      builder.getInt64Ty(), builder.getInt64Ty(), builder.getInt32Ty());
  Pair result;
  for (unsigned i = 0; i < own_elements; ++i)
    result[i] = builder.CreateGEP(
        element, call.getArgOperand(first),
        builder.CreateCall(offset, {builder.getInt32(i), stride,
                                    builder.CreateExtractElement(origin, uint64_t{0}),
                                    builder.CreateExtractElement(origin, uint64_t{1}),
                                    builder.CreateZExt(is_straight, builder.getInt32Ty())}));
  return result;
}

bool has_place(const CallInst &call, unsigned first) {
  if (call.arg_size() != first + 4)
    return false;
  auto *origin = dyn_cast<FixedVectorType>(call.getArgOperand(first + 2)->getType());
  return call.getArgOperand(first)->getType()->isPointerTy() && origin &&
         origin->getNumElements() == 2 && origin->getElementType()->isIntegerTy(64);
}

Value *load(IRBuilder<> &builder, CallInst &call) {
  if (!is_matrix(call.getType()) || !has_place(call, 0))
    return nullptr;
  Type *element = cast<VectorType>(call.getType())->getElementType();
  Pair result = addresses(builder, call, 0, element);
  for (Value *&value : result)
    value = builder.CreateLoad(element, value);
  return matrix_of(builder, call.getType(), result);
}

Value *store(IRBuilder<> &builder, CallInst &call) {
  if (!call.getType()->isVoidTy() || !has_place(call, 1) ||
      !is_matrix(call.getArgOperand(0)->getType()))
    return nullptr;
  Pair values = elements_of(builder, call.getArgOperand(0));
  Pair places = addresses(builder, call, 1, values[0]->getType());
  for (unsigned i = 0; i < own_elements; ++i)
    builder.CreateStore(values[i], places[i]);
  return PoisonValue::get(builder.getInt1Ty());
}

Value *fill(IRBuilder<> &builder, CallInst &call, bool diagonal) {
  if (call.arg_size() != 1 || !is_matrix(call.getType()))
    return nullptr;
  Value *value = call.getArgOperand(0);
  if (value->getType() != cast<VectorType>(call.getType())->getElementType())
    return nullptr;
  Pair result{value, value};
  if (diagonal) {
    FunctionCallee is_diagonal = call.getModule()->getOrInsertFunction(
        is_diagonal_name, builder.getInt32Ty(), builder.getInt32Ty());
    for (unsigned i = 0; i < own_elements; ++i)
      result[i] = builder.CreateSelect(
          builder.CreateIsNotNull(builder.CreateCall(is_diagonal, {builder.getInt32(i)})), value,
          Constant::getNullValue(value->getType()));
  }
  return matrix_of(builder, call.getType(), result);
}

Value *lower(CallInst &call, StringRef operation) {
  IRBuilder<> builder(&call);
  if (operation == "multiply_accumulate")
    return multiply_accumulate(builder, call);
  if (operation == "load")
    return load(builder, call);
  if (operation == "store")
    return store(builder, call);
  if (operation == "init_filled")
    return fill(builder, call, false);
  if (operation == "init_diag")
    return fill(builder, call, true);
  return nullptr;
}

} // namespace

void lower_simdgroup_matrices(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front(prefix))
      continue;
    StringRef operation = name.split('.').first;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      Value *result = lower(*call, operation);
      if (!result)
        continue;
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace hostmetal::lowering
