#include "hostmetal/compiler/codegen/image_table.hpp"

#include "hostmetal/compiler/codegen/emit_object.hpp"
#include "hostmetal/compiler/codegen/target.hpp"
#include "hostmetal/compiler/lowering/form_entry.hpp"
#include "hostmetal/image/abi.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstddef>

using namespace llvm;

namespace hostmetal::codegen {
namespace {

// The constants below spell these layouts.
static_assert(sizeof(HmImageKernel) == 40 && offsetof(HmImageKernel, code) == 24);
static_assert(sizeof(HmImage) == 16 && offsetof(HmImage, kernels) == 8);

Constant *add_bytes(Module &module, StringRef bytes, bool terminate) {
  Constant *content = ConstantDataArray::getString(module.getContext(), bytes, terminate);
  auto *variable = new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage,
                                      content, "");
  variable->setAlignment(Align(1));
  return variable;
}

Constant *entry_function(Module &module, StringRef symbol) {
  Function *function =
      Function::Create(FunctionType::get(Type::getVoidTy(module.getContext()), false),
                       GlobalValue::ExternalLinkage, symbol, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  return function;
}

} // namespace

Expected<std::string> emit_image_table(ArrayRef<TableEntry> entries) {
  auto target = make_target("");
  if (!target)
    return target.takeError();
  LLVMContext context;
  Module module("image", context);
  module.setTargetTriple((*target)->getTargetTriple().str());
  module.setDataLayout((*target)->createDataLayout());

  auto *pointer = PointerType::get(context, 0);
  auto *word = Type::getInt64Ty(context);
  auto *half_word = Type::getInt32Ty(context);
  auto *kernel_type = StructType::get(context, {pointer, pointer, word, pointer, pointer});
  Constant *none = ConstantPointerNull::get(pointer);
  std::vector<Constant *> kernels;
  for (const TableEntry &entry : entries) {
    Constant *function = entry_function(module, entry.symbol);
    bool is_row = StringRef(entry.symbol).starts_with(lowering::row_entry_prefix);
    kernels.push_back(
        ConstantStruct::get(kernel_type, {add_bytes(module, entry.name, true),
                                          add_bytes(module, entry.reflection, false),
                                          ConstantInt::get(word, entry.reflection.size()),
                                          is_row ? function : none, is_row ? none : function}));
  }
  auto *list = ConstantArray::get(ArrayType::get(kernel_type, kernels.size()), kernels);
  auto *table =
      new GlobalVariable(module, list->getType(), true, GlobalValue::PrivateLinkage, list, "");
  Constant *image = ConstantStruct::getAnon({ConstantInt::get(half_word, HM_ABI_VERSION),
                                             ConstantInt::get(half_word, kernels.size()), table});
  new GlobalVariable(module, image->getType(), true, GlobalValue::ExternalLinkage, image,
                     HM_IMAGE_SYMBOL);
  return emit_module(module, **target);
}

} // namespace hostmetal::codegen
