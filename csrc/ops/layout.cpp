#include "ops/layout.hpp"

#include <algorithm>

namespace metalcore {

Shape broadcast_shapes(const Shape &left, const Shape &right) {
  Shape result(std::max(left.size(), right.size()));
  for (std::size_t i = 0; i < result.size(); ++i) { // from the last dimension on
    const std::size_t a = i < left.size() ? left[left.size() - 1 - i] : 1;
    const std::size_t b = i < right.size() ? right[right.size() - 1 - i] : 1;
    if (a != b && a != 1 && b != 1) {
      throw std::invalid_argument("Shapes " + ops::shape_text(left) + " and " +
                                  ops::shape_text(right) + " do not broadcast to each other.");
    }
    result[result.size() - 1 - i] = a == 1 ? b : a;
  }
  return result;
}

namespace ops {

std::string shape_text(const Shape &shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::size_t element_count(const Shape &shape) {
  std::size_t count = 1;
  bool overflow = false;
  for (const std::size_t extent : shape) {
    if (extent == 0) {
      return 0;
    }
    overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (overflow || count > PTRDIFF_MAX / sizeof(uint64_t)) {
    throw std::invalid_argument("Shape " + shape_text(shape) +
                                " has more elements than memory can hold.");
  }
  return count;
}

Strides contiguous_strides(const Shape &shape) {
  Strides strides(shape.size());
  std::ptrdiff_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= static_cast<std::ptrdiff_t>(std::max<std::size_t>(shape[i], 1));
  }
  return strides;
}

Strides broadcast_strides(const Array &array, const Shape &shape) {
  const auto refuse = [&] {
    throw std::invalid_argument("An array of shape " + shape_text(array.shape()) +
                                " does not broadcast to shape " + shape_text(shape) + ".");
  };
  if (array.rank() > shape.size()) {
    refuse();
  }
  const std::size_t lead = shape.size() - array.rank();
  Strides strides(shape.size(), 0);
  for (std::size_t i = 0; i < array.rank(); ++i) {
    if (array.shape()[i] == shape[lead + i]) {
      strides[lead + i] = array.strides()[i];
    } else if (array.shape()[i] != 1) {
      refuse();
    }
  }
  return strides;
}

Walk collapse(const Shape &shape, const std::vector<Strides> &strides) {
  Walk walk;
  walk.strides.resize(strides.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    bool merges = !walk.shape.empty();
    for (std::size_t n = 0; merges && n < strides.size(); ++n) {
      merges = walk.strides[n].back() == strides[n][i] * static_cast<std::ptrdiff_t>(shape[i]);
    }
    if (merges) {
      walk.shape.back() *= shape[i];
    } else {
      walk.shape.push_back(shape[i]);
    }
    for (std::size_t n = 0; n < strides.size(); ++n) {
      if (merges) {
        walk.strides[n].back() = strides[n][i];
      } else {
        walk.strides[n].push_back(strides[n][i]);
      }
    }
  }
  return walk;
}

std::vector<Piece> split(const Size3 &grid, std::size_t limit) {
  std::vector<Piece> pieces;
  for (std::size_t z = 0; z < grid[2]; z += limit) {
    for (std::size_t y = 0; y < grid[1]; y += limit) {
      for (std::size_t x = 0; x < grid[0]; x += limit) {
        pieces.push_back({{x, y, z},
                          {std::min(limit, grid[0] - x), std::min(limit, grid[1] - y),
                           std::min(limit, grid[2] - z)}});
      }
    }
  }
  return pieces;
}

bool conflicts(const Array &target, const Array &source) {
  if (!(target.buffer() == source.buffer()) || target.size() == 0 || source.size() == 0) {
    return false;
  }
  if (target.offset() == source.offset() && target.shape() == source.shape() &&
      target.strides() == source.strides()) {
    return false;
  }
  const auto range = [](const Array &array) {
    std::ptrdiff_t low = static_cast<std::ptrdiff_t>(array.offset());
    std::ptrdiff_t high = low;
    for (std::size_t i = 0; i < array.rank(); ++i) {
      const auto reach = array.strides()[i] * static_cast<std::ptrdiff_t>(array.shape()[i] - 1);
      (reach < 0 ? low : high) += reach;
    }
    const auto bytes = static_cast<std::ptrdiff_t>(item_size(array.dtype()));
    return std::pair(low * bytes, (high + 1) * bytes);
  };
  const auto [target_low, target_high] = range(target);
  const auto [source_low, source_high] = range(source);
  return target_low < source_high && source_low < target_high;
}

} // namespace ops
} // namespace metalcore
