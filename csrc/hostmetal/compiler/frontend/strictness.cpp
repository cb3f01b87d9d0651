#include "hostmetal/compiler/frontend/strictness.hpp"

#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/diagnostics.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace hostmetal::frontend {
namespace {

bool is_metal_space(clang::LangAS space) {
  return space == clang::LangAS::sycl_global || space == clang::LangAS::sycl_global_host ||
         space == clang::LangAS::sycl_local;
}

const char *space_name(clang::LangAS space) {
  switch (space) {
  case clang::LangAS::sycl_global:
    return "device";
  case clang::LangAS::sycl_global_host:
    return "constant";
  case clang::LangAS::sycl_local:
    return "threadgroup";
  default:
    return "thread";
  }
}

class Checker : public clang::RecursiveASTVisitor<Checker> {
  using Base = clang::RecursiveASTVisitor<Checker>;

public:
  Checker(const llvm::DenseSet<clang::SourceLocation> &in_space, clang::Sema &sema,
          UnitFindings &findings)
      : in_space_(in_space), sema_(sema), findings_(findings) {}

  // Patterns of templates make no code; their instances are visited as declarations of their own.
  bool TraverseFunctionTemplateDecl(clang::FunctionTemplateDecl *) { return true; }
  bool TraverseClassTemplateDecl(clang::ClassTemplateDecl *) { return true; }
  bool
  TraverseClassTemplatePartialSpecializationDecl(clang::ClassTemplatePartialSpecializationDecl *) {
    return true;
  }
  bool TraverseVarTemplateDecl(clang::VarTemplateDecl *) { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  void check(clang::Decl *declaration) {
    if (is_users(declaration->getLocation()))
      TraverseDecl(declaration);
  }

  bool TraverseDecl(clang::Decl *declaration) {
    if (!declaration || declaration->isInvalidDecl())
      return true;
    auto *function = declaration->getAsFunction();
    if (!function || !function->doesThisDeclarationHaveABody() || function->isDependentContext())
      return Base::TraverseDecl(declaration);
    if (!seen_.insert(function).second)
      return true;
    findings_.functions.push_back(function);
    return Base::TraverseDecl(declaration);
  }

  bool VisitDecl(clang::Decl *declaration) {
    // Those of members tell of argument buffers to the end, and have their arguments' values.
    if (!llvm::isa<clang::FieldDecl>(declaration) && declaration->hasAttr<clang::AnnotateAttr>())
      findings_.annotated.push_back(declaration);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) { return VisitDecl(lambda->getCallOperator()); }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (llvm::isa<clang::ParmVarDecl>(variable) || variable->getType()->isDependentType())
      return true;
    const clang::LangAS space = variable->getType().getAddressSpace();
    if (space == clang::LangAS::sycl_local)
      check_threadgroup_variable(*variable);
    else if (variable->hasGlobalStorage())
      check_global(*variable, space);
    else if (is_metal_space(space))
      error(variable->getLocation(), llvm::Twine("automatic variable '") + variable->getName() +
                                         "' cannot be in the address space '" + space_name(space) +
                                         "'");
    if (variable->getType()->isVariableArrayType())
      error(variable->getLocation(), "variable length arrays are not supported in Metal");
    if (variable->getTLSKind() != clang::VarDecl::TLS_None)
      error(variable->getLocation(), "'thread_local' is not supported in Metal");
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->isVariadic())
      error(function->getLocation(), "variadic functions are not supported in Metal");
    if (function->isMain())
      error(function->getLocation(), "a function cannot be called 'main' in Metal");
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
      if (method->isVirtual() && is_users(method->getLocation()))
        error(method->getLocation(), "virtual functions are not supported in Metal");
    return true;
  }

