#include "hostmetal/compiler/frontend/type_size.hpp"

#include "hostmetal/compiler/frontend/diagnostics.hpp"
#include "hostmetal/compiler/frontend/early_end.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TemplateBase.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#define MAKE_SPECIALISATION                                                                        \
  "_ZNK5clang10ASTContext29getTemplateSpecializationTypeENS_12TemplateNameEN4llvm8ArrayRefINS_"    \
  "19TemplateArgumentLocEEENS_8QualTypeE"

namespace hostmetal::frontend {

using clang::ASTContext;
using clang::QualType;
using clang::TemplateArgument;
using Arguments = llvm::ArrayRef<clang::TemplateArgumentLoc>;

QualType make_in_clang(const ASTContext *context, clang::TemplateName name, Arguments arguments,
                       QualType canonical) asm("__real_" MAKE_SPECIALISATION);
QualType make_specialisation(const ASTContext *context, clang::TemplateName name,
                             Arguments arguments,
                             QualType canonical) asm("__wrap_" MAKE_SPECIALISATION);

namespace {

/// Far more than a list of numbers for every thread of a threadgroup.
constexpr uint64_t largest = 1 << 16;

/// The names of types and the values in a type that is written out, at most.
class Sizes {
public:
  // NOLINTNEXTLINE(misc-no-recursion): arguments were made, and measured, before
  uint64_t of(QualType type) {
    while (!type->getPointeeType().isNull())
      type = type->getPointeeType();
    const auto *record =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    if (!record)
      return 1;
    if (const auto known = sizes_.find(record); known != sizes_.end())
      return known->second;
    const uint64_t size = of(record->getTemplateArgs().asArray());
    sizes_[record] = size;
    return size;
  }

private:
  // NOLINTNEXTLINE(misc-no-recursion)
  uint64_t of(llvm::ArrayRef<TemplateArgument> arguments) {
    uint64_t size = 1;
    for (const TemplateArgument &argument : arguments) {
      if (argument.getKind() == TemplateArgument::Type)
        size = llvm::SaturatingAdd(size, of(argument.getAsType()));
      else if (argument.getKind() == TemplateArgument::Pack)
        size = llvm::SaturatingAdd(size, of(argument.getPackAsArray()));
      else
        ++size;
    }
    return size;
  }

  llvm::DenseMap<const clang::ClassTemplateSpecializationDecl *, uint64_t> sizes_;
};

thread_local Sizes sizes;

} // namespace

// The linker puts this in front of clang's own (--wrap).
QualType make_specialisation(const ASTContext *context, clang::TemplateName name,
                             Arguments arguments, QualType canonical) {
  if (!arguments.empty() && !canonical.isNull() && sizes.of(canonical) > largest) {
    clang::DiagnosticsEngine &diagnostics = context->getDiagnostics();
    report_error(diagnostics, arguments.front().getLocation(),
                 "written out, this type has more than " + llvm::Twine(largest) +
                     " template arguments");
    end_quietly(diagnostics);
  }
  return make_in_clang(context, name, arguments, canonical);
}

TypeSizes::TypeSizes() {
  sizes = Sizes();
}

TypeSizes::~TypeSizes() {
  sizes = Sizes();
}

} // namespace hostmetal::frontend
