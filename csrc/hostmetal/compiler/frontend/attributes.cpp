#include "hostmetal/compiler/frontend/attributes.hpp"

#include "hostmetal/compiler/frontend/diagnostics.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

#include <array>
#include <mutex>

namespace hostmetal::frontend {
namespace {

constexpr llvm::StringLiteral annotation_prefix = "msl.";
constexpr llvm::StringLiteral gnu_prefix = "msl_";

constexpr const char *thread_attributes[] = {"thread_position_in_grid",
                                             "threads_per_grid",
                                             "thread_position_in_threadgroup",
                                             "threadgroup_position_in_grid",
                                             "threadgroups_per_grid",
                                             "threads_per_threadgroup",
                                             "thread_index_in_threadgroup",
                                             "thread_index_in_simdgroup",
                                             "simdgroup_index_in_threadgroup",
                                             "simdgroups_per_threadgroup",
                                             "threads_per_simdgroup",
                                             "thread_execution_width",
                                             "thread_index_in_quadgroup",
                                             "quadgroup_index_in_threadgroup",
                                             "quadgroups_per_threadgroup",
                                             "dispatch_threads_per_threadgroup",
                                             "dispatch_simdgroups_per_threadgroup",
                                             "dispatch_quadgroups_per_threadgroup",
                                             "grid_origin",
                                             "grid_size"};

constexpr const char *argument_attributes[] = {"buffer", "texture", "sampler", "threadgroup"};

constexpr const char *function_attributes[] = {"kernel",
                                               "vertex",
                                               "fragment",
                                               "visible",
                                               "stitchable",
                                               "host_name",
                                               "max_total_threads_per_threadgroup",
                                               "required_threads_per_threadgroup"};

constexpr llvm::StringLiteral function_constant = "function_constant", id = "id";

// Attributes of functions, in the GNU form that the token rewriter makes of them where C++ allows
// no
// `[[…]]`. clang knows a GNU attribute "kernel" of its own, hence the prefix.
constexpr const char *gnu_attributes[] = {"msl_kernel",
                                          "msl_vertex",
                                          "msl_fragment",
                                          "msl_visible",
                                          "msl_stitchable",
                                          "msl_host_name",
                                          "msl_max_total_threads_per_threadgroup",
                                          "msl_required_threads_per_threadgroup"};

using Spellings = std::array<clang::ParsedAttrInfo::Spelling,
                             std::size(thread_attributes) + std::size(argument_attributes) +
                                 std::size(function_attributes) + 2 + std::size(gnu_attributes)>;

constexpr Spellings make_spellings() {
  Spellings spellings{};
  size_t next = 0;
  for (const char *name : thread_attributes)
    spellings[next++] = {clang::ParsedAttr::AS_CXX11, name};
  for (const char *name : argument_attributes)
    spellings[next++] = {clang::ParsedAttr::AS_CXX11, name};
  for (const char *name : function_attributes)
    spellings[next++] = {clang::ParsedAttr::AS_CXX11, name};
  for (const llvm::StringLiteral &name : {function_constant, id})
    spellings[next++] = {clang::ParsedAttr::AS_CXX11, name.data()};
  for (const char *name : gnu_attributes)
    spellings[next++] = {clang::ParsedAttr::AS_GNU, name};
  return spellings;
}

constexpr Spellings spellings = make_spellings();

/// As it is written: without what marks the GNU form.
llvm::StringRef written_name(const clang::ParsedAttr &attribute) {
  llvm::StringRef name = attribute.getAttrName()->getName();
  name.consume_front(gnu_prefix);
  return name;
}

/// Declarations that an attribute is for.
struct Subjects {
  bool functions = false, parameters = false, members = false, globals = false;

  bool contain(const clang::Decl &declaration) const {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
      return functions && !clang::isLambdaCallOperator(function);
    if (llvm::isa<clang::ParmVarDecl>(declaration))
      return parameters;
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declaration))
      return globals && variable->hasGlobalStorage();
    return members && llvm::isa<clang::FieldDecl>(declaration);
  }

