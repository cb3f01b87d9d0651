#include "hostmetal/compiler/frontend/function_constants.hpp"

#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/diagnostics.hpp"
#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Sema/Sema.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace hostmetal::frontend {
namespace {

constexpr uint64_t max_index = 65535;

} // namespace

std::vector<DeclaredConstant> collect_function_constants(const UnitFindings &findings,
                                                         clang::Sema &sema) {
  std::vector<DeclaredConstant> constants;
  for (clang::VarDecl *variable : findings.function_constants) {
    const auto *attribute = find_attribute(*variable, "function_constant");
    const auto index = integer_argument(*attribute, sema.Context);
    DeclaredConstant declared;
    declared.variable = variable->getCanonicalDecl();
    declared.code = type_code(variable->getType());
    declared.constant.name = variable->getNameAsString();
    declared.constant.type = msl_type_name(variable->getType());
    declared.constant.is_required =
        !findings.asked_constants.contains(variable->getCanonicalDecl());
    if (const clang::Expr *value = variable->getInit())
      report_error(sema.Diags, value->getExprLoc(),
                   "function constant '" + declared.constant.name + "' cannot be initialised");
    if (!index || *index > max_index)
      report_error(sema.Diags, attribute->getLocation(),
                   "'function_constant' requires an integer constant from 0 to 65535");
    else if (declared.code.empty())
      report_error(sema.Diags, variable->getLocation(),
                   "a function constant must be a scalar or a vector, not '" +
                       declared.constant.type + "'");
    else {
      declared.constant.index = static_cast<uint32_t>(*index);
      constants.push_back(std::move(declared));
    }
  }
  llvm::sort(constants, [](const auto &a, const auto &b) {
    return std::tuple(a.constant.index, a.constant.name) <
           std::tuple(b.constant.index, b.constant.name);
  });
  for (size_t i = 1; i < constants.size(); ++i)
    if (constants[i].constant.index == constants[i - 1].constant.index &&
        constants[i].variable != constants[i - 1].variable)
      report_error(sema.Diags, constants[i].variable->getLocation(),
                   "function constant index " + llvm::Twine(constants[i].constant.index) +
                       " is used by more than one function constant");
  return constants;
}

ConstantGlobals::ConstantGlobals(const std::vector<DeclaredConstant> &constants,
                                 clang::CodeGenerator &generator, llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::NamedMDNode *list = nullptr;
  for (const DeclaredConstant &declared : constants) {
    const clang::GlobalDecl variable(declared.variable);
    const llvm::StringRef name = generator.GetMangledName(variable);
    // Declared here if no code uses it: the existence of an argument may depend on it.
    auto *global = llvm::cast<llvm::GlobalVariable>(
        generator.GetAddrOfGlobal(variable, /*isForDefinition=*/false)->stripPointerCasts());
    const FunctionConstant &constant = declared.constant;
    global->setName((name + ".MTL_FC_INIT_" + llvm::Twine(constant.index) + "_" + declared.code));
    global->setInitializer(llvm::UndefValue::get(global->getValueType()));
    global->setLinkage(llvm::GlobalValue::InternalLinkage);
    global->setVisibility(llvm::GlobalValue::DefaultVisibility);
    global->setConstant(true);
    global->setExternallyInitialized(true);
    global->setSection("air.fc_initializer");
    auto *node = llvm::MDNode::get(
        context,
        {llvm::ConstantAsMetadata::get(global), llvm::MDString::get(context, constant.type),
         llvm::MDString::get(context, constant.name),
         llvm::ConstantAsMetadata::get(
             llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), constant.index)),
         llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context))});
    nodes_[declared.variable] = node;
    indices_[global] = constant.index;
    if (!list)
      list = module.getOrInsertNamedMetadata("air.function_constants");
    list->addOperand(node);
  }
}

llvm::MDNode *ConstantGlobals::node(const clang::VarDecl *variable) const {
  return nodes_.lookup(variable->getCanonicalDecl());
}

llvm::GlobalVariable *ConstantGlobals::global(const clang::VarDecl *variable) const {
  const llvm::MDNode *constant = node(variable);
  return constant ? llvm::mdconst::extract<llvm::GlobalVariable>(constant->getOperand(0)) : nullptr;
}

uint32_t ConstantGlobals::index(const llvm::GlobalVariable *global) const {
  const auto found = indices_.find(global);
  return found == indices_.end() ? UINT32_MAX : found->second;
}

} // namespace hostmetal::frontend
