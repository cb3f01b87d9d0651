#include "hostmetal/compiler/frontend/entry_point.hpp"

#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/CodeGen/CGFunctionInfo.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

namespace hostmetal::frontend {
namespace {

llvm::Type *air_type(const ArgumentSignature &argument, llvm::LLVMContext &context,
                     const clang::ASTContext &ast) {
  if (argument.kind != ArgumentKind::thread_value)
    return llvm::PointerType::get(context, 0);
  const auto shape = vector_shape(argument.parameter->getType());
  llvm::Type *element =
      llvm::IntegerType::get(context, static_cast<unsigned>(ast.getTypeSize(shape->element)));
  return shape->count == 1
             ? element
             : static_cast<llvm::Type *>(llvm::FixedVectorType::get(element, shape->count));
}

void claim_name(llvm::Function &function, llvm::StringRef name) {
  llvm::GlobalValue *owner = function.getParent()->getNamedValue(name);
  if (owner && owner != &function)
    owner->setName(name + ".internal");
  function.setName(name);
}

void make_external(llvm::Function &function) {
  function.setLinkage(llvm::GlobalValue::ExternalLinkage);
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setComdat(nullptr);
}

/// A function of another name with the same parameters, which calls the first.
llvm::Function *make_alias(llvm::Function &body, llvm::StringRef name) {
  auto *alias = llvm::Function::Create(body.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                       "", body.getParent());
  alias->copyAttributesFrom(&body);
  claim_name(*alias, name);
  make_external(*alias);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(body.getContext(), "entry", alias));
  std::vector<llvm::Value *> values;
  for (llvm::Argument &argument : alias->args())
    values.push_back(&argument);
  llvm::CallInst *call = builder.CreateCall(&body, values);
  call->setCallingConv(body.getCallingConv());
  call->setAttributes(body.getAttributes().removeFnAttributes(body.getContext()));
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return alias;
}

std::vector<llvm::Function *> make_visible(const KernelSignature &visible,
                                           clang::CodeGenerator &generator) {
  llvm::Function &body = *llvm::cast<llvm::Function>(
      generator.GetAddrOfGlobal(clang::GlobalDecl(visible.function), false));
  std::vector<llvm::Function *> entries;
  if (visible.host_names.size() == 1) {
    claim_name(body, visible.host_names.front());
    make_external(body);
    return {&body};
  }
  for (const std::string &name : visible.host_names)
    entries.push_back(make_alias(body, name));
  return entries;
}

class EntryBuilder {
public:
  EntryBuilder(const KernelSignature &kernel, clang::CodeGenerator &generator)
      : kernel_(kernel), ast_(kernel.function->getASTContext()),
        body_(*llvm::cast<llvm::Function>(
            generator.GetAddrOfGlobal(clang::GlobalDecl(kernel.function), false))),
        info_(clang::CodeGen::arrangeFreeFunctionType(generator.CGM(),
                                                      kernel.function->getType()
                                                          ->getCanonicalTypeUnqualified()
                                                          .castAs<clang::FunctionProtoType>())) {
    for (const ArgumentSignature &argument : kernel.arguments)
      types_.push_back(air_type(argument, body_.getContext(), ast_));
  }

  llvm::Function &body() { return body_; }

  bool is_body_in_form() const {
    // An array comes as a pointer to its elements, which the body may change: they are its own.
    return llvm::none_of(kernel_.arguments, is_array) &&
           body_.getFunctionType()->params() == llvm::ArrayRef<llvm::Type *>(types_);
  }

  llvm::Function *build(llvm::StringRef name) {
    llvm::LLVMContext &context = body_.getContext();
    auto *entry = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), types_, false),
        llvm::GlobalValue::ExternalLinkage, "", body_.getParent());
    claim_name(*entry, name);
    entry->addFnAttr(llvm::Attribute::NoUnwind);
    entry->addFnAttr(llvm::Attribute::MustProgress);
    entry->addFnAttr(llvm::Attribute::Convergent);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", entry));
    std::vector<llvm::Value *> values;
    for (unsigned i = 0; i < types_.size(); ++i)
      pass(builder, i, *entry->getArg(i), values);
    llvm::CallInst *call = builder.CreateCall(&body_, values);
    call->setAttributes(body_.getAttributes().removeFnAttributes(context));
    builder.CreateRetVoid();
    return entry;
  }