  bool VisitCXXRecordDecl(clang::CXXRecordDecl *record) {
    if (record->isThisDeclarationADefinition() && record->getNumVBases() != 0)
      error(record->getLocation(), "virtual base classes are not supported in Metal");
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr *expression) {
    if (expression->getOperatorNew() &&
        expression->getOperatorNew()->isReservedGlobalPlacementOperator())
      return true;
    return unsupported(expression->getBeginLoc(), "'new'");
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *expression) {
    return unsupported(expression->getBeginLoc(), "'delete'");
  }
  bool VisitCXXTryStmt(clang::CXXTryStmt *statement) {
    return unsupported(statement->getBeginLoc(), "'try'");
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr *expression) {
    return unsupported(expression->getBeginLoc(), "'throw'");
  }
  bool VisitGotoStmt(clang::GotoStmt *statement) {
    return unsupported(statement->getBeginLoc(), "'goto'");
  }
  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt *statement) {
    return unsupported(statement->getBeginLoc(), "'goto'");
  }
  bool VisitAsmStmt(clang::AsmStmt *statement) {
    return unsupported(statement->getAsmLoc(), "inline assembly");
  }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr *expression) {
    return unsupported(expression->getBeginLoc(), "'dynamic_cast'");
  }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr *expression) {
    return unsupported(expression->getBeginLoc(), "'typeid'");
  }

  bool VisitCXXNoexceptExpr(clang::CXXNoexceptExpr *expression) {
    return unsupported(expression->getBeginLoc(), "the operator 'noexcept'");
  }

  bool VisitBuiltinTypeLoc(clang::BuiltinTypeLoc type) {
    const char *name = unsupported_type(type.getTypePtr()->getKind());
    if (name && is_users(type.getBeginLoc()))
      unsupported(type.getBeginLoc(), name);
    return true;
  }
  bool VisitFloatingLiteral(clang::FloatingLiteral *literal) {
    // Those of type double are converted to float at once.
    const bool is_long = literal->getType()->isSpecificBuiltinType(clang::BuiltinType::LongDouble);
    return is_long ? unsupported(literal->getBeginLoc(), "'long double'") : true;
  }

  bool VisitPointerTypeLoc(clang::PointerTypeLoc type) {
    return check_named_space(type.getStarLoc(), type.getPointeeLoc(), "pointer");
  }
  bool VisitReferenceTypeLoc(clang::ReferenceTypeLoc type) {
    return check_named_space(type.getSigilLoc(), type.getPointeeLoc(), "reference");
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return true;
    if (find_attribute(*callee, "kernel"))
      error(call->getBeginLoc(),
            llvm::Twine("kernel '") + callee->getNameAsString() + "' cannot be called");
    if (callee->getIdentifier() && callee->getName() == "__metal_function_constant_defined")
      note_asked_constant(*call);
    return true;
  }

  bool VisitCastExpr(clang::CastExpr *cast) { return check_space_conversion(*cast); }

  void report_lost_spaces();

