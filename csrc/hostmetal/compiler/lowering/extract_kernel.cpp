#include "hostmetal/compiler/lowering/extract_kernel.hpp"

#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

/// What a reader of bitcode complained about: the bytes are the caller's.
Error broken_module(Error error) {
  return kernel_error("The module is not AIR bitcode: " + toString(std::move(error)) + ".");
}

/// The node of the function with that name in a list; null when there is none.
MDNode *find_node(Module &module, StringRef list, StringRef name) {
  NamedMDNode *functions = module.getNamedMetadata(list);
  if (!functions)
    return nullptr;
  for (MDNode *node : functions->operands()) {
    if (node->getNumOperands() < 3)
      continue;
    auto *function = mdconst::dyn_extract_or_null<Function>(node->getOperand(0));
    if (function && function->getName() == name)
      return node;
  }
  return nullptr;
}

/// Walks what global values refer to, reading function bodies on the way.
class Reach {
public:
  Error add(GlobalValue *root) {
    visit(root);
    while (!pending_.empty()) {
      GlobalValue *value = pending_.pop_back_val();
      if (auto *function = dyn_cast<Function>(value)) {
        if (Error error = function->materialize())
          return error;
        for (Instruction &instruction : instructions(function))
          for (Value *operand : instruction.operands())
            if (auto *constant = dyn_cast<Constant>(operand))
              visit(constant);
      } else if (auto *variable = dyn_cast<GlobalVariable>(value)) {
        if (variable->hasInitializer())
          visit(variable->getInitializer());
      } else if (auto *alias = dyn_cast<GlobalAlias>(value)) {
        visit(alias->getAliasee());
      }
    }
    return Error::success();
  }
  bool contains(const GlobalValue *value) const { return seen_.contains(value); }

private:
  void visit(Constant *constant) {
    if (!seen_.insert(constant).second)
      return;
    if (auto *value = dyn_cast<GlobalValue>(constant)) {
      pending_.push_back(value);
      return;
    }
    for (Value *operand : constant->operands())
      if (auto *inner = dyn_cast<Constant>(operand))
        visit(inner);
  }
  SmallPtrSet<const Constant *, 32> seen_;
  SmallVector<GlobalValue *, 32> pending_;
};

Error add_constructors(Module &module, Reach &reach) {
  GlobalVariable *constructors = module.getNamedGlobal("llvm.global_ctors");
  if (!constructors || !constructors->hasInitializer())
    return Error::success();
  auto *list = dyn_cast<ConstantArray>(constructors->getInitializer());
  if (!list)
    return Error::success();
  for (Value *entry : list->operands())
    if (auto *function = dyn_cast<Function>(cast<Constant>(entry)->getOperand(1)))
      if (Error error = reach.add(function))
        return error;
  return Error::success();
}

/// Function constants that nothing but an argument's existence depends on.
Error add_predicates(const MDNode &node, Reach &reach, SmallPtrSetImpl<const MDNode *> &seen) {
  if (!seen.insert(&node).second)
    return Error::success();
  for (const MDOperand &operand : node.operands()) {
    if (const auto *inner = dyn_cast_or_null<MDNode>(operand.get())) {
      if (Error error = add_predicates(*inner, reach, seen))
        return error;
    } else if (auto *variable = mdconst::dyn_extract_or_null<GlobalVariable>(operand)) {
      if (Error error = reach.add(variable))
        return error;
    }
  }
  return Error::success();
}

