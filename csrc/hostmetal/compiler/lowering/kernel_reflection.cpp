#include "hostmetal/compiler/lowering/kernel_reflection.hpp"

#include "hostmetal/compiler/lowering/data_types.hpp"
#include "hostmetal/compiler/lowering/kernel_error.hpp"
#include "hostmetal/compiler/lowering/metadata_reader.hpp"
#include "hostmetal/image/abi.h"

#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <utility>

using namespace llvm;

namespace hostmetal::lowering {
namespace {

constexpr unsigned constant_address_space = 2;
constexpr unsigned threadgroup_address_space = 3;
/// Deeper nesting than any struct has; a cycle in broken metadata ends here.
constexpr unsigned max_struct_depth = 32;

std::optional<Builtin> builtin_of(StringRef word) {
  return StringSwitch<std::optional<Builtin>>(word)
      .Case("air.thread_position_in_grid", Builtin::thread_position_in_grid)
      .Cases("air.threads_per_grid", "air.grid_size", Builtin::threads_per_grid)
      .Case("air.grid_origin", Builtin::grid_origin)
      .Case("air.thread_position_in_threadgroup", Builtin::thread_position_in_threadgroup)
      .Case("air.thread_index_in_threadgroup", Builtin::thread_index_in_threadgroup)
      .Case("air.threads_per_threadgroup", Builtin::threads_per_threadgroup)
      .Case("air.dispatch_threads_per_threadgroup", Builtin::dispatch_threads_per_threadgroup)
      .Case("air.threadgroup_position_in_grid", Builtin::threadgroup_position_in_grid)
      .Case("air.threadgroups_per_grid", Builtin::threadgroups_per_grid)
      .Case("air.thread_index_in_simdgroup", Builtin::thread_index_in_simdgroup)
      .Case("air.simdgroup_index_in_threadgroup", Builtin::simdgroup_index_in_threadgroup)
      .Case("air.simdgroups_per_threadgroup", Builtin::simdgroups_per_threadgroup)
      .Case("air.dispatch_simdgroups_per_threadgroup", Builtin::dispatch_simdgroups_per_threadgroup)
      .Cases("air.threads_per_simdgroup", "air.thread_execution_width",
             Builtin::threads_per_simdgroup)
      .Case("air.thread_index_in_quadgroup", Builtin::thread_index_in_quadgroup)
      .Case("air.quadgroup_index_in_threadgroup", Builtin::quadgroup_index_in_threadgroup)
      .Case("air.quadgroups_per_threadgroup", Builtin::quadgroups_per_threadgroup)
      .Case("air.dispatch_quadgroups_per_threadgroup", Builtin::dispatch_quadgroups_per_threadgroup)
      .Default(std::nullopt);
}

image::Access access_of(StringRef word) {
  return StringSwitch<image::Access>(word)
      .Case("air.read_write", image::Access::read_write)
      .Case("air.write", image::Access::write_only)
      .Default(image::Access::read_only);
}

std::vector<image::Member> read_members(const MDNode *node, unsigned depth);

/// Reads what an argument buffer's member is: its index, then keys as of a kernel's argument.
void read_member_argument(const MDNode *node, unsigned depth, image::Member &member) {
  MetadataReader reader(node);
  member.argument_index = static_cast<uint32_t>(reader.integer().value_or(0));
  bool is_pointer = false;
  image::Pointee pointee; // once it is known to be a pointer
  while (!reader.at_end()) {
    std::optional<StringRef> word = reader.string();
    if (!word) {
      reader.skip();
    } else if (*word == "air.buffer" || *word == "air.indirect_buffer") {
      is_pointer = true;
      pointee.is_argument_buffer = *word == "air.indirect_buffer";
    } else if (*word == "air.visible_function_table") {
      member.data_type = function_table_type;
    } else if (*word == "air.read" || *word == "air.read_write" || *word == "air.write") {
      pointee.access = access_of(*word);
    } else if (*word == "air.struct_type_info") {
      pointee.members = read_members(reader.node(), depth);
    } else if (*word == "air.arg_type_size") {
      pointee.size = reader.integer().value_or(0);
    } else if (*word == "air.arg_type_align_size") {
      pointee.alignment = reader.integer().value_or(0);
    } else if (*word == "air.arg_name") {
      reader.skip(); // it may read like a key
    }
  }
  if (!is_pointer)
    return;
  pointee.data_type = std::exchange(member.data_type, pointer_type);
  member.pointee = std::move(pointee);
}

/// Members come as offset, size, array length, type name, name. "air.struct_type_info" before a
/// member leads to the members within it; "air.indirect_argument" after it says what it is in an
/// argument buffer.
std::vector<image::Member> read_members(const MDNode *node, unsigned depth) {
  std::vector<image::Member> members;
  std::vector<image::Member> inner;
  MetadataReader reader(node);
  while (!reader.at_end() && depth < max_struct_depth) {
    if (std::optional<StringRef> word = reader.string()) {
      if (*word == "air.struct_type_info") {
        inner = read_members(reader.node(), depth + 1);
      } else if (*word == "air.indirect_argument" && !members.empty()) {
        if (std::optional<uint64_t> index = reader.integer())
          members.back().argument_index = static_cast<uint32_t>(*index);
        else
          read_member_argument(reader.node(), depth + 1, members.back());
      }
      continue;
    }
    std::optional<uint64_t> offset = reader.integer(), size = reader.integer(),
                            length = reader.integer();
    std::optional<StringRef> type = reader.string(), name = reader.string();
    if (!offset || !size || !length || !type || !name) {
      reader.skip();
      continue;
    }
    members.push_back({.name = name->str(),
                       .data_type = data_type_of(*type),
                       .offset = *offset,
                       .size = *size,
                       .array_length = static_cast<uint32_t>(*length),
                       .members = std::exchange(inner, {}),
                       .pointee = {}});
  }
  return members;
}

/// The MTLTextureType of an MSL type, "texture2d_array<float, sample>"; empty for a kind of texture
/// that kernels cannot use.
std::optional<uint32_t> texture_type_of(StringRef msl_name) {
  StringRef kind = msl_name.take_until([](char c) { return c == '<'; });
  if (!kind.consume_front("depth"))
    kind.consume_front("texture");
  return StringSwitch<std::optional<uint32_t>>(kind)
      .Case("1d", 0)
      .Case("1d_array", 1)
      .Case("2d", 2)
      .Case("2d_array", 3)
      .Case("cube", 5)
      .Case("cube_array", 6)
      .Case("3d", 7)
      .Case("_buffer", 9)
      .Default(std::nullopt);
}

/// Everything that an argument node can say.
struct ArgumentNode {
  Parameter parameter;
  std::optional<image::Argument> argument;
  std::string name;
};

Expected<ArgumentNode> read_argument(const MDNode *node, StringRef kernel) {
  MetadataReader reader(node);
  ArgumentNode result;
  image::Argument argument;
  unsigned address_space = 1;
  std::optional<uint64_t> number = reader.integer();
  if (!number)
    return kernel_error("An argument of kernel \"" + kernel + "\" has no parameter number.");
  result.parameter.number = static_cast<unsigned>(*number);
  bool is_argument = false, is_function_table = false;
  uint64_t count = 1;
  while (!reader.at_end()) {
    std::optional<StringRef> word = reader.string();
    if (!word) {
      reader.skip();
      continue;
    }
    if (std::optional<Builtin> builtin = builtin_of(*word)) {
      result.parameter.builtin = builtin;
    } else if (*word == "air.buffer" || *word == "air.indirect_buffer") {
      is_argument = true;
      argument.is_argument_buffer = *word == "air.indirect_buffer";
    } else if (*word == "air.visible_function_table") {
      is_argument = is_function_table = true;
    } else if (*word == "air.texture") {
      is_argument = true;
      argument.kind = image::ArgumentKind::texture;
    } else if (*word == "air.sampler") {
      is_argument = true;
      argument.kind = image::ArgumentKind::sampler;
    } else if (*word == "air.buffer_size") {
      argument.is_reference = true;
    } else if (*word == "air.location_index") {
      argument.index = static_cast<uint32_t>(reader.integer().value_or(0));
      count = reader.integer().value_or(1);
    } else if (*word == "air.read" || *word == "air.sample" || *word == "air.read_write" ||
               *word == "air.write") {
      argument.access = access_of(*word);
    } else if (*word == "air.address_space") {
      address_space = static_cast<unsigned>(reader.integer().value_or(1));
    } else if (*word == "air.struct_type_info") {
      argument.members = read_members(reader.node(), 0);
    } else if (*word == "air.arg_type_size") {
      argument.type_size = reader.integer().value_or(0);
    } else if (*word == "air.arg_type_align_size") {
      argument.type_alignment = reader.integer().value_or(0);
    } else if (*word == "air.arg_type_name") {
      argument.type_name = reader.string().value_or("").str();
    } else if (*word == "air.arg_name") {
      result.name = argument.name = reader.string().value_or("").str();
    } else if (*word == "air.function_constant") {
      if (const MDNode *predicate = reader.node(); predicate && predicate->getNumOperands() > 0)
        result.parameter.predicate =
            mdconst::dyn_extract_or_null<GlobalVariable>(predicate->getOperand(0));
    }
  }
  if (result.parameter.builtin)
    return result;
  if (!is_argument)
    return kernel_error("The argument \"" + result.name + "\" of kernel \"" + kernel +
                        "\" is of a kind that this compiler does not know.");
  if (argument.kind == image::ArgumentKind::texture) {
    const std::optional<uint32_t> type = texture_type_of(argument.type_name);
    if (!type)
      return kernel_error("The texture \"" + result.name + "\" of kernel \"" + kernel +
                          "\" is of the type \"" + argument.type_name +
                          "\", which this device does not have.");
    argument.texture_type = *type;
    argument.is_depth = StringRef(argument.type_name).starts_with("depth");
    argument.data_type =
        data_type_of(StringRef(argument.type_name).split('<').second.split(',').first);
  }
  if (argument.kind == image::ArgumentKind::texture ||
      argument.kind == image::ArgumentKind::sampler) {
    argument.array_length = static_cast<uint32_t>(std::clamp<uint64_t>(count, 1, UINT32_MAX));
    result.argument = std::move(argument);
    return result;
  }
  argument.is_constant = address_space == constant_address_space;
  result.parameter.is_threadgroup = address_space == threadgroup_address_space;
  argument.kind = is_function_table                 ? image::ArgumentKind::function_table
                  : result.parameter.is_threadgroup ? image::ArgumentKind::threadgroup_memory
                                                    : image::ArgumentKind::buffer;
  argument.data_type = is_function_table ? function_table_type : data_type_of(argument.type_name);
  result.argument = std::move(argument);
  return result;
}

/// Attributes of the kernel itself: nodes, or words, after its list of arguments.
void read_attributes(const MDNode *kernel_node, image::Kernel &kernel) {
  auto read = [&](const MDNode *node) {
    MetadataReader reader(node);
    if (reader.string().value_or("") == "air.max_work_group_size")
      if (std::optional<uint64_t> limit = reader.integer(); limit && *limit > 0)
        kernel.max_total_threads_per_threadgroup =
            static_cast<uint32_t>(std::min<uint64_t>(*limit, HM_MAX_THREADS_PER_THREADGROUP));
  };
  for (unsigned i = 3; i < kernel_node->getNumOperands(); ++i)
    if (auto *node = dyn_cast_or_null<MDNode>(kernel_node->getOperand(i)))
      read(node);
}

} // namespace

Expected<AirKernel> reflect_kernel(std::unique_ptr<Module> module) {
  AirKernel kernel;
  const MDNode *node = module->getNamedMetadata("air.kernel")->getOperand(0);
  kernel.function = mdconst::extract<Function>(node->getOperand(0));
  StringRef name = kernel.function->getName();
  kernel.reflection.name = name.str();
  kernel.reflection.max_total_threads_per_threadgroup = HM_MAX_THREADS_PER_THREADGROUP;
  if (!kernel.function->getReturnType()->isVoidTy())
    return kernel_error("The kernel \"" + name + "\" returns a value.");

  SmallBitVector described(kernel.function->arg_size());
  if (auto *arguments = dyn_cast_or_null<MDNode>(node->getOperand(2)))
    for (const MDOperand &operand : arguments->operands()) {
      auto *argument_node = dyn_cast_or_null<MDNode>(operand.get());
      if (!argument_node)
        continue;
      Expected<ArgumentNode> read = read_argument(argument_node, name);
      if (!read)
        return read.takeError();
      if (read->parameter.number >= described.size() || described.test(read->parameter.number))
        return kernel_error("Argument \"" + read->name + "\" of kernel \"" + name +
                            "\" names parameter " + Twine(read->parameter.number) +
                            ", which is taken or not among its " + Twine(described.size()) + ".");
      described.set(read->parameter.number);
      if (read->argument) {
        read->parameter.slot = static_cast<uint32_t>(kernel.reflection.arguments.size());
        kernel.reflection.arguments.push_back(std::move(*read->argument));
      }
      kernel.parameters.push_back(read->parameter);
    }
  if (!described.all())
    return kernel_error("The metadata of kernel \"" + name + "\" describes " +
                        Twine(described.count()) + " of its " + Twine(described.size()) +
                        " parameters.");
  read_attributes(node, kernel.reflection);
  kernel.module = std::move(module);
  return kernel;
}

} // namespace hostmetal::lowering
