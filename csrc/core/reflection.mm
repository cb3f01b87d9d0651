#include "core/reflection.hpp"

#include "objc/strings.hpp"

#include <array>

/// What Metal's API does not tell, and some bindings do nevertheless.
@protocol MCReferenceBinding
@property (readonly) BOOL isReference; ///< `constant T &x`, one value
@end

namespace metalcore {

namespace {

/// A scalar type; Metal's vectors of 2, 3 and 4 follow it.
struct Scalar {
  MTLDataType type;
  std::string_view name;
  DType dtype;
};

constexpr std::array<Scalar, 12> scalars = {{
    {MTLDataTypeBool, "bool", DType::bool_},
    {MTLDataTypeChar, "char", DType::int8},
    {MTLDataTypeShort, "short", DType::int16},
    {MTLDataTypeInt, "int", DType::int32},
    {MTLDataTypeLong, "long", DType::int64},
    {MTLDataTypeUChar, "uchar", DType::uint8},
    {MTLDataTypeUShort, "ushort", DType::uint16},
    {MTLDataTypeUInt, "uint", DType::uint32},
    {MTLDataTypeULong, "ulong", DType::uint64},
    {MTLDataTypeHalf, "half", DType::float16},
    {MTLDataTypeBFloat, "bfloat", DType::bfloat16},
    {MTLDataTypeFloat, "float", DType::float32},
}};

std::optional<std::string> matrix_name(MTLDataType type, MTLDataType first,
                                       std::string_view element) {
  if (type < first || type > first + 8)
    return std::nullopt;
  const auto place = static_cast<unsigned>(type - first); // 2x2, 2x3, 2x4, 3x2, ...
  return std::string(element) + std::to_string(2 + place / 3) + 'x' + std::to_string(2 + place % 3);
}

Access access_of(id<MTLBinding> binding) {
  switch ([binding access]) {
  case MTLBindingAccessReadOnly:
    return Access::read_only;
  case MTLBindingAccessWriteOnly:
    return Access::write_only;
  default:
    return Access::read_write;
  }
}

Argument argument_of(id<MTLBinding> binding) {
  Argument argument;
  argument.name = objc::to_string([binding name]);
  argument.access = access_of(binding);
  argument.index = [binding index];
  argument.is_used = [binding isUsed];
  return argument;
}

/// Where nobody knows, whatever is only read may be one value.
bool is_reference(id<MTLBufferBinding> binding) {
  if ([binding respondsToSelector:@selector(isReference)])
    return [(id<MCReferenceBinding>)binding isReference];
  return [binding access] == MTLBindingAccessReadOnly;
}

void describe_buffer(id<MTLBufferBinding> binding, Argument &argument) {
  TypeDescription type = describe_type([binding bufferDataType]);
  argument.kind = ArgumentKind::buffer;
  argument.type_name = std::move(type.name);
  argument.dtype = type.dtype;
  argument.vector_width = type.vector_width;
  argument.type_size = [binding bufferDataSize];
  argument.type_alignment = [binding bufferAlignment];
  argument.is_reference = is_reference(binding);
}

void describe_threadgroup_memory(id<MTLThreadgroupBinding> binding, Argument &argument) {
  argument.kind = ArgumentKind::threadgroup_memory;
  argument.access = Access::read_write;
  argument.type_size = [binding threadgroupMemoryDataSize];
  argument.type_alignment = [binding threadgroupMemoryAlignment];
}

} // namespace

TypeDescription describe_type(MTLDataType type) {
  for (const Scalar &scalar : scalars)
    if (type >= scalar.type && type < scalar.type + 4) {
      const auto width = static_cast<std::size_t>(type - scalar.type) + 1;
      return {std::string(scalar.name) + (width > 1 ? std::to_string(width) : ""), scalar.dtype,
              width};
    }
  if (auto name = matrix_name(type, MTLDataTypeFloat2x2, "float"))
    return {*name, std::nullopt, 1};
  if (auto name = matrix_name(type, MTLDataTypeHalf2x2, "half"))
    return {*name, std::nullopt, 1};
  switch (type) {
  case MTLDataTypeNone:
    return {"void", std::nullopt, 1};
  case MTLDataTypeStruct:
    return {"struct", std::nullopt, 1};
  case MTLDataTypeArray:
    return {"array", std::nullopt, 1};
  case MTLDataTypePointer:
    return {"pointer", std::nullopt, 1};
  default:
    return {"MTLDataType " + std::to_string(type), std::nullopt, 1};
  }
}

std::optional<std::vector<Argument>> reflect(MTLComputePipelineReflection *reflection,
                                             std::string &unsupported) {
  std::vector<Argument> arguments;
  for (id<MTLBinding> binding in [reflection bindings]) {
    if (![binding isArgument])
      continue;
    Argument argument = argument_of(binding);
    switch ([binding type]) {
    case MTLBindingTypeBuffer:
      describe_buffer((id<MTLBufferBinding>)binding, argument);
      break;
    case MTLBindingTypeThreadgroupMemory:
      describe_threadgroup_memory((id<MTLThreadgroupBinding>)binding, argument);
      break;
    default:
      unsupported = argument.name;
      return std::nullopt;
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

} // namespace metalcore
