#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

namespace hostmetal::frontend {
namespace {

const clang::ClassTemplateSpecializationDecl *metal_template(clang::QualType type) {
  const auto *record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record || !record->getDeclContext()->getRedeclContext()->isNamespace())
    return nullptr;
  const auto *space =
      llvm::cast<clang::NamespaceDecl>(record->getDeclContext()->getRedeclContext());
  return space->getName() == "metal" ? record : nullptr;
}

clang::QualType type_argument(const clang::ClassTemplateSpecializationDecl &record, unsigned n) {
  const auto &arguments = record.getTemplateArgs();
  return n < arguments.size() && arguments[n].getKind() == clang::TemplateArgument::Type
             ? arguments[n].getAsType()
             : clang::QualType();
}

unsigned integer_argument(const clang::ClassTemplateSpecializationDecl &record, unsigned n) {
  const auto &arguments = record.getTemplateArgs();
  return n < arguments.size() && arguments[n].getKind() == clang::TemplateArgument::Integral
             ? static_cast<unsigned>(arguments[n].getAsIntegral().getZExtValue())
             : 0;
}

std::string builtin_name(const clang::BuiltinType &type) {
  switch (type.getKind()) {
  case clang::BuiltinType::Bool:
    return "bool";
  case clang::BuiltinType::Char_S:
  case clang::BuiltinType::Char_U:
  case clang::BuiltinType::SChar:
    return "char";
  case clang::BuiltinType::UChar:
    return "uchar";
  case clang::BuiltinType::Short:
    return "short";
  case clang::BuiltinType::UShort:
    return "ushort";
  case clang::BuiltinType::Int:
    return "int";
  case clang::BuiltinType::UInt:
    return "uint";
  case clang::BuiltinType::Long:
  case clang::BuiltinType::LongLong:
    return "long";
  case clang::BuiltinType::ULong:
  case clang::BuiltinType::ULongLong:
    return "ulong";
  case clang::BuiltinType::Float:
    return "float";
  case clang::BuiltinType::Float16:
    return "half";
  case clang::BuiltinType::BFloat16:
    return "bfloat";
  case clang::BuiltinType::Void:
    return "void";
  default:
    return type.getName(clang::PrintingPolicy(clang::LangOptions())).str();
  }
}

std::string builtin_code(const clang::BuiltinType &type) {
  return llvm::StringSwitch<std::string>(builtin_name(type))
      .Case("bool", "b")
      .Case("char", "c")
      .Case("uchar", "h")
      .Case("short", "s")
      .Case("ushort", "t")
      .Case("int", "i")
      .Case("uint", "j")
      .Case("long", "l")
      .Case("ulong", "m")
      .Case("float", "f")
      .Case("half", "Dh")
      .Case("bfloat", "DF16b")
      .Default("");
}

std::string access_name(unsigned access) {
  constexpr const char *names[] = {"sample", "read", "write", "read_write"};
  return access < std::size(names) ? names[access] : "sample";
}

} // namespace

const clang::CXXRecordDecl *metal_record(clang::QualType type, llvm::StringRef name) {
  const auto *record = metal_template(type.getCanonicalType());
  return record && record->getName() == name ? record : nullptr;
}

std::optional<VectorShape> vector_shape(clang::QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (type->isBuiltinType() && type->isArithmeticType())
    return VectorShape{type, 1, false};
  const auto *record = metal_template(type);
  if (record && (record->getName() == "vec" || record->getName() == "packed_vec"))
    return VectorShape{type_argument(*record, 0).getCanonicalType(), integer_argument(*record, 1),
                       record->getName() == "packed_vec"};
  return std::nullopt;
}

std::string msl_type_name(clang::QualType type) {
  type = type.getCanonicalType().getUnqualifiedType();
  if (const auto *builtin = type->getAs<clang::BuiltinType>())
    return builtin_name(*builtin);
  if (const auto *enumeration = type->getAs<clang::EnumType>())
    return enumeration->getDecl()->getQualifiedNameAsString();
  if (type->isPointerType() || type->isReferenceType())
    return msl_type_name(type->getPointeeType());
  if (const auto *array = type->getAsArrayTypeUnsafe())
    return msl_type_name(array->getElementType());
  if (const auto shape = vector_shape(type))
    return (shape->is_packed ? "packed_" : "") + msl_type_name(shape->element) +
           std::to_string(shape->count);
  if (const auto *record = metal_template(type)) {
    const llvm::StringRef name = record->getName();
    if (name == "matrix")
      return msl_type_name(type_argument(*record, 0)) +
             std::to_string(integer_argument(*record, 1)) + "x" +
             std::to_string(integer_argument(*record, 2));
    if (name == "visible_function_table")
      return name.str();
    if (name.starts_with("texture") || name.starts_with("depth"))
      return name.str() + "<" + msl_type_name(type_argument(*record, 0)) + ", " +
             access_name(integer_argument(*record, 1)) + ">";
  }
  if (const auto *record = type->getAsCXXRecordDecl()) {
    const std::string name = record->getQualifiedNameAsString();
    return name == "metal::sampler" ? "sampler" : name;
  }
  return type.getAsString();
}

std::string type_code(clang::QualType type) {
  const auto shape = vector_shape(type);
  if (!shape || shape->is_packed)
    return {};
  const auto *builtin = shape->element->getAs<clang::BuiltinType>();
  const std::string element = builtin ? builtin_code(*builtin) : std::string();
  if (shape->count == 1 || element.empty())
    return element;
  return "Dv" + std::to_string(shape->count) + "_" + element;
}

} // namespace hostmetal::frontend
