#pragma once

#include "metalcore/array.hpp"

#include <string>

namespace metalcore::ops {

std::string shape_text(const Shape &shape); ///< "(2, 3)"
std::size_t element_count(const Shape &shape);
Strides contiguous_strides(const Shape &shape);
/// Strides with which an array runs through `shape`: 0 where it repeats. std::invalid_argument when
/// it does not broadcast to it.
Strides broadcast_strides(const Array &array, const Shape &shape);

/// One walk through several operands, with as few dimensions as they allow together.
struct Walk {
  Shape shape;
  std::vector<Strides> strides; ///< of each operand
};
/// Drops dimensions of one element and merges neighbours that every operand runs through as one.
Walk collapse(const Shape &shape, const std::vector<Strides> &strides);

/// A part of a grid that one launch may cover.
struct Piece {
  Size3 origin;
  Size3 extent;
};
/// Cuts a grid so that no extent is above `limit`; nothing for an empty grid.
std::vector<Piece> split(const Size3 &grid, std::size_t limit);
/// Thread positions are 32 bits wide.
inline constexpr std::size_t max_grid_extent = std::size_t{1} << 31;

/// Whether writing `target` in parallel could change what is yet to be read of `source`. False
/// where they are the same elements in the same order.
bool conflicts(const Array &target, const Array &source);

} // namespace metalcore::ops