  const char *name() const {
    if (functions)
      return "functions";
    if (globals)
      return "global variables, parameters and data members";
    return parameters ? "parameters and data members" : "data members";
  }
};

Subjects subjects_of(llvm::StringRef attribute) {
  if (llvm::is_contained(function_attributes, attribute))
    return {.functions = true};
  if (attribute == function_constant)
    return {.parameters = true, .members = true, .globals = true};
  return {.parameters = attribute != id, .members = true};
}

struct MslAttribute : clang::ParsedAttrInfo {
  MslAttribute() {
    OptArgs = 3;
    Spellings = spellings;
  }

  bool isParamExpr(size_t) const override { return true; }

  bool diagAppertainsToDecl(clang::Sema &sema, const clang::ParsedAttr &attribute,
                            const clang::Decl *declaration) const override {
    const llvm::StringRef name = written_name(attribute);
    const Subjects subjects = subjects_of(name);
    if (subjects.contain(*declaration))
      return true;
    report_error(sema.Diags, attribute.getLoc(),
                 "'" + name + "' attribute only applies to " + subjects.name());
    return false;
  }

  AttrHandling handleDeclAttribute(clang::Sema &sema, clang::Decl *declaration,
                                   const clang::ParsedAttr &attribute) const override {
    llvm::SmallVector<clang::Expr *, 3> arguments;
    for (unsigned i = 0; i < attribute.getNumArgs(); ++i)
      if (attribute.isArgExpr(i))
        arguments.push_back(attribute.getArgAsExpr(i));
    // Code is made for the annotations of members, which takes the values of their arguments.
    if (llvm::isa<clang::FieldDecl>(declaration) &&
        !sema.ConstantFoldAttrArgs(attribute, arguments))
      return AttributeNotApplied;
    const std::string name = (annotation_prefix + written_name(attribute)).str();
    declaration->addAttr(clang::AnnotateAttr::Create(sema.Context, name, arguments.data(),
                                                     arguments.size(), attribute.getRange()));
    return AttributeApplied;
  }
};

const clang::ParsedAttrInfoRegistry::Add<MslAttribute> registration("msl", "MSL attributes");

} // namespace

void register_attributes() {
  // clang builds its list of plug-in attributes on first use, without a lock.
  static std::once_flag once;
  std::call_once(once, [] { clang::getAttributePluginInstances(); });
}

bool is_thread_attribute(llvm::StringRef name) {
  return llvm::is_contained(thread_attributes, name);
}

bool is_attribute_name(llvm::StringRef name) {
  return is_thread_attribute(name) || llvm::is_contained(argument_attributes, name) ||
         llvm::is_contained(function_attributes, name) || name == function_constant || name == id;
}

llvm::StringRef attribute_name(const clang::AnnotateAttr &attribute) {
  llvm::StringRef name = attribute.getAnnotation();
  return name.consume_front(annotation_prefix) ? name : llvm::StringRef();
}

const clang::AnnotateAttr *find_attribute(const clang::Decl &declaration, llvm::StringRef name) {
  for (const auto *attribute : declaration.specific_attrs<clang::AnnotateAttr>())
    if (attribute_name(*attribute) == name)
      return attribute;
  return nullptr;
}

bool is_visible(const clang::Decl &function) {
  return find_attribute(function, "visible") || find_attribute(function, "stitchable");
}

std::optional<uint64_t> integer_argument(const clang::AnnotateAttr &attribute,
                                         const clang::ASTContext &context) {
  if (attribute.args_size() == 0)
    return std::nullopt;
  const clang::Expr *argument = *attribute.args_begin();
  if (argument->isValueDependent())
    return std::nullopt;
  clang::Expr::EvalResult value;
  if (!argument->EvaluateAsInt(value, context))
    return std::nullopt;
  const llvm::APSInt integer = value.Val.getInt();
  if (integer.isNegative() || integer.getActiveBits() > 64)
    return std::nullopt;
  return integer.getZExtValue();
}

} // namespace hostmetal::frontend
