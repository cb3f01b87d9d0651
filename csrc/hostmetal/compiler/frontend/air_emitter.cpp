#include "hostmetal/compiler/frontend/air_emitter.hpp"

#include "hostmetal/compiler/frontend/air_metadata.hpp"
#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/builtin_calls.hpp"
#include "hostmetal/compiler/frontend/entry_point.hpp"

#include "clang/AST/Decl.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace hostmetal::frontend {
namespace {

constexpr unsigned threadgroup_space = 3;
// The standard library's name for "whichever of air.fast_x and air.x the math mode asks for".
constexpr llvm::StringLiteral default_prefix = "air.default_";

/// Moves threadgroup variables into their address space, as in Apple's AIR.
void move_threadgroup_variables(llvm::Module &module) {
  std::vector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &global : module.globals())
    if (global.getSection() == threadgroup_section)
      variables.push_back(&global);
  for (llvm::GlobalVariable *old : variables) {
    auto *moved = new llvm::GlobalVariable(module, old->getValueType(), false,
                                           llvm::GlobalValue::InternalLinkage,
                                           llvm::UndefValue::get(old->getValueType()), "", old,
                                           llvm::GlobalValue::NotThreadLocal, threadgroup_space);
    moved->takeName(old);
    moved->setAlignment(old->getAlign());
    old->replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, old->getType()));
    old->eraseFromParent();
  }
}

void choose_math_functions(llvm::Module &module, MathMode mode) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::StringRef operation = function.getName();
    if (!operation.consume_front(default_prefix))
      continue;
    const std::string name =
        (llvm::Twine(mode == MathMode::safe ? "air." : "air.fast_") + operation).str();
    if (llvm::Function *chosen = module.getFunction(name)) {
      function.replaceAllUsesWith(chosen);
      function.eraseFromParent();
    } else {
      function.setName(name);
    }
  }
}

/// clang stores a vector of three as one of four whose last element is poison, and reads whole
/// words of it to pass it on: those would be poison. Any value will do.
void define_fourth_elements(llvm::Module &module) {
  constexpr int widened[] = {0, 1, 2, llvm::PoisonMaskElem};
  constexpr int defined[] = {0, 1, 2, 2};
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
          shuffle && shuffle->getShuffleMask() == llvm::ArrayRef<int>(widened))
        shuffle->setShuffleMask(defined);
}

/// MSL has no double: where one shows up it is a small struct in transit, of which nothing is
/// known.
bool takes_math_flags(const llvm::Instruction &instruction) {
  if (!llvm::isa<llvm::FPMathOperator>(instruction) ||
      instruction.getType()->getScalarType()->isDoubleTy())
    return false;
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !call || (call->getCalledFunction() && call->getCalledFunction()->isDeclaration());
}

void set_math_flags(llvm::Module &module, MathMode mode) {
  llvm::FastMathFlags flags;
  if (mode == MathMode::fast) {
    flags.setFast();
  } else if (mode == MathMode::relaxed) {
    flags.setFast();
    flags.setNoNaNs(false);
    flags.setNoInfs(false);
  } else {
    flags.setAllowContract();
  }
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (takes_math_flags(instruction))
        instruction.setFastMathFlags(flags);
}

/// Whatever ties the module to the target that clang was told.
void remove_target_facts(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (const char *attribute :
         {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width", "frame-pointer",
          "stack-protector-buffer-size", "no-trapping-math", "no-builtins", "sycl-module-id"})
      function.removeFnAttr(attribute);
    function.removeFnAttr(llvm::Attribute::UWTable);
    function.setDSOLocal(false);
  }
  for (const char *name : {"llvm.ident", "opencl.ocl.version", "opencl.spir.version"})
    if (llvm::NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
}

/// Everything but the entries becomes internal, and what no entry reaches goes. Only metadata
/// refers to some predicates of arguments.
void keep_only(llvm::Module &module, const llvm::SetVector<llvm::Function *> &entries,
               const llvm::SetVector<llvm::GlobalValue *> &predicates) {
  for (const char *list : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"})
    if (llvm::GlobalVariable *global = module.getGlobalVariable(list, true))
      global->eraseFromParent();
  for (llvm::GlobalObject &object : module.global_objects()) {
    object.setComdat(nullptr);
    if (object.isDeclaration() || object.getName().starts_with("llvm."))
      continue;
    auto *function = llvm::dyn_cast<llvm::Function>(&object);
    if (function && entries.contains(function))
      continue;
    object.setVisibility(llvm::GlobalValue::DefaultVisibility);
    object.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  module.getComdatSymbolTable().clear();
  llvm::appendToCompilerUsed(module, predicates.getArrayRef());
  llvm::ModuleAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  llvm::GlobalDCEPass().run(module, analyses);
  if (llvm::GlobalVariable *list = module.getGlobalVariable("llvm.compiler.used"))
    list->eraseFromParent();
}

std::set<const clang::VarDecl *> predicates_of(const KernelSignature &kernel) {
  std::set<const clang::VarDecl *> predicates;
  for (const ArgumentSignature &argument : kernel.arguments)
    if (argument.predicate)
      predicates.insert(argument.predicate);
  return predicates;
}

/// `[[id(n)]]` on a member: clang passes the address of an annotated member through a call.
void drop_member_annotations(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::ptr_annotation)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

/// Visible functions that are declared and called, but defined in another library: a pipeline links
/// them by name.
void name_visible_references(llvm::Module &module, clang::CodeGenerator &generator) {
  llvm::LLVMContext &context = module.getContext();
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty())
      continue;
    const auto *declaration = llvm::dyn_cast_or_null<clang::FunctionDecl>(
        generator.GetDeclForMangledName(function.getName()));
    if (!declaration || !is_visible(*declaration))
      continue;
    const std::string name = declaration->getQualifiedNameAsString();
    function.setName(name + ".MTL_VISIBLE_FN_REF");
    function.setSection("air.externally_defined");
    module.getOrInsertNamedMetadata("air.visible_function_references")
        ->addOperand(llvm::MDNode::get(
            context,
            {llvm::MDString::get(context, "air.visible_function_reference"),
             llvm::ConstantAsMetadata::get(&function), llvm::MDString::get(context, name)}));
  }
}

