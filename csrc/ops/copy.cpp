#include "ops/dispatch.hpp"
#include "ops/scalar.hpp"

#include <algorithm>

namespace metalcore {
namespace {

/// A copy under way: where elements go, and the argument from which they come, `offset` elements
/// on.
struct Copy {
  const Array &target;
  std::function<LaunchArgument(std::ptrdiff_t offset)> source;
  std::string kernel;
};

/// Runs a walk whose operands are target and source, from those elements on. Cuts it until thread
/// positions fit 32 bits.
void run(const Copy &copy, const ops::Walk &walk, std::ptrdiff_t to, std::ptrdiff_t from) {
  const std::size_t rank = walk.shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t start = 0; walk.shape[i] > ops::max_grid_extent && start < walk.shape[i];
         start += ops::max_grid_extent) {
      ops::Walk part = walk;
      part.shape[i] = std::min(ops::max_grid_extent, walk.shape[i] - start);
      const auto moved = static_cast<std::ptrdiff_t>(start);
      run(copy, part, to + moved * walk.strides[0][i], from + moved * walk.strides[1][i]);
    }
    if (walk.shape[i] > ops::max_grid_extent) {
      return;
    }
  }
  Size3 grid = ops::grid_of(walk);
  shaders::OuterDimensions outer{};
  for (std::size_t i = 2; i < rank; ++i) {
    const std::size_t dimension = rank - 1 - i;
    grid[2] = i == 2 ? walk.shape[dimension] : grid[2] * walk.shape[dimension];
    if (grid[2] > ops::max_grid_extent) {
      ops::Walk inner{{walk.shape.begin() + 1, walk.shape.end()}, {}};
      for (const Strides &strides : walk.strides) {
        inner.strides.emplace_back(strides.begin() + 1, strides.end());
      }
      for (std::size_t n = 0; n < walk.shape[0]; ++n) {
        const auto moved = static_cast<std::ptrdiff_t>(n);
        run(copy, inner, to + moved * walk.strides[0][0], from + moved * walk.strides[1][0]);
      }
      return;
    }
    outer.shape[outer.rank] = static_cast<uint32_t>(walk.shape[dimension]);
    outer.output_strides[outer.rank] = walk.strides[0][dimension];
    outer.input_strides[outer.rank] = walk.strides[1][dimension];
    ++outer.rank;
  }
  const Device device = copy.target.device();
  const BufferBinding output = ops::binding_at(copy.target, to);
  const Bytes layout =
      ops::bytes_of(shaders::CopyLayout{ops::strides_of(walk, 0), ops::strides_of(walk, 1)});
  if (rank <= 3) {
    ops::launch(device, copy.kernel, {output, copy.source(from), layout}, {grid, {}});
  } else {
    ops::launch(device, copy.kernel + "_general",
                {output, copy.source(from), layout, ops::bytes_of(outer)}, {grid, {}});
  }
}

std::string bits_of(DType dtype) {
  return std::to_string(item_size(dtype) * 8);
}

/// Elements of one data type, to where no element is read after it was written.
void copy_elements(const Array &target, const Array &source) {
  if (target.size() == 0) {
    return;
  }
  const Strides strides = ops::broadcast_strides(source, target.shape());
  run({target, [&](std::ptrdiff_t offset) { return ops::binding_at(source, offset); },
       "copy_" + bits_of(target.dtype())},
      ops::collapse(target.shape(), {target.strides(), strides}), 0, 0);
}

} // namespace

void fill(const Array &target, const Scalar &value) {
  const Bytes element{element_bytes(value, target.dtype())};
  ops::require_writable(target);
  if (target.size() == 0) {
    return;
  }
  if (!target.is_contiguous()) {
    const Strides repeat(target.rank(), 0);
    run({target, [&](std::ptrdiff_t) { return element; }, "copy_" + bits_of(target.dtype())},
        ops::collapse(target.shape(), {target.strides(), repeat}), 0, 0);
    return;
  }
  const BufferBinding binding = target.binding();
  const std::byte first = element.data.front();
  const bool is_one_byte = std::all_of(element.data.begin(), element.data.end(),
                                       [&](std::byte byte) { return byte == first; });
  if (is_one_byte && binding.offset % 4 == 0 && target.nbytes() % 4 == 0) { // as blits want it
    Queue::default_queue(target.device())
        .fill(binding, target.nbytes(), static_cast<uint8_t>(first));
    return;
  }
  for (const ops::Piece &piece : ops::split({target.size(), 1, 1}, ops::max_grid_extent)) {
    ops::launch(target.device(), "fill_" + bits_of(target.dtype()),
                {ops::binding_at(target, static_cast<std::ptrdiff_t>(piece.origin[0])), element},
                {piece.extent, {}});
  }
}

void assign(const Array &target, const Array &source) {
  ops::require_writable(target);
  if (promote(target.dtype(), source.dtype()) != target.dtype()) {
    throw DTypeError("An array of " + std::string(dtype_name(source.dtype())) +
                     " cannot be assigned to one of " + std::string(dtype_name(target.dtype())) +
                     "; convert it with astype.");
  }
  (void)ops::broadcast_strides(source, target.shape());
  Array values = astype(source, target.dtype());
  if (ops::conflicts(target, values)) {
    values = copy(values);
  }
  copy_elements(target, values);
}

Array copy(const Array &array) {
  const Array result = empty(array.device(), array.shape(), array.dtype());
  copy_elements(result, array);
  return result;
}

Array contiguous(const Array &array) {
  return array.is_contiguous() ? array : copy(array);
}

Array astype(const Array &array, DType dtype) {
  if (array.dtype() == dtype) {
    return array;
  }
  if (dtype_kind(array.dtype()) == DTypeKind::complex) {
    throw DTypeError("complex64 does not convert to " + std::string(dtype_name(dtype)) +
                     ": the imaginary part would be lost.");
  }
  const Array source = contiguous(array);
  const Array result = empty(array.device(), array.shape(), dtype);
  const std::string kernel =
      "convert_" + std::string(dtype_name(source.dtype())) + "_" + std::string(dtype_name(dtype));
  for (const ops::Piece &piece : ops::split({source.size(), 1, 1}, ops::max_grid_extent)) {
    const auto origin = static_cast<std::ptrdiff_t>(piece.origin[0]);
    ops::launch(array.device(), kernel,
                {ops::binding_at(result, origin), ops::binding_at(source, origin)},
                {piece.extent, {}});
  }
  return result;
}

} // namespace metalcore
