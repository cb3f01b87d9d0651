#include "hostmetal/compiler/frontend/argument_buffer.hpp"

#include "hostmetal/compiler/frontend/attributes.hpp"
#include "hostmetal/compiler/frontend/diagnostics.hpp"
#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringRef.h"

#include <map>

namespace hostmetal::frontend {
namespace {

constexpr uint64_t max_id = UINT32_MAX;

bool is_resource(clang::QualType type) {
  if (type->isPointerType() || type->isReferenceType())
    return true;
  const std::string name = msl_type_name(type);
  return name == "sampler" || name == "visible_function_table" ||
         llvm::StringRef(name).starts_with("texture") || llvm::StringRef(name).starts_with("depth");
}

/// Ids that one value of a type takes.
uint64_t id_count(clang::QualType type, const clang::ASTContext &context) {
  const ArrayShape shape = array_shape(type, context);
  uint64_t count = 1;
  if (const clang::CXXRecordDecl *record = reflected_struct(shape.element)) {
    count = 0;
    for (const ArgumentMember &member : argument_members(*record, context))
      count = std::max(count, member.id + id_count(member.field->getType(), context));
  }
  return std::max<uint64_t>(shape.length, 1) * count;
}

} // namespace

ArrayShape array_shape(clang::QualType type, const clang::ASTContext &context) {
  ArrayShape shape{type, 0};
  const auto enter = [&](clang::QualType element, uint64_t length) {
    shape = {element, shape.length == 0 ? length : shape.length * length};
  };
  for (;;) {
    if (const auto *array = context.getAsConstantArrayType(shape.element)) {
      enter(array->getElementType(), array->getSize().getZExtValue());
    } else if (const clang::CXXRecordDecl *record = metal_record(shape.element, "array")) {
      const auto &arguments =
          llvm::cast<clang::ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
      enter(arguments[0].getAsType(), arguments[1].getAsIntegral().getZExtValue());
    } else {
      return shape;
    }
  }
}

const clang::CXXRecordDecl *reflected_struct(clang::QualType type) {
  if (vector_shape(type) || metal_record(type, "matrix") || is_resource(type))
    return nullptr;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->hasDefinition() && !record->isUnion() ? record->getDefinition()
                                                                 : nullptr;
}

bool is_argument_buffer(clang::QualType type, const clang::ASTContext &context) {
  const clang::QualType element = array_shape(type, context).element;
  if (is_resource(element))
    return true;
  const clang::CXXRecordDecl *record = reflected_struct(element);
  return record && llvm::any_of(record->fields(), [&](const clang::FieldDecl *field) {
           return find_attribute(*field, "id") || is_argument_buffer(field->getType(), context);
         });
}

std::vector<ArgumentMember> argument_members(const clang::CXXRecordDecl &record,
                                             const clang::ASTContext &context) {
  std::vector<ArgumentMember> members;
  uint64_t next = 0;
  for (const clang::FieldDecl *field : record.fields()) {
    if (field->isBitField() || field->getName().empty())
      continue;
    const auto *attribute = find_attribute(*field, "id");
    const uint64_t id = attribute ? integer_argument(*attribute, context).value_or(next) : next;
    members.push_back({field, array_shape(field->getType(), context), std::min(id, max_id)});
    next = members.back().id + id_count(field->getType(), context);
  }
  return members;
}

void ArgumentBufferCheck::check(clang::QualType type) {
  const clang::CXXRecordDecl *record = reflected_struct(array_shape(type, context_).element);
  if (!record || !seen_.insert(record).second)
    return;
  if (is_argument_buffer(context_.getRecordType(record), context_))
    check_ids(*record);
  for (const ArgumentMember &member : argument_members(*record, context_)) {
    const clang::QualType element = member.shape.element;
    if (!element->isPointerType() && !element->isReferenceType()) {
      check(element);
      continue;
    }
    const clang::QualType pointee = element->getPointeeType();
    const clang::LangAS space = pointee.getAddressSpace();
    if (space != clang::LangAS::sycl_global && space != clang::LangAS::sycl_global_host &&
        !pointee->isFunctionType())
      report_error(sema_.Diags, member.field->getLocation(),
                   "member '" + member.field->getName() +
                       "' of a struct in a buffer must point to the address space 'device' or "
                       "'constant'");
    else
      check(pointee);
  }
}

void ArgumentBufferCheck::check_ids(const clang::CXXRecordDecl &record) {
  // By the id after its last: the members so far, none of which share one.
  std::map<uint64_t, std::pair<uint64_t, const clang::FieldDecl *>> taken;
  for (const ArgumentMember &member : argument_members(record, context_)) {
    const auto *attribute = find_attribute(*member.field, "id");
    const clang::SourceLocation where =
        attribute ? attribute->getLocation() : member.field->getLocation();
    if (attribute && !integer_argument(*attribute, context_)) {
      report_error(sema_.Diags, where, "'id' attribute requires a non-negative integer constant");
      continue;
    }
    const uint64_t end = member.id + id_count(member.field->getType(), context_);
    if (end > max_id) {
      report_error(sema_.Diags, where,
                   "'id' " + llvm::Twine(member.id) + " of member '" + member.field->getName() +
                       "' is out of range: it must be below " + llvm::Twine(max_id));
      continue;
    }
    const auto other = taken.upper_bound(member.id);
    if (other != taken.end() && other->second.first < end) {
      report_error(sema_.Diags, where,
                   "'id' " + llvm::Twine(std::max(member.id, other->second.first)) +
                       " is used by more than one member");
      report_note(sema_.Diags, other->second.second->getLocation(), "the other member is here");
    }
    if (end > member.id)
      taken.try_emplace(end, member.id, member.field);
  }
}

} // namespace hostmetal::frontend