/// Takes the constants that nothing uses off the list.
void prune_function_constants(llvm::Module &module) {
  llvm::NamedMDNode *list = module.getNamedMetadata("air.function_constants");
  if (!list)
    return;
  std::vector<llvm::MDNode *> kept;
  for (llvm::MDNode *node : list->operands())
    if (node->getOperand(0))
      kept.push_back(node);
  list->clearOperands();
  for (llvm::MDNode *node : kept)
    list->addOperand(node);
  if (kept.empty())
    list->eraseFromParent();
}

/// Indices of the function constants that an entry's arguments depend on, or that it can read,
/// itself or through constants derived from them.
std::vector<uint32_t> used_constants(llvm::Function &entry,
                                     llvm::ArrayRef<llvm::GlobalValue *> predicates,
                                     const llvm::Module &module, const ConstantGlobals &constants) {
  llvm::SetVector<const llvm::Value *> reached(predicates.begin(), predicates.end());
  std::set<uint32_t> indices;
  reached.insert(&entry);
  const llvm::Function *initialiser = nullptr;
  for (const llvm::Function &function : module)
    if (function.getName().starts_with("_GLOBAL__sub_I_"))
      initialiser = &function;
  for (size_t i = 0; i < reached.size(); ++i) {
    const llvm::Value *value = reached[i];
    if (const auto *function = llvm::dyn_cast<llvm::Function>(value)) {
      for (const llvm::Instruction &instruction : llvm::instructions(*function))
        for (const llvm::Use &operand : instruction.operands())
          if (llvm::isa<llvm::Constant>(operand))
            reached.insert(operand);
    } else if (const auto *global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      const uint32_t index = constants.index(global);
      if (index != UINT32_MAX)
        indices.insert(index);
      else if (initialiser && !global->isConstant() && global->getAddressSpace() == 0)
        reached.insert(initialiser);
    }
    if (const auto *constant = llvm::dyn_cast<llvm::Constant>(value))
      for (const llvm::Use &operand : constant->operands())
        reached.insert(operand);
  }
  return {indices.begin(), indices.end()};
}

} // namespace

void emit_air(clang::CodeGenerator &generator, const clang::ASTContext &context,
              const std::vector<KernelSignature> &kernels,
              const std::vector<DeclaredConstant> &constants, const SourceRequest &request,
              SourceResult &result) {
  llvm::Module &module = *generator.GetModule();
  move_threadgroup_variables(module);
  const ConstantGlobals globals(constants, generator, module);
  AirMetadata metadata(module, context, globals);
  llvm::SetVector<llvm::Function *> entries;
  llvm::SetVector<llvm::GlobalValue *> predicates;
  std::vector<std::vector<llvm::GlobalValue *>> predicates_of_entries;
  for (const KernelSignature &kernel : kernels)
    for (llvm::Function *entry : make_entry_points(kernel, generator)) {
      metadata.add_function(kernel, *entry);
      entries.insert(entry);
      std::vector<llvm::GlobalValue *> &own = predicates_of_entries.emplace_back();
      for (const clang::VarDecl *predicate : predicates_of(kernel))
        if (llvm::GlobalVariable *global = globals.global(predicate))
          own.push_back(global);
      predicates.insert(own.begin(), own.end());
      FunctionSummary &summary = result.functions.emplace_back();
      summary.name = entry->getName().str();
      summary.kind = kernel.is_kernel ? FunctionKind::kernel : FunctionKind::visible;
      summary.max_total_threads_per_threadgroup = kernel.max_total_threads_per_threadgroup;
    }
  metadata.add_module_facts(request);
  drop_member_annotations(module);
  name_visible_references(module, generator);
  keep_only(module, entries, predicates);
  prune_function_constants(module);
  pass_vectors_by_value(generator);
  define_fourth_elements(module);
  choose_math_functions(module, request.math_mode);
  set_math_flags(module, request.math_mode);
  remove_target_facts(module);
  for (size_t i = 0; i < entries.size(); ++i)
    result.functions[i].constants =
        used_constants(*entries[i], predicates_of_entries[i], module, globals);
  for (const DeclaredConstant &declared : constants)
    result.constants.push_back(declared.constant);
  llvm::raw_string_ostream stream(result.bitcode);
  llvm::WriteBitcodeToFile(module, stream);
}

} // namespace hostmetal::frontend
