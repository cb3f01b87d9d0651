#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/IR/TypeFinder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <string>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr unsigned threadgroup_address_space = 3;

class FlatTypes : public ValueMapTypeRemapper {
public:
  Type *remapType(Type *type) override {
    auto [entry, is_new] = flat_.try_emplace(type, type);
    if (!is_new)
      return entry->second;
    Type *flat = compute(type);
    flat_[type] = flat;
    flat_[flat] = flat;
    return flat;
  }

private:
  Type *compute(Type *type) {
    if (auto *pointer = dyn_cast<PointerType>(type))
      return PointerType::get(pointer->getContext(), 0);
    if (auto *array = dyn_cast<ArrayType>(type))
      return ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto *vector = dyn_cast<VectorType>(type))
      return VectorType::get(remapType(vector->getElementType()), vector->getElementCount());
    if (auto *function = dyn_cast<FunctionType>(type)) {
      SmallVector<Type *> parameters;
      for (Type *parameter : function->params())
        parameters.push_back(remapType(parameter));
      return FunctionType::get(remapType(function->getReturnType()), parameters,
                               function->isVarArg());
    }
    if (auto *structure = dyn_cast<StructType>(type))
      return compute(structure);
    return type;
  }

  Type *compute(StructType *structure) {
    if (structure->isOpaque())
      return structure;
    SmallVector<Type *> elements;
    bool changes = false;
    for (Type *element : structure->elements()) {
      elements.push_back(remapType(element));
      changes |= elements.back() != element;
    }
    if (!changes)
      return structure;
    // Named and literal ones alike: a type's name means nothing from here on.
    return StructType::get(structure->getContext(), elements, structure->isPacked());
  }

  DenseMap<Type *, Type *> flat_;
};

bool has_address_spaces(const Module &module) {
  FlatTypes types;
  auto changes = [&](Type *type) { return types.remapType(type) != type; };
  for (const GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() != 0)
      return true;
  for (const Function &function : module) {
    if (changes(function.getFunctionType()))
      return true;
    for (const Instruction &instruction : instructions(function))
      if (changes(instruction.getType()))
        return true;
  }
  return false;
}

/// A cast between address spaces inside a constant would become a cast to its own type.
void expand_constant_casts(Module &module) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() != 0)
      variables.push_back(&variable);
  convertUsersOfConstantsToInstructions(variables);
}

void remove_self_casts(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instruction);
        cast && cast->getSrcTy() == cast->getDestTy()) {
      cast->replaceAllUsesWith(cast->getOperand(0));
      cast->eraseFromParent();
    }
}

void rename_intrinsics(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isIntrinsic())
      if (std::optional<Function *> renamed = Intrinsic::remangleIntrinsicFunction(&function)) {
        function.replaceAllUsesWith(*renamed);
        function.eraseFromParent();
      }
}

} // namespace

void flatten_address_spaces(Module &module) {
  if (!has_address_spaces(module))
    return;
  expand_constant_casts(module);

  FlatTypes types;
  ValueToValueMapTy values;
  SmallVector<GlobalVariable *> old_variables;
  SmallVector<Function *> old_functions;
  for (GlobalVariable &variable : module.globals())
    old_variables.push_back(&variable);
  for (Function &function : module)
    old_functions.push_back(&function);

  for (GlobalVariable *old : old_variables) {
    auto *flat = new GlobalVariable(
        module, types.remapType(old->getValueType()), old->isConstant(), old->getLinkage(), nullptr,
        "", old, GlobalValue::NotThreadLocal, 0u, old->isExternallyInitialized());
    flat->copyAttributesFrom(old);
    flat->takeName(old);
    if (old->getAddressSpace() == threadgroup_address_space)
      flat->setSection(threadgroup_section);
    values[old] = flat;
  }
  for (Function *old : old_functions) {
    auto *type = cast<FunctionType>(types.remapType(old->getFunctionType()));
    std::string name = old->getName().str();
    old->setName("");
    // With its name from the start: that is what makes it an intrinsic.
    Function *flat = Function::Create(type, old->getLinkage(), 0u, name, &module);
    flat->copyAttributesFrom(old);
    flat->updateAfterNameChange(); // takeName within a module leaves out what makes it an intrinsic
    values[old] = flat;
    for (auto [from, to] : zip(old->args(), flat->args())) {
      to.setName(from.getName());
      values[&from] = &to;
    }
  }
  for (GlobalVariable *old : old_variables)
    if (old->hasInitializer())
      cast<GlobalVariable>(values[old])
          ->setInitializer(MapValue(old->getInitializer(), values, RF_None, &types));
  for (Function *old : old_functions) {
    if (old->isDeclaration())
      continue;
    auto *flat = cast<Function>(values[old]);
    SmallVector<ReturnInst *> returns;
    CloneFunctionInto(flat, old, values, CloneFunctionChangeType::GlobalChanges, returns, "",
                      nullptr, &types);
    remove_self_casts(*flat);
  }
  for (NamedMDNode &node : module.named_metadata())
    for (unsigned i = 0; i < node.getNumOperands(); ++i)
      node.setOperand(i, MapMetadata(node.getOperand(i), values, RF_None, &types));

  for (Function *old : old_functions)
    old->deleteBody();
  for (GlobalVariable *old : old_variables)
    old->setInitializer(nullptr);
  for (Function *old : old_functions)
    old->eraseFromParent();
  for (GlobalVariable *old : old_variables) {
    old->removeDeadConstantUsers();
    old->eraseFromParent();
  }
  rename_intrinsics(module);
}

} // namespace hostmetal::lowering
