#include "hostmetal/compiler/frontend/builtin_calls.hpp"

#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/Decl.h"
#include "clang/CodeGen/CGFunctionInfo.h"
#include "clang/CodeGen/CodeGenABITypes.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace hostmetal::frontend {
namespace {

using clang::CodeGen::ABIArgInfo;

/// A parameter of a builtin: its parameters in the module, and its type in AIR, if that is a
/// vector.
struct Parameter {
  unsigned first = 0, count = 1;
  llvm::Type *vector = nullptr;
};

llvm::Type *vector_type(clang::QualType type, clang::CodeGenerator &generator) {
  clang::QualType element;
  unsigned count = 0;
  if (const auto *native = type->getAs<clang::ExtVectorType>()) {
    element = native->getElementType();
    count = native->getNumElements();
  } else if (const auto shape = vector_shape(type); shape && shape->count > 1) {
    element = shape->element;
    count = shape->count;
  } else {
    return nullptr;
  }
  return llvm::FixedVectorType::get(clang::CodeGen::convertTypeForMemory(generator.CGM(), element),
                                    count);
}

/// How many parameters of the module one of the source takes.
unsigned parameter_count(const ABIArgInfo &abi) {
  if (abi.isIgnore())
    return 0;
  if (abi.isDirect() && abi.getCanBeFlattened())
    if (const auto *parts = llvm::dyn_cast<llvm::StructType>(abi.getCoerceToType()))
      return parts->getNumElements();
  return 1;
}

class Builtin {
public:
  Builtin(llvm::Function &function, const clang::FunctionDecl &declaration,
          clang::CodeGenerator &generator)
      : function_(function) {
    const clang::CodeGen::CGFunctionInfo &info = clang::CodeGen::arrangeFreeFunctionType(
        generator.CGM(),
        declaration.getType()->getCanonicalTypeUnqualified().castAs<clang::FunctionProtoType>());
    unsigned next = 0;
    for (unsigned i = 0; i < declaration.getNumParams(); ++i) {
      Parameter &parameter = parameters_.emplace_back();
      parameter.first = next;
      parameter.count = parameter_count(info.arguments()[i].info);
      parameter.vector = vector_type(declaration.getParamDecl(i)->getType(), generator);
      next += parameter.count;
    }
    is_understood_ = next == function.arg_size();
  }

  void pass_by_value() {
    if (!is_understood_ || llvm::all_of(parameters_, [&](const Parameter &parameter) {
          return is_in_form(parameter);
        }))
      return;
    std::vector<llvm::Type *> types;
    for (const Parameter &parameter : parameters_)
      types.push_back(is_in_form(parameter) ? function_.getArg(parameter.first)->getType()
                                            : parameter.vector);
    made_ = llvm::Function::Create(llvm::FunctionType::get(function_.getReturnType(), types, false),
                                   function_.getLinkage(), "", function_.getParent());
    made_->takeName(&function_);
    for (llvm::Attribute attribute : function_.getAttributes().getFnAttrs())
      made_->addFnAttr(attribute);
    for (llvm::User *user : llvm::make_early_inc_range(function_.users()))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        replace(*call);
    function_.eraseFromParent();
  }

private:
  bool is_in_form(const Parameter &parameter) const {
    return !parameter.vector || (parameter.count == 1 &&
                                 function_.getArg(parameter.first)->getType() == parameter.vector);
  }

  void replace(llvm::CallBase &call) {
    llvm::IRBuilder<> builder(&call);
    std::vector<llvm::Value *> values;
    for (const Parameter &parameter : parameters_)
      values.push_back(is_in_form(parameter) ? call.getArgOperand(parameter.first)
                                             : vector_of(builder, call, parameter));
    llvm::CallInst *replacement = builder.CreateCall(made_, values);
    for (llvm::Attribute attribute : call.getAttributes().getFnAttrs())
      replacement->addFnAttr(attribute);
    replacement->takeName(&call);
    call.replaceAllUsesWith(replacement);
    call.eraseFromParent();
  }

  /// What comes in memory is there already; registers are put together there.
  llvm::Value *vector_of(llvm::IRBuilder<> &builder, llvm::CallBase &call,
                         const Parameter &parameter) {
    llvm::Value *first = call.getArgOperand(parameter.first);
    if (first->getType()->isPointerTy())
      return builder.CreateAlignedLoad(parameter.vector, first,
                                       function_.getArg(parameter.first)->getParamAlign());
    llvm::BasicBlock &entry = call.getFunction()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
    std::vector<llvm::Type *> types;
    for (unsigned i = 0; i < parameter.count; ++i)
      types.push_back(call.getArgOperand(parameter.first + i)->getType());
    auto *registers = llvm::StructType::get(call.getContext(), types);
    llvm::AllocaInst *memory = at_entry.CreateAlloca(registers);
    memory->setAlignment(llvm::Align(16));
    for (unsigned i = 0; i < parameter.count; ++i)
      builder.CreateStore(call.getArgOperand(parameter.first + i),
                          builder.CreateStructGEP(registers, memory, i));
    return builder.CreateAlignedLoad(parameter.vector, memory, llvm::Align(16));
  }

  llvm::Function &function_;
  llvm::Function *made_ = nullptr;
  std::vector<Parameter> parameters_;
  bool is_understood_ = false;
};

} // namespace

void pass_vectors_by_value(clang::CodeGenerator &generator) {
  for (llvm::Function &function : llvm::make_early_inc_range(*generator.GetModule())) {
    if (!function.isDeclaration() || !function.getName().starts_with("air."))
      continue;
    const auto *declaration = llvm::dyn_cast_or_null<clang::FunctionDecl>(
        generator.GetDeclForMangledName(function.getName()));
    if (declaration)
      Builtin(function, *declaration, generator).pass_by_value();
  }
}

} // namespace hostmetal::frontend