/// These lists keep everything that they name alive.
void drop_keep_alive_lists(Module &module) {
  for (const char *name : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"})
    if (GlobalVariable *list = module.getNamedGlobal(name))
      list->eraseFromParent();
}

/// Forgets the bodies that nothing reaches, read or not.
void drop_unreached_bodies(Module &module, const Reach &reach) {
  for (Function &function : module)
    if (!reach.contains(&function))
      function.deleteBody();
}

void internalise(GlobalValue &value) {
  value.setVisibility(GlobalValue::DefaultVisibility);
  value.setLinkage(GlobalValue::InternalLinkage);
}

void drop_unreached(Module &module, const Reach &reach, const Function *kernel) {
  SmallVector<GlobalValue *, 0> dead;
  for (Function &function : module) {
    function.setComdat(nullptr);
    if (function.isDeclaration()) {
      dead.push_back(&function);
    } else if (&function != kernel) {
      internalise(function);
    }
  }
  for (GlobalVariable &variable : module.globals()) {
    variable.setComdat(nullptr);
    if (variable.getName() == "llvm.global_ctors")
      continue;
    if (reach.contains(&variable)) {
      if (variable.hasInitializer())
        internalise(variable);
      continue;
    }
    variable.setInitializer(nullptr);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    dead.push_back(&variable);
  }
  for (GlobalAlias &alias : module.aliases())
    if (!reach.contains(&alias))
      dead.push_back(&alias);
  for (GlobalValue *value : dead) {
    value->removeDeadConstantUsers();
    if (value->use_empty())
      value->eraseFromParent();
  }
}

/// The library's other functions, and what only a linker or debugger reads, go.
void drop_metadata(Module &module, StringRef list, MDNode *function_node) {
  SmallVector<NamedMDNode *> dead;
  for (NamedMDNode &node : module.named_metadata())
    if (node.getName() != "air.function_constants")
      dead.push_back(&node);
  for (NamedMDNode *node : dead)
    module.eraseNamedMetadata(node);
  module.getOrInsertNamedMetadata(list)->addOperand(function_node);
}

/// `kind` is "kernel" or "visible": the lists of AIR's metadata.
Expected<std::unique_ptr<Module>> extract(LLVMContext &context, MemoryBufferRef bitcode,
                                          StringRef kind, StringRef name) {
  const std::string list = ("air." + kind).str();
  Expected<std::unique_ptr<Module>> loaded = getLazyBitcodeModule(bitcode, context);
  if (!loaded)
    return broken_module(loaded.takeError());
  Module &module = **loaded;
  if (Error error = module.materializeMetadata())
    return broken_module(std::move(error));
  MDNode *node = find_node(module, list, name);
  if (!node)
    return kernel_error("The library has no " + kind + (kind == "kernel" ? "" : " function") +
                        " named \"" + name + "\".");
  auto *kernel = mdconst::extract<Function>(node->getOperand(0));
  if (kernel->isDeclaration() && !kernel->isMaterializable())
    return kernel_error("The " + kind + " \"" + name + "\" has no body.");

  drop_keep_alive_lists(module);
  Reach reach;
  if (Error error = reach.add(kernel))
    return broken_module(std::move(error));
  if (Error error = add_constructors(module, reach))
    return broken_module(std::move(error));
  SmallPtrSet<const MDNode *, 32> seen;
  if (Error error = add_predicates(*node, reach, seen))
    return broken_module(std::move(error));
  drop_unreached_bodies(module, reach);
  drop_metadata(module, list, node);
  // Nothing is left to read; this lets go of the reader, and so of the caller's bytes. Only now may
  // functions be erased: the reader holds on to some of them.
  if (Error error = module.materializeAll())
    return broken_module(std::move(error));
  drop_unreached(module, reach, kernel);
  StripDebugInfo(module);
  kernel->setLinkage(GlobalValue::ExternalLinkage);
  kernel->setVisibility(GlobalValue::DefaultVisibility);
  return loaded;
}

} // namespace

Expected<std::unique_ptr<Module>> extract_kernel(LLVMContext &context, MemoryBufferRef bitcode,
                                                 StringRef name) {
  return extract(context, bitcode, "kernel", name);
}

Expected<std::unique_ptr<Module>> extract_visible(LLVMContext &context, MemoryBufferRef bitcode,
                                                  StringRef name) {
  return extract(context, bitcode, "visible", name);
}

} // namespace hostmetal::lowering
