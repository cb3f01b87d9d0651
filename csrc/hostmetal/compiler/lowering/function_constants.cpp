#include "hostmetal/compiler/lowering/function_constants.hpp"

#include "hostmetal/compiler/lowering/data_types.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/metadata_reader.hpp"
#include "hostmetal/compiler/lowering/recursive_functions.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr char is_defined_name[] = "air.is_function_constant_defined";

struct Declared {
  GlobalVariable *variable;
  std::string name;
  uint32_t index;
  image::DataType type;
};

/// The constants of the module that something refers to.
std::vector<Declared> declared_constants(const Module &module) {
  std::vector<Declared> result;
  const NamedMDNode *nodes = module.getNamedMetadata("air.function_constants");
  if (!nodes)
    return result;
  for (const MDNode *node : nodes->operands()) {
    MetadataReader reader(node);
    auto *variable = mdconst::dyn_extract_or_null<GlobalVariable>(reader.peek());
    if (!variable)
      continue;
    reader.skip();
    StringRef type = reader.string().value_or("");
    StringRef name = reader.string().value_or("");
    if (std::optional<uint64_t> index = reader.integer())
      result.push_back({variable, name.str(), static_cast<uint32_t>(*index), data_type_of(type)});
  }
  return result;
}

/// The variable with the value's bytes as its content: loads of any type fold from it.
void set_value(GlobalVariable *&variable, StringRef bytes) {
  auto *content = ConstantDataArray::getString(variable->getContext(), bytes, false);
  auto *specialised =
      new GlobalVariable(*variable->getParent(), content->getType(), true,
                         GlobalValue::InternalLinkage, content, variable->getName() + ".value");
  specialised->setAlignment(variable->getAlign());
  variable->replaceAllUsesWith(specialised);
  variable = specialised;
}

/// Answers is_function_constant_defined(variable).
void answer_is_defined(Module &module, const SmallPtrSetImpl<Value *> &defined) {
  Function *query = module.getFunction(is_defined_name);
  if (!query)
    return;
  for (User *user : make_early_inc_range(query->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->arg_size() != 1)
      continue;
    bool answer = defined.contains(call->getArgOperand(0)->stripPointerCasts());
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
}

} // namespace

Error specialise_function_constants(AirKernel &kernel, ArrayRef<ConstantValue> values) {
  Module &module = *kernel.module;
  SmallPtrSet<Value *, 8> defined;
  for (Declared &constant : declared_constants(module)) {
    const ConstantValue *value = find_if(
        values, [&](const ConstantValue &candidate) { return candidate.index == constant.index; });
    if (value == values.end()) {
      constant.variable->setExternallyInitialized(true);
      continue;
    }
    std::string what = "Function constant \"" + constant.name + "\" (index " +
                       std::to_string(constant.index) + ") of kernel \"" + kernel.reflection.name +
                       "\"";
    if (value->type != constant.type)
      return kernel_error(what + " is of type " + name_of(constant.type) +
                          ", and its value is of type " + name_of(value->type) + ".");
    uint64_t size = constant_size(constant.type);
    if (size == 0 || value->bytes.size() < size)
      return kernel_error(what + " takes " + Twine(size) + " bytes, and its value has " +
                          Twine(value->bytes.size()) + ".");
    set_value(constant.variable, value->bytes.take_front(size));
    defined.insert(constant.variable);
  }
  answer_is_defined(module, defined);
  return Error::success();
}

Error require_function_constants(const AirKernel &kernel) {
  for (const Declared &constant : declared_constants(*kernel.module)) {
    if (!constant.variable->isExternallyInitialized())
      continue;
    for (const User *user : constant.variable->users())
      if (auto *instruction = dyn_cast<Instruction>(user);
          !instruction || is_code_of(kernel, *instruction->getFunction()))
        return kernel_error("The kernel \"" + kernel.reflection.name +
                            "\" needs a value for function constant \"" + constant.name +
                            "\" (index " + Twine(constant.index) + ").");
  }
  return Error::success();
}

} // namespace hostmetal::lowering
