#include "hostmetal/compiler/lowering/vector_builtins.hpp"

#include "hostmetal/compiler/lowering/air_name.hpp"
#include "hostmetal/compiler/lowering/coerce.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// A builtin on vectors, and what it is for one element.
struct VectorName {
  std::string scalar; ///< "air.fast_sin.f32"
  unsigned count;
  StringRef operation; ///< "fast_sin"
  StringRef element;   ///< "f32", of the first type word
};

std::optional<VectorName> parse(const Function &function) {
  if (!function.isDeclaration())
    return std::nullopt;
  SmallVector<StringRef, 8> words = air_words(function.getName());
  // A texture's texels and a simdgroup's matrices are no vectors of independent elements.
  if (words.size() < 2 || words[0].starts_with("simdgroup_matrix") ||
      words[0].contains("_texture_") || words[0].contains("_depth_"))
    return std::nullopt;
  VectorName name{"air", 0, words[0], ""};
  for (StringRef word : words) {
    if (unsigned count = consume_vector_prefix(word)) {
      if (name.count != 0 && name.count != count)
        return std::nullopt;
      name.count = count;
      if (name.element.empty())
        name.element = word;
    }
    name.scalar += ("." + word).str();
  }
  return name.count == 0 ? std::nullopt : std::optional(name);
}

Value *dot(IRBuilder<> &builder, Value *left, Value *right, unsigned count) {
  Value *sum = builder.CreateFMul(builder.CreateExtractElement(left, uint64_t{0}),
                                  builder.CreateExtractElement(right, uint64_t{0}));
  for (unsigned i = 1; i < count; ++i) {
    Value *product = builder.CreateFMul(builder.CreateExtractElement(left, i),
                                        builder.CreateExtractElement(right, i));
    sum = builder.CreateFAdd(sum, product);
  }
  return sum;
}

Value *expand_dot(CallInst &call, const VectorName &name) {
  Type *element = scalar_type(call.getContext(), name.element);
  if (call.arg_size() != 2 || !element || !element->isFloatingPointTy())
    return nullptr;
  IRBuilder<> builder(&call);
  FastMathFlags flags;
  if (isa<FPMathOperator>(call))
    flags = call.getFastMathFlags();
  flags.setAllowContract(true);
  builder.setFastMathFlags(flags);
  auto *type = FixedVectorType::get(element, name.count);
  Value *result = dot(builder, coerce(builder, call.getArgOperand(0), type),
                      coerce(builder, call.getArgOperand(1), type), name.count);
  return coerce(builder, result, call.getType());
}

Value *expand_reduction(CallInst &call, const VectorName &name) {
  if (call.arg_size() != 1 || !call.getArgOperand(0)->getType()->isIntOrIntVectorTy())
    return nullptr;
  IRBuilder<> builder(&call);
  Value *vector = call.getArgOperand(0);
  if (!vector->getType()->isVectorTy())
    return nullptr;
  Value *truth = builder.CreateICmpNE(vector, Constant::getNullValue(vector->getType()));
  Value *result =
      name.operation == "any" ? builder.CreateOrReduce(truth) : builder.CreateAndReduce(truth);
  return builder.CreateZExtOrTrunc(result, call.getType());
}

/// Vectors give their element, pointers to vectors the element's address, all else itself.
Value *element_of(IRBuilder<> &builder, Value *argument, unsigned index, unsigned count,
                  Type *pointee) {
  if (auto *vector = dyn_cast<FixedVectorType>(argument->getType());
      vector && vector->getNumElements() == count)
    return builder.CreateExtractElement(argument, index);
  if (argument->getType()->isPointerTy())
    return builder.CreateConstInBoundsGEP1_64(pointee, argument, index);
  return argument;
}

Value *expand_elements(CallInst &call, const VectorName &name) {
  Type *result_type = call.getType();
  unsigned count = name.count;
  auto *result_vector = dyn_cast<FixedVectorType>(result_type);
  if (!result_type->isVoidTy() && (!result_vector || result_vector->getNumElements() != count))
    return nullptr;
  Type *pointee = scalar_type(call.getContext(), name.element);
  if (!pointee)
    return nullptr;
  IRBuilder<> builder(&call);
  Value *result = result_vector ? PoisonValue::get(result_type) : nullptr;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value *> arguments;
    SmallVector<Type *> types;
    for (Value *argument : call.args()) {
      arguments.push_back(element_of(builder, argument, i, count, pointee));
      types.push_back(arguments.back()->getType());
    }
    Type *element_type = result_vector ? result_vector->getElementType() : result_type;
    FunctionCallee callee = call.getModule()->getOrInsertFunction(
        name.scalar, FunctionType::get(element_type, types, false));
    CallInst *element = builder.CreateCall(callee, arguments);
    if (call.isConvergent())
      element->setConvergent();
    if (result_vector)
      result = builder.CreateInsertElement(result, element, i);
  }
  return result ? result : PoisonValue::get(Type::getInt1Ty(call.getContext()));
}

Value *expand(CallInst &call, const VectorName &name) {
  if (name.operation == "dot" || name.operation == "fast_dot")
    return expand_dot(call, name);
  if (name.operation == "any" || name.operation == "all")
    return expand_reduction(call, name);
  return expand_elements(call, name);
}

} // namespace

void expand_vector_builtins(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    std::optional<VectorName> name = parse(function);
    if (!name)
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      Value *result = expand(*call, *name);
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
