#include "ops/layout.hpp"

#include <algorithm>

namespace metalcore {
namespace {

struct Position {
  Shape shape;
  Strides strides;
  std::ptrdiff_t offset;
};

void take_element(Position &position, const Array &array, std::size_t axis, int64_t index) {
  const auto extent = static_cast<int64_t>(array.shape()[axis]);
  const int64_t wrapped = index < 0 ? index + extent : index;
  if (wrapped < 0 || wrapped >= extent) {
    throw std::out_of_range("Index " + std::to_string(index) + " is out of bounds for axis " +
                            std::to_string(axis) + " of size " + std::to_string(extent) + ".");
  }
  position.offset += wrapped * array.strides()[axis];
}

void take_slice(Position &position, const Array &array, std::size_t axis, const Slice &slice) {
  if (slice.step == 0) {
    throw std::invalid_argument("The step of a slice cannot be 0.");
  }
  const auto extent = static_cast<int64_t>(array.shape()[axis]);
  const bool forward = slice.step > 0;
  // Where a slice may begin and end: one before the first is the end of a backward one.
  const int64_t lowest = forward ? 0 : -1;
  const int64_t highest = forward ? extent : extent - 1;
  const auto bound = [&](const std::optional<int64_t> &given, int64_t missing) {
    if (!given) {
      return missing;
    }
    return std::clamp(*given < 0 ? *given + extent : *given, lowest, highest);
  };
  const int64_t start = bound(slice.start, forward ? lowest : highest);
  const int64_t stop = bound(slice.stop, forward ? highest : lowest);
  const int64_t distance = forward ? stop - start : start - stop;
  // Larger steps than the extent take one element; clamped so that nothing below overflows.
  const int64_t step = std::clamp(slice.step, -extent - 1, extent + 1);
  const int64_t count = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
  position.shape.push_back(static_cast<std::size_t>(count));
  position.strides.push_back(array.strides()[axis] * (count > 1 ? step : 1));
  if (count > 0) {
    position.offset += start * array.strides()[axis];
  }
}

Shape resolve(const Array &array, std::span<const int64_t> shape) {
  Shape resolved;
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < -1 || (shape[i] == -1 && inferred)) {
      throw std::invalid_argument(shape[i] == -1 ? "Only one extent of a new shape can be -1."
                                                 : "Extent " + std::to_string(shape[i]) +
                                                       " of a new shape is negative.");
    }
    if (shape[i] == -1) {
      inferred = i;
    }
    resolved.push_back(shape[i] == -1 ? 1 : static_cast<std::size_t>(shape[i]));
  }
  const std::size_t size = array.size();
  const std::size_t rest = ops::element_count(resolved);
  if (inferred && rest != 0 && size % rest == 0) {
    resolved[*inferred] = size / rest;
  }
  if ((inferred && rest == 0) || ops::element_count(resolved) != size) {
    if (inferred) {
      resolved.erase(resolved.begin() + static_cast<std::ptrdiff_t>(*inferred));
    }
    throw std::invalid_argument("An array of " + std::to_string(size) +
                                " elements cannot be reshaped to " + ops::shape_text(resolved) +
                                (inferred ? " and one more extent." : "."));
  }
  return resolved;
}

/// The strides that give `shape` to the array without a copy, if there are any.
std::optional<Strides> reshaped_strides(const Array &array, const Shape &shape) {
  const ops::Walk walk = ops::collapse(array.shape(), {array.strides()});
  Strides strides(shape.size(), 1);
  std::size_t group = walk.shape.size(); // the walk's dimension that is being taken apart
  std::size_t rest = 1;                  // what is left of it
  std::ptrdiff_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) {
      continue;
    }
    if (rest == 1) {
      --group;
      rest = walk.shape[group];
      stride = walk.strides[0][group];
    }
    if (rest % shape[i] != 0) {
      return std::nullopt;
    }
    strides[i] = stride;
    stride *= static_cast<std::ptrdiff_t>(shape[i]);
    rest /= shape[i];
  }
  return strides;
}

} // namespace

Array broadcast_to(const Array &array, const Shape &shape) {
  return Array(array.buffer(), array.dtype(), shape, ops::broadcast_strides(array, shape),
               array.offset());
}

Array reshape(const Array &array, std::span<const int64_t> shape) {
  const Shape resolved = resolve(array, shape);
  if (array.size() == 0 || array.is_contiguous()) {
    return Array(array.buffer(), array.dtype(), resolved, ops::contiguous_strides(resolved),
                 array.offset());
  }
  if (const auto strides = reshaped_strides(array, resolved)) {
    return Array(array.buffer(), array.dtype(), resolved, *strides, array.offset());
  }
  const Array packed = copy(array);
  return Array(packed.buffer(), packed.dtype(), resolved, ops::contiguous_strides(resolved),
               packed.offset());
}

Array view(const Array &array, std::span<const Index> indices) {
  std::size_t taken = 0;
  bool has_ellipsis = false;
  for (const Index &index : indices) {
    if (std::holds_alternative<Ellipsis>(index)) {
      if (has_ellipsis) {
        throw std::out_of_range("An index can only have one ellipsis (\"...\").");
      }
      has_ellipsis = true;
    } else if (!std::holds_alternative<NewAxis>(index)) {
      ++taken;
    }
  }
  if (taken > array.rank()) {
    throw std::out_of_range("Too many indices: the array has " + std::to_string(array.rank()) +
                            " dimensions, but " + std::to_string(taken) + " were indexed.");
  }
  Position position{{}, {}, static_cast<std::ptrdiff_t>(array.offset())};
  std::size_t axis = 0;
  const auto keep = [&](std::size_t count) {
    for (; count > 0; --count, ++axis) {
      position.shape.push_back(array.shape()[axis]);
      position.strides.push_back(array.strides()[axis]);
    }
  };
  for (const Index &index : indices) {
    if (const auto *element = std::get_if<int64_t>(&index)) {
      take_element(position, array, axis++, *element);
    } else if (const auto *slice = std::get_if<Slice>(&index)) {
      take_slice(position, array, axis++, *slice);
    } else if (std::holds_alternative<NewAxis>(index)) {
      position.shape.push_back(1);
      position.strides.push_back(1);
    } else {
      keep(array.rank() - taken);
    }
  }
  keep(array.rank() - axis);
  return Array(array.buffer(), array.dtype(), std::move(position.shape),
               std::move(position.strides), static_cast<std::size_t>(position.offset));
}

} // namespace metalcore
