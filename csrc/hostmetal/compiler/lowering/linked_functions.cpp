#include "hostmetal/compiler/lowering/linked_functions.hpp"

#include "hostmetal/compiler/lowering/extract_kernel.hpp"
#include "hostmetal/compiler/lowering/flatten_address_spaces.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"

#include <llvm/Linker/Linker.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

// What Apple's compiler calls a visible function that is declared and defined elsewhere.
constexpr StringLiteral reference_suffix = ".MTL_VISIBLE_FN_REF";

/// The function in a module of its own, where it has the name `unique_name`.
Expected<std::unique_ptr<Module>> load(const LinkedFunction &linked, const Module &into,
                                       StringRef unique_name) {
  Expected<std::unique_ptr<Module>> module =
      extract_visible(into.getContext(), linked.bitcode, linked.name);
  if (!module)
    return module.takeError();
  (*module)->setDataLayout(into.getDataLayout());
  (*module)->setTargetTriple(into.getTargetTriple());
  flatten_address_spaces(**module);
  AirKernel specialised;
  specialised.module = std::move(*module);
  specialised.function = specialised.module->getFunction(linked.name);
  specialised.reflection.name = linked.name.str();
  if (Error error = specialise_function_constants(specialised, linked.constants))
    return std::move(error);
  specialised.function->setName(unique_name);
  return std::move(specialised.module);
}

/// Makes calls by name direct. What the pipeline does not link is reported.
Error resolve_references(Module &module, const StringMap<Function *> &functions) {
  for (Function &reference : make_early_inc_range(module)) {
    StringRef name = reference.getName();
    if (!reference.isDeclaration() || reference.use_empty() || !name.consume_back(reference_suffix))
      continue;
    Function *function = functions.lookup(name);
    if (!function)
      return kernel_error("The visible function \"" + name +
                          "\" is called by name and is none of the pipeline's linked functions.");
    if (function->getFunctionType() != reference.getFunctionType())
      return kernel_error("The visible function \"" + name +
                          "\" is declared with other parameters than the linked function of that "
                          "name has.");
    reference.replaceAllUsesWith(function);
    reference.eraseFromParent();
  }
  return Error::success();
}

} // namespace

Error link_functions(AirKernel &kernel, ArrayRef<LinkedFunction> functions) {
  Module &module = *kernel.module;
  StringMap<Function *> by_name;
  for (const LinkedFunction &linked : functions) {
    std::string unique_name =
        "linked." + std::to_string(kernel.pointed.size()) + "." + linked.name.str();
    Expected<std::unique_ptr<Module>> loaded = load(linked, module, unique_name);
    if (!loaded)
      return loaded.takeError();
    if (Linker::linkModules(module, std::move(*loaded)))
      return createStringError("The linked function \"%s\" does not link.",
                               linked.name.str().c_str());
    Function *function = module.getFunction(unique_name);
    function->setLinkage(GlobalValue::InternalLinkage);
    kernel.pointed.push_back({linked.id, function});
    by_name.try_emplace(linked.name, function);
  }
  return resolve_references(module, by_name);
}

} // namespace hostmetal::lowering
