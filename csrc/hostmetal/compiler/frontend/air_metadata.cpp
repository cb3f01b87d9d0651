#include "hostmetal/compiler/frontend/air_metadata.hpp"

#include "hostmetal/compiler/frontend/argument_buffer.hpp"
#include "hostmetal/compiler/frontend/type_names.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace hostmetal::frontend {
namespace {

// AIR version that Metal 3.2 is compiled to.
constexpr uint64_t air_version[] = {2, 7, 0};
// Members of one argument, after which no struct behind a pointer is described: a chain of structs
// with two pointers each to the next doubles them at each step.
constexpr size_t max_described_members = 4096;

} // namespace

AirMetadata::AirMetadata(llvm::Module &module, const clang::ASTContext &context,
                         const ConstantGlobals &constants)
    : module_(module), llvm_(module.getContext()), context_(context), constants_(constants) {}

llvm::Metadata *AirMetadata::text(llvm::StringRef value) {
  return llvm::MDString::get(llvm_, value);
}

llvm::Metadata *AirMetadata::integer(uint64_t value) {
  return llvm::ConstantAsMetadata::get(
      llvm::ConstantInt::get(llvm::Type::getInt32Ty(llvm_), value));
}

void AirMetadata::add_function(const KernelSignature &kernel, llvm::Function &entry) {
  llvm::MDNode *none = llvm::MDNode::get(llvm_, {});
  std::vector<llvm::Metadata *> arguments;
  for (const ArgumentSignature &argument : kernel.arguments)
    arguments.push_back(argument_node(argument, static_cast<unsigned>(arguments.size())));
  std::vector<llvm::Metadata *> node{llvm::ConstantAsMetadata::get(&entry), none,
                                     llvm::MDNode::get(llvm_, arguments)};
  if (kernel.max_total_threads_per_threadgroup)
    node.push_back(llvm::MDNode::get(llvm_, {text("air.max_work_group_size"),
                                             integer(kernel.max_total_threads_per_threadgroup)}));
  module_.getOrInsertNamedMetadata(kernel.is_kernel ? "air.kernel" : "air.visible")
      ->addOperand(llvm::MDNode::get(llvm_, node));
}

llvm::MDNode *AirMetadata::argument_node(const ArgumentSignature &argument, unsigned number) {
  std::vector<llvm::Metadata *> keys{integer(number)};
  described_members_ = 0;
  if (argument.predicate)
    if (llvm::MDNode *constant = constants_.node(argument.predicate)) {
      keys.push_back(text("air.function_constant"));
      keys.push_back(constant);
    }
  switch (argument.kind) {
  case ArgumentKind::buffer:
  case ArgumentKind::threadgroup_memory:
    add_buffer(argument, keys);
    break;
  case ArgumentKind::texture:
    add_texture(argument, keys);
    break;
  case ArgumentKind::sampler:
    keys.push_back(text("air.sampler"));
    add_location(argument.index, std::max(argument.array_length, 1u), keys);
    break;
  case ArgumentKind::function_table:
    add_function_table(argument.index, 1, keys);
    break;
  case ArgumentKind::thread_value:
    keys.push_back(text("air." + argument.thread_attribute));
    break;
  }
  const clang::QualType type = argument.parameter->getType();
  keys.push_back(text("air.arg_type_name"));
  keys.push_back(
      text(msl_type_name(argument.array_length ? array_shape(type, context_).element : type)));
  keys.push_back(text("air.arg_name"));
  keys.push_back(text(argument.parameter->getName()));
  return llvm::MDNode::get(llvm_, keys);
}

void AirMetadata::add_location(uint64_t index, uint64_t count,
                               std::vector<llvm::Metadata *> &keys) {
  keys.push_back(text("air.location_index"));
  keys.push_back(integer(index));
  keys.push_back(integer(count));
}

void AirMetadata::add_buffer(const ArgumentSignature &argument,
                             std::vector<llvm::Metadata *> &keys) {
  const clang::QualType type = argument.parameter->getType();
  const clang::QualType pointee = type->getPointeeType();
  keys.push_back(
      text(is_argument_buffer(pointee, context_) ? "air.indirect_buffer" : "air.buffer"));
  if (type->isReferenceType()) {
    keys.push_back(text("air.buffer_size"));
    keys.push_back(integer(context_.getTypeSizeInChars(pointee).getQuantity()));
  }
  add_location(argument.index, 1, keys);
  add_pointee(pointee, argument.address_space, keys);
}

