#include "ops/dispatch.hpp"

#include <algorithm>

namespace metalcore {
namespace {

using ops::launch;

/// Rows up to this length are summed by one thread each.
constexpr std::size_t short_row = 1024;
/// Elements of a longer row that one threadgroup sums: enough for its barriers not to count.
constexpr std::size_t block_length = 32768;
/// Elements of a column that one thread adds in sequence.
constexpr std::size_t chunk_length = 256;

DType accumulator_of(DType dtype) {
  switch (dtype_kind(dtype)) {
  case DTypeKind::boolean:
  case DTypeKind::signed_integer:
    return DType::int64;
  case DTypeKind::unsigned_integer:
    return DType::uint64;
  case DTypeKind::real:
    return DType::float32;
  case DTypeKind::complex:
    return DType::complex64;
  }
  throw std::logic_error("unknown kind");
}

std::string kernel_name(std::string_view function, DType dtype) {
  // Sums of int64 wrap as those of uint64 do.
  return std::string(function) + "_" +
         std::string(dtype_name(dtype == DType::int64 ? DType::uint64 : dtype));
}

/// [rows, length] to [rows, blocks]: one step nearer to one element per row.
Array sum_rows(const Array &input, std::size_t rows, std::size_t length) {
  const DType dtype = accumulator_of(input.dtype());
  const std::size_t blocks = length <= short_row ? 1 : (length + block_length - 1) / block_length;
  const Array output = empty(input.device(), {rows, blocks}, dtype);
  const Bytes layout = ops::bytes_of(shaders::RowSumLayout{length, block_length, blocks});
  constexpr std::size_t group = METALCORE_SUM_GROUP;
  for (const ops::Piece &piece : ops::split({rows, 1, 1}, ops::max_grid_extent)) {
    const std::size_t row = piece.origin[0];
    const BufferBinding to = ops::binding_at(output, static_cast<std::ptrdiff_t>(row * blocks));
    const BufferBinding from = ops::binding_at(input, static_cast<std::ptrdiff_t>(row * length));
    if (length <= short_row) {
      launch(input.device(), kernel_name("sum_short_rows", input.dtype()), {to, from, layout},
             {piece.extent, {}});
    } else {
      launch(input.device(), kernel_name("sum_rows", input.dtype()), {to, from, layout},
             {{blocks * group, piece.extent[0], 1}, Size3{group, 1, 1}});
    }
  }
  return output;
}

/// [outer, length, inner] to [outer, chunks, inner].
Array sum_columns(const Array &input, std::size_t outer, std::size_t length, std::size_t inner) {
  constexpr std::size_t lanes = METALCORE_SUM_LANES;
  const std::size_t chunks = (length + chunk_length - 1) / chunk_length;
  const Array output = empty(input.device(), {outer, chunks, inner}, accumulator_of(input.dtype()));
  const std::size_t packs = (inner + lanes - 1) / lanes;
  for (const ops::Piece &piece : ops::split({packs, 1, outer}, ops::max_grid_extent)) {
    const std::size_t column = piece.origin[0] * lanes;
    const std::size_t columns = std::min(piece.extent[0] * lanes, inner - column);
    const auto from = static_cast<std::ptrdiff_t>(piece.origin[2] * length * inner + column);
    const auto to = static_cast<std::ptrdiff_t>(piece.origin[2] * chunks * inner + column);
    launch(input.device(), kernel_name("sum_columns", input.dtype()),
           {ops::binding_at(output, to), ops::binding_at(input, from),
            ops::bytes_of(shaders::ColumnSumLayout{length, inner, columns, chunk_length, chunks})},
           {{piece.extent[0], chunks, piece.extent[2]}, {}});
  }
  return output;
}

/// Sums the middle of [outer, length, inner]; length is not 0.
Array sum_middle(Array array, std::size_t outer, std::size_t length, std::size_t inner) {
  do {
    const std::size_t step = inner == 1 ? block_length : chunk_length;
    const bool is_last = inner == 1 ? length <= block_length : length <= chunk_length;
    array = inner == 1 ? sum_rows(array, outer, length) : sum_columns(array, outer, length, inner);
    length = is_last ? 1 : (length + step - 1) / step;
  } while (length > 1);
  return array;
}

std::vector<bool> reduced_axes(const Array &array,
                               const std::optional<std::vector<int64_t>> &axes) {
  std::vector<bool> reduced(array.rank(), !axes);
  const auto rank = static_cast<int64_t>(array.rank());
  for (const int64_t axis : axes.value_or(std::vector<int64_t>{})) {
    const int64_t wrapped = axis < 0 ? axis + rank : axis;
    if (wrapped < 0 || wrapped >= rank) {
      throw std::out_of_range("Axis " + std::to_string(axis) +
                              " is out of bounds for an array of " + std::to_string(rank) +
                              " dimensions.");
    }
    if (reduced[static_cast<std::size_t>(wrapped)]) {
      throw std::invalid_argument("Axis " + std::to_string(axis) + " is given twice.");
    }
    reduced[static_cast<std::size_t>(wrapped)] = true;
  }
  return reduced;
}

} // namespace

Array sum(const Array &array, const std::optional<std::vector<int64_t>> &axes, bool keepdims) {
  const std::vector<bool> reduced = reduced_axes(array, axes);
  Shape kept;
  Shape result_shape;
  for (std::size_t i = 0; i < array.rank(); ++i) {
    kept.push_back(reduced[i] ? 1 : array.shape()[i]);
    if (!reduced[i] || keepdims) {
      result_shape.push_back(kept.back());
    }
  }
  const DType accumulator = accumulator_of(array.dtype());
  const DType dtype = dtype_kind(array.dtype()) == DTypeKind::real ? array.dtype() : accumulator;
  if (array.size() == 0 || ops::element_count(kept) == 0) {
    return full(array.device(), result_shape, int64_t{0}, dtype);
  }
  Array partial = contiguous(array);
  Shape shape = array.shape();
  // Neighbouring axes go together, the innermost first.
  for (std::size_t end = array.rank(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && reduced[begin - 1] == reduced[end - 1]) {
      --begin;
    }
    if (reduced[begin]) {
      const auto at = [&](std::size_t i) { return shape.begin() + static_cast<std::ptrdiff_t>(i); };
      const auto product = [&](std::size_t from, std::size_t to) {
        return ops::element_count(Shape(at(from), at(to)));
      };
      partial =
          sum_middle(partial, product(0, begin), product(begin, end), product(end, shape.size()));
      std::fill(at(begin), at(end), 1);
    }
    end = begin;
  }
  Array typed = astype(partial, dtype);
  if (typed.buffer() == array.buffer()) { // nothing was summed
    typed = copy(typed);
  }
  return Array(typed.buffer(), dtype, result_shape, ops::contiguous_strides(result_shape),
               typed.offset());
}

} // namespace metalcore
