#include "hostmetal/api/validation.hpp"

#include "hostmetal/image/abi.h"

#include <algorithm>
#include <limits>

namespace hostmetal::api {

namespace {

std::string quoted(std::string_view name) {
  return '"' + std::string(name) + '"';
}

std::string of_kernel(const image::Kernel &kernel) {
  return "kernel " + quoted(kernel.name);
}

/// "Buffer "x" at index 3 of kernel "k"".
std::string subject(const image::Kernel &kernel, const image::Argument &argument) {
  const char *kind = "Buffer ";
  switch (argument.kind) {
  case image::ArgumentKind::buffer:
    break;
  case image::ArgumentKind::threadgroup_memory:
    kind = "Threadgroup memory ";
    break;
  case image::ArgumentKind::texture:
    kind = "Texture ";
    break;
  case image::ArgumentKind::sampler:
    kind = "Sampler ";
    break;
  case image::ArgumentKind::function_table:
    kind = "Function table ";
    break;
  }
  return kind + quoted(argument.name) + " at index " + std::to_string(argument.index) + " of " +
         of_kernel(kernel);
}

std::string text(const Extent &size) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
         std::to_string(size[2]);
}

Problem check_buffer(const image::Kernel &kernel, const image::Argument &argument,
                     const BufferBinding &binding) {
  if (!binding.address || binding.table_kernel)
    return subject(kernel, argument) +
           (binding.address ? " is bound to a function table." : " is not bound.");
  const uint64_t available = binding.length - binding.offset;
  if (argument.is_reference && available < argument.type_size)
    return subject(kernel, argument) + " has " + std::to_string(available) +
           " bytes from its offset (" + std::to_string(binding.offset) +
           ") on, fewer than the size (" + std::to_string(argument.type_size) + ") of its type " +
           quoted(argument.type_name) + '.';
  // Metal wants offsets in the constant address space to be multiples of 4, whatever the type.
  const uint64_t alignment = std::max<uint64_t>(argument.type_alignment,
                                                argument.is_constant && !binding.is_bytes ? 4 : 1);
  if (binding.offset % alignment != 0)
    return subject(kernel, argument) + " has an offset (" + std::to_string(binding.offset) +
           ") that is not a multiple of its alignment (" + std::to_string(alignment) + ").";
  return std::nullopt;
}

// Of MTLTextureUsage.
constexpr uint64_t usage_read = 1, usage_write = 2;

/// The class of components that a texture argument takes.
image::TexelClass class_of(const image::Argument &argument) {
  switch (argument.data_type) {
  case 29: // MTLDataTypeInt
  case 37: // MTLDataTypeShort
    return image::TexelClass::sint;
  case 33: // MTLDataTypeUInt
  case 41: // MTLDataTypeUShort
    return image::TexelClass::uint;
  default:
    return argument.is_depth ? image::TexelClass::depth : image::TexelClass::floating;
  }
}

Problem check_texture(const image::Kernel &kernel, const image::Argument &argument,
                      const TextureBinding &binding) {
  if (!binding.texture)
    return subject(kernel, argument) + " is not bound.";
  if (binding.type != argument.texture_type)
    return subject(kernel, argument) + " is of the type " + quoted(argument.type_name) +
           " (MTLTextureType " + std::to_string(argument.texture_type) +
           "), and a texture of MTLTextureType " + std::to_string(binding.type) + " is bound.";
  // A depth texture may be read as one of floats.
  const image::TexelClass wanted = class_of(argument), bound = binding.format->texel_class;
  if (wanted != bound &&
      !(wanted == image::TexelClass::floating && bound == image::TexelClass::depth))
    return subject(kernel, argument) + " is of the type " + quoted(argument.type_name) +
           ", and a texture of the format " + std::string(binding.format->name) + " is bound.";
  const uint64_t needed = argument.access == image::Access::read_only    ? usage_read
                          : argument.access == image::Access::write_only ? usage_write
                                                                         : usage_read | usage_write;
  // The usage 0 is not known, and allows everything.
  if (binding.usage != 0 && (binding.usage & needed) != needed)
    return subject(kernel, argument) + " needs a texture with the usage " +
           (binding.usage & usage_read || argument.access == image::Access::write_only
                ? "MTLTextureUsageShaderWrite"
                : "MTLTextureUsageShaderRead") +
           ", and the usage of the one that is bound is " + std::to_string(binding.usage) + '.';
  return std::nullopt;
}

size_t limit_of(image::ArgumentKind kind) {
  return kind == image::ArgumentKind::texture   ? max_textures
         : kind == image::ArgumentKind::sampler ? max_samplers
                                                : max_bindings;
}

} // namespace

Problem check_range(std::string_view subject, uint64_t offset, uint64_t size, uint64_t length) {
  if (offset <= length && size <= length - offset)
    return std::nullopt;
  return std::string(subject) + " of " + std::to_string(size) + " bytes from offset " +
         std::to_string(offset) + " on goes beyond the length (" + std::to_string(length) +
         ") of its buffer.";
}

Problem check_overlap(const uint8_t *source, const uint8_t *destination, uint64_t size) {
  const uint64_t distance = source < destination ? static_cast<uint64_t>(destination - source)
                                                 : static_cast<uint64_t>(source - destination);
  if (distance >= size)
    return std::nullopt;
  return "The source and the destination of a copy of " + std::to_string(size) +
         " bytes overlap: they begin " + std::to_string(distance) + " bytes apart.";
}

Problem check_index(std::string_view kind, uint64_t index, size_t count) {
  if (index < count)
    return std::nullopt;
  return "The " + std::string(kind) + " index (" + std::to_string(index) +
         ") is larger than the largest (" + std::to_string(count - 1) + ").";
}

