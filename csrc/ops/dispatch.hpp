#pragma once

#include "metalcore/array.hpp"

#include "ops/layout.hpp"
#include "shaders/layout.h"

#include <cstring>
#include <initializer_list>
#include <type_traits>

namespace metalcore::ops {

/// Queues a built-in kernel on the device's default queue.
void launch(const Device &device, std::string_view kernel,
            std::initializer_list<LaunchArgument> arguments, const Grid &grid);

/// A value, as an argument that is copied at launch.
template <typename T> Bytes bytes_of(const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  Bytes bytes{std::vector<std::byte>(sizeof value)};
  std::memcpy(bytes.data.data(), &value, sizeof value);
  return bytes;
}

/// The innermost three dimensions of a walk as a grid, x innermost.
Size3 grid_of(const Walk &walk);
shaders::Strides3 strides_of(const Walk &walk, std::size_t operand);
/// Elements from the first one to where a piece begins.
std::ptrdiff_t offset_of(const Piece &piece, const shaders::Strides3 &strides);
/// The binding of an array, moved by `elements`.
BufferBinding binding_at(const Array &array, std::ptrdiff_t elements);

/// The unsigned type whose kernels serve integers of this size; other types themselves.
DType unsigned_twin(DType dtype);

/// std::invalid_argument where elements share memory.
void require_writable(const Array &target);

} // namespace metalcore::ops