private:
  /// One of a single element is that element.
  static bool is_array(const ArgumentSignature &argument) { return argument.array_length > 1; }

  /// Adds what the body's parameter `number` takes, in the form of the C++ ABI.
  void pass(llvm::IRBuilder<> &builder, unsigned number, llvm::Argument &value,
            std::vector<llvm::Value *> &values) {
    const ArgumentSignature &argument = kernel_.arguments[number];
    value.setName(argument.parameter->getName());
    const clang::CodeGen::ABIArgInfo &abi = info_.arguments()[number].info;
    const clang::QualType type = argument.parameter->getType();
    switch (abi.getKind()) {
    case clang::CodeGen::ABIArgInfo::Ignore:
      return;
    case clang::CodeGen::ABIArgInfo::Direct:
    case clang::CodeGen::ABIArgInfo::Extend: {
      llvm::Type *wanted = abi.getCoerceToType();
      if (wanted == value.getType() && !is_array(argument)) {
        values.push_back(&value);
        return;
      }
      llvm::Value *memory = is_array(argument) ? &value : in_memory(builder, value, type, wanted);
      auto *parts = llvm::dyn_cast<llvm::StructType>(wanted);
      if (!parts || !abi.isDirect() || !abi.getCanBeFlattened()) {
        values.push_back(
            builder.CreateLoad(wanted, offset(builder, memory, abi.getDirectOffset())));
        return;
      }
      for (unsigned i = 0; i < parts->getNumElements(); ++i)
        values.push_back(builder.CreateLoad(parts->getElementType(i),
                                            builder.CreateStructGEP(parts, memory, i)));
      return;
    }
    case clang::CodeGen::ABIArgInfo::Indirect:
      values.push_back(is_array(argument) ? &value
                                          : in_memory(builder, value, type, value.getType()));
      return;
    default:
      llvm::report_fatal_error("a kernel's argument is passed in an unexpected way");
    }
  }

  llvm::Value *in_memory(llvm::IRBuilder<> &builder, llvm::Value &value, clang::QualType type,
                         llvm::Type *wanted) {
    const llvm::DataLayout &layout = body_.getParent()->getDataLayout();
    const uint64_t size = std::max<uint64_t>(
        {static_cast<uint64_t>(ast_.getTypeSizeInChars(type).getQuantity()),
         layout.getTypeAllocSize(wanted), layout.getTypeAllocSize(value.getType())});
    llvm::AllocaInst *memory =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), size));
    memory->setAlignment(llvm::Align(16));
    builder.CreateStore(&value, memory);
    return memory;
  }

  static llvm::Value *offset(llvm::IRBuilder<> &builder, llvm::Value *memory, unsigned bytes) {
    return bytes ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, bytes) : memory;
  }

  const KernelSignature &kernel_;
  const clang::ASTContext &ast_;
  llvm::Function &body_;
  const clang::CodeGen::CGFunctionInfo &info_;
  std::vector<llvm::Type *> types_;
};

} // namespace

std::vector<llvm::Function *> make_entry_points(const KernelSignature &kernel,
                                                clang::CodeGenerator &generator) {
  if (!kernel.is_kernel)
    return make_visible(kernel, generator);
  EntryBuilder builder(kernel, generator);
  if (kernel.host_names.size() == 1 && builder.is_body_in_form()) {
    claim_name(builder.body(), kernel.host_names.front());
    make_external(builder.body());
    return {&builder.body()};
  }
  std::vector<llvm::Function *> entries;
  for (const std::string &name : kernel.host_names)
    entries.push_back(builder.build(name));
  builder.body().addFnAttr(llvm::Attribute::AlwaysInline);
  return entries;
}

} // namespace hostmetal::frontend