Problem check_array(std::string_view kinds, const void *array, uint64_t length, size_t count) {
  if (length > count)
    return "The number of " + std::string(kinds) + " (" + std::to_string(length) +
           ") is larger than the limit (" + std::to_string(count) + ").";
  if (!array && length != 0)
    return "The " + std::string(kinds) + " for " + std::to_string(length) + " indices are null.";
  return std::nullopt;
}

Problem check_offset(uint64_t index, uint64_t offset, uint64_t length) {
  if (offset <= length)
    return std::nullopt;
  return "The offset (" + std::to_string(offset) + ") at buffer index " + std::to_string(index) +
         " is beyond the length (" + std::to_string(length) + ") of the buffer.";
}

Problem check_bytes(uint64_t index, const void *bytes, uint64_t length) {
  if (!bytes || length == 0)
    return "No bytes were given for buffer index " + std::to_string(index) + '.';
  if (length > max_copied_bytes)
    return "The length (" + std::to_string(length) + ") of the bytes for buffer index " +
           std::to_string(index) + " is larger than the limit (" +
           std::to_string(max_copied_bytes) + "); use a buffer.";
  return std::nullopt;
}

Problem check_threadgroup_length(uint64_t index, uint64_t length) {
  const std::string what = "The threadgroup memory length (" + std::to_string(length) +
                           ") at index " + std::to_string(index);
  if (length % 16 != 0)
    return what + " is not a multiple of 16.";
  if (length > HM_MAX_THREADGROUP_MEMORY)
    return what + " is larger than the limit (" + std::to_string(HM_MAX_THREADGROUP_MEMORY) + ").";
  return std::nullopt;
}

Problem check_threadgroup_size(const image::Kernel &kernel, const Extent &size, uint64_t limit) {
  if (std::ranges::find(size, 0u) != size.end())
    return "The threadgroup size (" + text(size) + ") for " + of_kernel(kernel) +
           " has a dimension of 0 threads.";
  // Each dimension first: the product of three could wrap around.
  uint64_t threads = 1;
  for (const uint64_t dimension : size) {
    if (dimension > limit)
      return "Threadgroup size (" + text(size) + ") is larger than the limit (" +
             std::to_string(limit) + ") of " + of_kernel(kernel) + '.';
    threads *= dimension;
  }
  if (threads > limit)
    return "Threadgroup size (" + std::to_string(threads) + ") is larger than the limit (" +
           std::to_string(limit) + ") of " + of_kernel(kernel) + '.';
  return std::nullopt;
}

Problem check_grid(const image::Kernel &kernel, const Extent &threads) {
  constexpr uint64_t limit = std::numeric_limits<uint32_t>::max();
  if (std::ranges::max(threads) <= limit)
    return std::nullopt;
  return "The grid (" + text(threads) + " threads) of " + of_kernel(kernel) +
         " has a dimension larger than the limit (" + std::to_string(limit) + ").";
}

Problem check_function_tables(const image::Kernel &kernel, const ComputeBindings &bindings,
                              const void *table_kernel) {
  for (const image::Argument &argument : kernel.arguments) {
    if (!argument.is_active || argument.kind != image::ArgumentKind::function_table ||
        argument.index >= max_bindings)
      continue;
    const BufferBinding &binding = bindings.buffers[argument.index];
    if (!binding.address)
      return subject(kernel, argument) + " is not bound.";
    if (!binding.table_kernel)
      return subject(kernel, argument) + " is bound to a buffer.";
    if (binding.table_kernel != table_kernel)
      return subject(kernel, argument) + " is bound to a table that another pipeline made.";
  }
  return std::nullopt;
}

Problem check_arguments(const image::Kernel &kernel, const ComputeBindings &bindings) {
  uint64_t threadgroup_memory = kernel.static_threadgroup_memory;
  for (const image::Argument &argument : kernel.arguments) {
    if (!argument.is_active)
      continue;
    // Both are below 2^32.
    if (uint64_t{argument.index} + argument.array_length > limit_of(argument.kind))
      return subject(kernel, argument) + " is not a binding that this device has.";
    switch (argument.kind) {
    case image::ArgumentKind::buffer:
      if (Problem problem = check_buffer(kernel, argument, bindings.buffers[argument.index]))
        return problem;
      break;
    case image::ArgumentKind::function_table:
      break;
    case image::ArgumentKind::texture:
      for (uint32_t i = 0; i < argument.array_length; ++i) {
        const TextureBinding &binding = bindings.textures[argument.index + i];
        // A kernel may ask which of an array are there.
        if (argument.array_length > 1 && !binding.texture)
          continue;
        if (Problem problem = check_texture(kernel, argument, binding))
          return problem;
      }
      break;
    case image::ArgumentKind::sampler:
      if (argument.array_length == 1 && bindings.samplers[argument.index] == 0)
        return subject(kernel, argument) + " is not bound.";
      break;
    case image::ArgumentKind::threadgroup_memory:
      const uint32_t length = bindings.threadgroup_lengths[argument.index];
      if (length == 0)
        return subject(kernel, argument) + " has no length.";
      threadgroup_memory += length;
      break;
    }
  }
  if (threadgroup_memory > HM_MAX_THREADGROUP_MEMORY)
    return "The threadgroup memory (" + std::to_string(threadgroup_memory) + " bytes) of " +
           of_kernel(kernel) + " is larger than the limit (" +
           std::to_string(HM_MAX_THREADGROUP_MEMORY) + ").";
  return std::nullopt;
}

} // namespace hostmetal::api
