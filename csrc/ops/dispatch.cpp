#include "ops/dispatch.hpp"

#include "core/warmup_kernels.hpp"
#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"

#include <algorithm>

namespace metalcore::ops {
namespace {

// What most programs begin with.
[[maybe_unused]] const bool registered =
    add_warmup_kernels({"fill_32", "add_float32_vv", "add_float32_vs", "multiply_float32_vv",
                        "multiply_float32_vs", "sum_short_rows_float32", "sum_rows_float32"});

} // namespace

void launch(const Device &device, std::string_view kernel,
            std::initializer_list<LaunchArgument> arguments, const Grid &grid) {
  const Pipeline pipeline = builtin_library(device).pipeline(kernel);
  Queue::default_queue(device).launch(pipeline, std::span(arguments.begin(), arguments.size()),
                                      grid);
}

Size3 grid_of(const Walk &walk) {
  Size3 grid{1, 1, 1};
  const std::size_t rank = walk.shape.size();
  for (std::size_t i = 0; i < std::min<std::size_t>(rank, 3); ++i) {
    grid[i] = walk.shape[rank - 1 - i];
  }
  return grid;
}

shaders::Strides3 strides_of(const Walk &walk, std::size_t operand) {
  const Strides &strides = walk.strides[operand];
  const std::size_t rank = strides.size();
  const auto stride = [&](std::size_t i) {
    return i < rank ? static_cast<int64_t>(strides[rank - 1 - i]) : int64_t{0};
  };
  // One element alone counts as contiguous.
  return {rank == 0 ? 1 : stride(0), stride(1), stride(2)};
}

std::ptrdiff_t offset_of(const Piece &piece, const shaders::Strides3 &strides) {
  return static_cast<std::ptrdiff_t>(piece.origin[0]) * strides.x +
         static_cast<std::ptrdiff_t>(piece.origin[1]) * strides.y +
         static_cast<std::ptrdiff_t>(piece.origin[2]) * strides.z;
}

BufferBinding binding_at(const Array &array, std::ptrdiff_t elements) {
  const auto first = static_cast<std::ptrdiff_t>(array.offset()) + elements;
  return {array.buffer(), static_cast<std::size_t>(first) * item_size(array.dtype())};
}

DType unsigned_twin(DType dtype) {
  switch (dtype) {
  case DType::int8:
    return DType::uint8;
  case DType::int16:
    return DType::uint16;
  case DType::int32:
    return DType::uint32;
  case DType::int64:
    return DType::uint64;
  default:
    return dtype;
  }
}

void require_writable(const Array &target) {
  if (!target.is_writable()) {
    throw std::invalid_argument("A broadcast view of shape " + shape_text(target.shape()) +
                                " cannot be written: its elements share memory.");
  }
}

} // namespace metalcore::ops
