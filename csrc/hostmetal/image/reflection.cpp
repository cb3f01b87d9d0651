#include "hostmetal/image/reflection.hpp"

#include "hostmetal/image/bytes.hpp"

namespace hostmetal::image {
namespace {

// Each form starts with its own tag; the low byte is the version of that form. A new version of the
// kernel's also raises HM_ABI_VERSION, since images hold both.
constexpr uint32_t library_form = 0x484D4C01; // "HML", 1
constexpr uint32_t kernel_form = 0x484D4B03;  // "HMK", 3

// clang's own limit on nested brackets; bounds the reader's recursion.
constexpr unsigned max_member_depth = 256;

// The smallest serialised sizes, for ByteReader::count.
constexpr size_t min_member_size = 4 + 4 + 8 + 8 + 4 + 4 + 4 + 1;
constexpr size_t min_argument_size = 4 + 1 + 1 + 4 + 4 + 4 + 8 + 8 + 1 + 1 + 1 + 1 + 4 + 4 + 1 + 4;
constexpr size_t min_constant_size = 4 + 4 + 4 + 1;
constexpr size_t min_function_size = 4 + 1 + 4;

void write(ByteWriter &out, const Pointee &pointee);

void write(ByteWriter &out, const std::vector<Member> &members) {
  out.number<uint32_t>(static_cast<uint32_t>(members.size()));
  for (const Member &member : members) {
    out.text(member.name);
    out.number(member.data_type);
    out.number(member.offset);
    out.number(member.size);
    out.number(member.array_length);
    write(out, member.members);
    out.number(member.argument_index);
    out.flag(member.pointee.has_value());
    if (member.pointee)
      write(out, *member.pointee);
  }
}

void write(ByteWriter &out, const Pointee &pointee) {
  out.number(pointee.data_type);
  out.number(static_cast<uint8_t>(pointee.access));
  out.number(pointee.size);
  out.number(pointee.alignment);
  out.flag(pointee.is_argument_buffer);
  write(out, pointee.members);
}

std::vector<Member> read_members(ByteReader &in, unsigned depth);

Pointee read_pointee(ByteReader &in, unsigned depth) {
  Pointee pointee;
  pointee.data_type = in.number<uint32_t>();
  pointee.access = in.enumeration(Access::write_only);
  pointee.size = in.number<uint64_t>();
  pointee.alignment = in.number<uint64_t>();
  pointee.is_argument_buffer = in.flag();
  pointee.members = read_members(in, depth);
  return pointee;
}

std::vector<Member> read_members(ByteReader &in, unsigned depth) {
  if (depth > max_member_depth) {
    in.fail();
    return {};
  }
  std::vector<Member> members(in.count(min_member_size));
  for (Member &member : members) {
    if (in.failed())
      break;
    member.name = in.text();
    member.data_type = in.number<uint32_t>();
    member.offset = in.number<uint64_t>();
    member.size = in.number<uint64_t>();
    member.array_length = in.number<uint32_t>();
    member.members = read_members(in, depth + 1);
    member.argument_index = in.number<uint32_t>();
    if (in.flag())
      member.pointee = read_pointee(in, depth + 1);
  }
  return members;
}

void write(ByteWriter &out, const Argument &argument) {
  out.text(argument.name);
  out.number(static_cast<uint8_t>(argument.kind));
  out.number(static_cast<uint8_t>(argument.access));
  out.number(argument.index);
  out.text(argument.type_name);
  out.number(argument.data_type);
  out.number(argument.type_size);
  out.number(argument.type_alignment);
  out.flag(argument.is_constant);
  out.flag(argument.is_reference);
  out.flag(argument.is_active);
  out.flag(argument.is_argument_buffer);
  write(out, argument.members);
  out.number(argument.texture_type);
  out.flag(argument.is_depth);
  out.number(argument.array_length);
}

Argument read_argument(ByteReader &in) {
  Argument argument;
  argument.name = in.text();
  argument.kind = in.enumeration(ArgumentKind::function_table);
  argument.access = in.enumeration(Access::write_only);
  argument.index = in.number<uint32_t>();
  argument.type_name = in.text();
  argument.data_type = in.number<uint32_t>();
  argument.type_size = in.number<uint64_t>();
  argument.type_alignment = in.number<uint64_t>();
  argument.is_constant = in.flag();
  argument.is_reference = in.flag();
  argument.is_active = in.flag();
  argument.is_argument_buffer = in.flag();
  argument.members = read_members(in, 0);
  argument.texture_type = in.number<uint32_t>();
  argument.is_depth = in.flag();
  argument.array_length = in.number<uint32_t>();
  return argument;
}

void write(ByteWriter &out, const Function &function) {
  out.text(function.name);
  out.number(static_cast<uint8_t>(function.kind));
  out.number(static_cast<uint32_t>(function.constants.size()));
  for (const FunctionConstant &constant : function.constants) {
    out.text(constant.name);
    out.number(constant.index);
    out.number(constant.data_type);
    out.flag(constant.is_required);
  }
}

Function read_function(ByteReader &in) {
  Function function;
  function.name = in.text();
  function.kind = in.enumeration(Function::Kind::visible);
  function.constants.resize(in.count(min_constant_size));
  for (FunctionConstant &constant : function.constants) {
    if (in.failed())
      break;
    constant.name = in.text();
    constant.index = in.number<uint32_t>();
    constant.data_type = in.number<uint32_t>();
    constant.is_required = in.flag();
  }
  return function;
}

} // namespace

std::string serialise(const Library &library) {
  ByteWriter out;
  out.number(library_form);
  out.number(static_cast<uint32_t>(library.functions.size()));
  for (const Function &function : library.functions)
    write(out, function);
  return out.take();
}

std::string serialise(const Kernel &kernel) {
  ByteWriter out;
  out.number(kernel_form);
  out.text(kernel.name);
  out.number(static_cast<uint32_t>(kernel.arguments.size()));
  for (const Argument &argument : kernel.arguments)
    write(out, argument);
  out.number(kernel.static_threadgroup_memory);
  out.number(kernel.max_total_threads_per_threadgroup);
  out.flag(kernel.has_barriers);
  out.flag(kernel.has_simd_operations);
  out.flag(kernel.regroupable);
  return out.take();
}

std::optional<Library> parse_library(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  if (in.number<uint32_t>() != library_form)
    return std::nullopt;
  Library library;
  const uint32_t count = in.count(min_function_size);
  library.functions.reserve(count);
  for (uint32_t i = 0; i < count && !in.failed(); ++i)
    library.functions.push_back(read_function(in));
  if (!in.complete())
    return std::nullopt;
  return library;
}

std::optional<Kernel> parse_kernel(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  if (in.number<uint32_t>() != kernel_form)
    return std::nullopt;
  Kernel kernel;
  kernel.name = in.text();
  const uint32_t count = in.count(min_argument_size);
  kernel.arguments.reserve(count);
  for (uint32_t i = 0; i < count && !in.failed(); ++i)
    kernel.arguments.push_back(read_argument(in));
  kernel.static_threadgroup_memory = in.number<uint32_t>();
  kernel.max_total_threads_per_threadgroup = in.number<uint32_t>();
  kernel.has_barriers = in.flag();
  kernel.has_simd_operations = in.flag();
  kernel.regroupable = in.flag();
  if (!in.complete())
    return std::nullopt;
  return kernel;
}

} // namespace hostmetal::image