private:
  bool is_users(clang::SourceLocation where) const {
    const clang::SourceManager &sources = sema_.SourceMgr;
    // First, as it costs nothing: where a macro of the precompiled library is used, that is loaded.
    if (where.isInvalid() || sources.isLoadedSourceLocation(where))
      return false;
    const clang::SourceLocation used = sources.getExpansionLoc(where);
    return !sources.isInSystemHeader(used) && !sources.isWrittenInBuiltinFile(used);
  }

  void error(clang::SourceLocation where, const llvm::Twine &message) {
    report_error(sema_.Diags, where, message);
  }

  bool unsupported(clang::SourceLocation where, const llvm::Twine &what) {
    error(where, what + " is not supported in Metal");
    return true;
  }

  static bool is_written_by_nobody(const clang::VarDecl &variable,
                                   const clang::CXXConstructExpr &construct) {
    return variable.getInitStyle() == clang::VarDecl::CallInit &&
           construct.getParenOrBraceRange().isInvalid() &&
           llvm::all_of(construct.arguments(), [](const clang::Expr *argument) {
             return llvm::isa<clang::CXXDefaultArgExpr>(argument);
           });
  }

  void check_threadgroup_variable(clang::VarDecl &variable) {
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
    if (variable.isStaticLocal() && !(function && find_attribute(*function, "kernel"))) {
      error(variable.getLocation(), llvm::Twine("threadgroup variable '") + variable.getName() +
                                        "' must be declared inside of a kernel");
      return;
    }
    if (!variable.isStaticLocal()) {
      error(variable.getLocation(), llvm::Twine("threadgroup variable '") + variable.getName() +
                                        "' must be declared inside of a kernel");
      return;
    }
    if (const clang::Expr *value = variable.getInit()) {
      const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value->IgnoreImplicit());
      if (construct == nullptr || !is_written_by_nobody(variable, *construct))
        error(variable.getLocation(), llvm::Twine("threadgroup variable '") + variable.getName() +
                                          "' cannot be initialised");
      // No thread runs a default constructor: the memory begins with whatever is there.
      variable.setInit(nullptr);
    }
    if (!variable.hasAttr<clang::SectionAttr>())
      variable.addAttr(clang::SectionAttr::CreateImplicit(sema_.Context, threadgroup_section));
  }

  void check_global(clang::VarDecl &variable, clang::LangAS space) {
    const clang::QualType type = variable.getType();
    if (find_attribute(variable, "function_constant")) {
      findings_.function_constants.push_back(&variable);
      return;
    }
    if (variable.isConstexpr() || variable.getTLSKind() != clang::VarDecl::TLS_None ||
        space == clang::LangAS::sycl_global_host)
      return;
    if (type.isConstQualified() && variable.isStaticDataMember())
      return;
    error(variable.getLocation(),
          variable.isStaticLocal()
              ? llvm::Twine("variable '") + variable.getName() +
                    "' inside of a function cannot be 'static'"
              : llvm::Twine("variable '") + variable.getName() +
                    "' outside of functions must be in the address space 'constant'");
  }

  static const char *unsupported_type(clang::BuiltinType::Kind kind) {
    switch (kind) {
    case clang::BuiltinType::Double:
      return "'double'";
    case clang::BuiltinType::LongDouble:
      return "'long double'";
    case clang::BuiltinType::Float128:
      return "'__float128'";
    case clang::BuiltinType::Int128:
    case clang::BuiltinType::UInt128:
      return "'__int128'";
    default:
      return nullptr;
    }
  }

  /// `sigil` is the `*` or `&`. A type that is deduced brings its address space along, and a
  /// pointer that is pointed to is the thread's: MLX has `const device T *&`.
  bool check_named_space(clang::SourceLocation sigil, clang::TypeLoc pointee, const char *kind) {
    const clang::QualType type = pointee.getType();
    if (type->isDependentType() || type->isFunctionType() || type->isPointerType() ||
        type->getContainedDeducedType() || is_metal_space(type.getAddressSpace()) ||
        in_space_.contains(sigil) || !is_users(sigil))
      return true;
    if (reported_.insert(sigil).second)
      error(sigil, llvm::Twine(kind) + " type must have explicit address space qualifier");
    return true;
  }

  // clang lets pointers and references drop their address space, as SYCL's default space holds all.
  // MSL has no such space. What the standard library's own operators do is allowed.
  bool check_space_conversion(const clang::CastExpr &cast) {
    if (cast.getCastKind() != clang::CK_AddressSpaceConversion &&
        cast.getCastKind() != clang::CK_NoOp && cast.getCastKind() != clang::CK_BitCast)
      return true;
    const clang::QualType from = cast.getSubExpr()->getType();
    const clang::QualType to = cast.getType();
    if (!from->isPointerType() || !to->isPointerType() || !is_users(cast.getBeginLoc()))
      return true;
    const clang::LangAS old_space = from->getPointeeType().getAddressSpace();
    const clang::LangAS new_space = to->getPointeeType().getAddressSpace();
    if (old_space == new_space || !is_metal_space(old_space))
      return true;
    lost_spaces_.push_back({cast.getBeginLoc(), old_space, new_space});
    return true;
  }

  void note_asked_constant(const clang::CallExpr &call) {
    if (call.getNumArgs() != 1)
      return;
    const clang::Expr *argument = call.getArg(0)->IgnoreParenImpCasts();
    if (const auto *address = llvm::dyn_cast<clang::UnaryOperator>(argument))
      argument = address->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *use = llvm::dyn_cast<clang::DeclRefExpr>(argument))
      if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl()))
        findings_.asked_constants.insert(variable->getCanonicalDecl());
  }

  struct LostSpace {
    clang::SourceLocation where;
    clang::LangAS from, to;
  };

  const llvm::DenseSet<clang::SourceLocation> &in_space_;
  clang::Sema &sema_;
  UnitFindings &findings_;
  std::vector<LostSpace> lost_spaces_;
  llvm::DenseSet<clang::SourceLocation> reported_; // once for all instances of a template
  llvm::DenseSet<const clang::FunctionDecl *> seen_;
};

void Checker::report_lost_spaces() {
  // Where a type names no address space, that is the error.
  if (!reported_.empty())
    return;
  for (const LostSpace &lost : lost_spaces_)
    error(lost.where, llvm::Twine("cannot convert a pointer to address space '") +
                          space_name(lost.from) + "' to a pointer to address space '" +
                          space_name(lost.to) + "'");
}

} // namespace

UnitFindings check_unit(const std::vector<clang::Decl *> &declarations,
                        const llvm::DenseSet<clang::SourceLocation> &in_space, clang::Sema &sema) {
  UnitFindings findings;
  Checker checker(in_space, sema, findings);
  for (clang::Decl *declaration : declarations)
    checker.check(declaration);
  checker.report_lost_spaces();
  return findings;
}

void drop_annotations(const UnitFindings &findings) {
  for (clang::Decl *declaration : findings.annotated) {
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    // Of those that other libraries define, it stays until they are named for the linking.
    const bool is_reference = function && !function->isDefined() && is_visible(*function);
    llvm::erase_if(declaration->getAttrs(), [&](const clang::Attr *attribute) {
      const auto *annotation = llvm::dyn_cast<clang::AnnotateAttr>(attribute);
      return annotation && (!is_reference || annotation->args_size() != 0);
    });
    if (declaration->getAttrs().empty())
      declaration->dropAttrs();
  }
}

} // namespace hostmetal::frontend