void AirMetadata::add_pointee(clang::QualType pointee, uint32_t address_space,
                              std::vector<llvm::Metadata *> &keys) {
  keys.push_back(text(pointee.isConstQualified() ? "air.read" : "air.read_write"));
  keys.push_back(text("air.address_space"));
  keys.push_back(integer(address_space));
  if (pointee->isIncompleteType())
    return;
  // A list's node points to another of its kind, which is described once.
  const clang::CXXRecordDecl *record = reflected_struct(array_shape(pointee, context_).element);
  if (record && !open_structs_.contains(record) && described_members_ < max_described_members) {
    keys.push_back(text("air.struct_type_info"));
    keys.push_back(struct_node(*record));
  }
  keys.push_back(text("air.arg_type_size"));
  keys.push_back(integer(context_.getTypeSizeInChars(pointee).getQuantity()));
  keys.push_back(text("air.arg_type_align_size"));
  keys.push_back(integer(context_.getTypeAlignInChars(pointee).getQuantity()));
}

void AirMetadata::add_function_table(uint64_t index, uint64_t count,
                                     std::vector<llvm::Metadata *> &keys) {
  keys.push_back(text("air.visible_function_table"));
  add_location(index, count, keys);
  keys.push_back(text("air.read"));
}

void AirMetadata::add_texture(const ArgumentSignature &argument,
                              std::vector<llvm::Metadata *> &keys) {
  const std::string name =
      msl_type_name(array_shape(argument.parameter->getType(), context_).element);
  const llvm::StringRef access = llvm::StringRef(name).rsplit(", ").second.drop_back(1);
  keys.push_back(text("air.texture"));
  add_location(argument.index, std::max(argument.array_length, 1u), keys);
  keys.push_back(text(("air." + access).str()));
}

llvm::MDNode *AirMetadata::struct_node(const clang::CXXRecordDecl &record) {
  const clang::ASTRecordLayout &layout = context_.getASTRecordLayout(&record);
  const bool has_arguments = is_argument_buffer(context_.getRecordType(&record), context_);
  open_structs_.insert(&record);
  std::vector<llvm::Metadata *> members;
  for (const ArgumentMember &member : argument_members(record, context_)) {
    const uint64_t offset =
        context_.toCharUnitsFromBits(layout.getFieldOffset(member.field->getFieldIndex()))
            .getQuantity();
    const clang::CXXRecordDecl *inner = reflected_struct(member.shape.element);
    ++described_members_;
    if (inner) {
      members.push_back(text("air.struct_type_info"));
      members.push_back(struct_node(*inner));
    }
    members.push_back(integer(offset));
    members.push_back(integer(context_.getTypeSizeInChars(member.shape.element).getQuantity()));
    members.push_back(integer(member.shape.length));
    members.push_back(text(msl_type_name(member.shape.element)));
    members.push_back(text(member.field->getName()));
    if (has_arguments) {
      members.push_back(text("air.indirect_argument"));
      members.push_back(inner ? integer(member.id) : member_node(member));
    }
  }
  open_structs_.erase(&record);
  return llvm::MDNode::get(llvm_, members);
}

llvm::MDNode *AirMetadata::member_node(const ArgumentMember &member) {
  const clang::QualType type = member.shape.element;
  const uint64_t count = std::max<uint64_t>(member.shape.length, 1);
  std::vector<llvm::Metadata *> keys{integer(member.id)};
  if (type->isPointerType() || type->isReferenceType()) {
    const clang::QualType pointee = type->getPointeeType();
    keys.push_back(
        text(is_argument_buffer(pointee, context_) ? "air.indirect_buffer" : "air.buffer"));
    add_location(member.id, count, keys);
    add_pointee(pointee, air_address_space(pointee.getAddressSpace()), keys);
  } else if (metal_record(type, "visible_function_table")) {
    add_function_table(member.id, count, keys);
  } else {
    keys.push_back(text("air.indirect_constant"));
    add_location(member.id, count, keys);
  }
  keys.push_back(text("air.arg_type_name"));
  keys.push_back(text(msl_type_name(type)));
  keys.push_back(text("air.arg_name"));
  keys.push_back(text(member.field->getName()));
  return llvm::MDNode::get(llvm_, keys);
}

void AirMetadata::add_module_facts(const SourceRequest &request) {
  const auto add = [this](llvm::StringRef name, std::vector<llvm::Metadata *> values) {
    module_.getOrInsertNamedMetadata(name)->addOperand(llvm::MDNode::get(llvm_, values));
  };
  const bool is_fast = request.math_mode == MathMode::fast;
  add("air.compile_options", {text("air.compile.denorms_disable")});
  add("air.compile_options",
      {text(is_fast ? "air.compile.fast_math_enable" : "air.compile.fast_math_disable")});
  add("air.version", {integer(air_version[0]), integer(air_version[1]), integer(air_version[2])});
  add("air.language_version", {text("Metal"), integer(request.language_version >> 16),
                               integer(request.language_version & 0xffff), integer(0)});
  add("air.source_file_name", {text(request.name)});
}

} // namespace hostmetal::frontend
