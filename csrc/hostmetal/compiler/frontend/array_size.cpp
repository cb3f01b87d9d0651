// Large arrays of objects that have a constructor. clang takes a value for each of them when it
// sees whether the initial value is a constant: for 2^31 objects, more memory than there is. The
// linker puts this in front of clang's own function for variables without an initial value
// (--wrap).
#include "hostmetal/compiler/frontend/diagnostics.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Sema.h"

#define ACT_ON_UNINITIALISED "_ZN5clang4Sema22ActOnUninitializedDeclEPNS_4DeclE"

namespace hostmetal::frontend {

void act_in_clang(clang::Sema *sema, clang::Decl *declaration) asm("__real_" ACT_ON_UNINITIALISED);
void act_on_uninitialised(clang::Sema *sema,
                          clang::Decl *declaration) asm("__wrap_" ACT_ON_UNINITIALISED);

namespace {

/// As many as the steps that one constant expression may take.
constexpr uint64_t most_objects = 1 << 20;

/// 0: not one of those arrays.
uint64_t constructed_objects(const clang::VarDecl &variable, const clang::ASTContext &context) {
  const clang::ConstantArrayType *array = context.getAsConstantArrayType(variable.getType());
  if (!array || variable.getType()->isDependentType())
    return 0;
  const auto *record = context.getBaseElementType(array)->getAsCXXRecordDecl();
  const bool is_constructed =
      record && record->hasDefinition() && !record->hasTrivialDefaultConstructor();
  return is_constructed ? context.getConstantArrayElementCount(array) : 0;
}

} // namespace

void act_on_uninitialised(clang::Sema *sema, clang::Decl *declaration) {
  auto *variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration);
  if (variable && constructed_objects(*variable, sema->Context) > most_objects) {
    report_error(sema->Diags, variable->getLocation(),
                 llvm::Twine("the array '") + variable->getName() + "' has more than " +
                     llvm::Twine(most_objects) + " objects with a constructor");
    variable->setInvalidDecl();
    return;
  }
  act_in_clang(sema, declaration);
}

} // namespace hostmetal::frontend
