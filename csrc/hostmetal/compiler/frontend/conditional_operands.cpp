// Conditional operators whose operands are objects of one class in two address spaces. In C++ one
// of them converts to the type of the other; between address spaces clang sees no way, whereas
// Metal's compiler loads both. The linker puts this in front of clang's own check of such operators
// (--wrap), so that it holds for instantiated templates too.
#include "clang/Sema/Initialization.h"
#include "clang/Sema/Sema.h"

#define CHECK_CONDITIONAL_OPERANDS                                                                 \
  "_ZN5clang4Sema27CXXCheckConditionalOperandsERNS_12ActionResultIPNS_4ExprELb1EEES5_S5_"          \
  "RNS_13ExprValueKindERNS_14ExprObjectKindENS_14SourceLocationE"

namespace hostmetal::frontend {

using clang::Expr;
using clang::ExprObjectKind;
using clang::ExprResult;
using clang::ExprValueKind;
using clang::QualType;
using clang::Sema;
using clang::SourceLocation;

QualType check_in_clang(Sema *sema, ExprResult &condition, ExprResult &left, ExprResult &right,
                        ExprValueKind &value, ExprObjectKind &object,
                        SourceLocation question) asm("__real_" CHECK_CONDITIONAL_OPERANDS);
QualType check_operands(Sema *sema, ExprResult &condition, ExprResult &left, ExprResult &right,
                        ExprValueKind &value, ExprObjectKind &object,
                        SourceLocation question) asm("__wrap_" CHECK_CONDITIONAL_OPERANDS);

namespace {

bool is_object(const ExprResult &operand) {
  return operand.isUsable() && !operand.get()->isTypeDependent() &&
         operand.get()->getType()->isRecordType();
}

void load(Sema &sema, ExprResult &operand) {
  const QualType type = operand.get()->getType().getUnqualifiedType();
  operand = sema.PerformCopyInitialization(clang::InitializedEntity::InitializeTemporary(type),
                                           SourceLocation(), operand.get());
}

} // namespace

QualType check_operands(Sema *sema, ExprResult &condition, ExprResult &left, ExprResult &right,
                        ExprValueKind &value, ExprObjectKind &object, SourceLocation question) {
  if ((is_object(left) || is_object(right)) &&
      left.get()->getType().getAddressSpace() != right.get()->getType().getAddressSpace()) {
    for (ExprResult *operand : {&left, &right})
      if (is_object(*operand))
        load(*sema, *operand);
    if (left.isInvalid() || right.isInvalid())
      return QualType();
  }
  return check_in_clang(sema, condition, left, right, value, object, question);
}

} // namespace hostmetal::frontend
