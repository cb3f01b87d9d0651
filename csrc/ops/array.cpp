#include "metalcore/array.hpp"

#include "ops/layout.hpp"

namespace metalcore {

Array::Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset)
    : buffer_(std::move(buffer)), dtype_(dtype), shape_(std::move(shape)),
      strides_(std::move(strides)), offset_(offset) {
  if (shape_.size() > max_rank) {
    throw std::invalid_argument("An array has at most " + std::to_string(max_rank) +
                                " dimensions; " + std::to_string(shape_.size()) + " were given.");
  }
  if (shape_.size() != strides_.size()) {
    throw std::invalid_argument("An array of " + std::to_string(shape_.size()) +
                                " dimensions cannot have " + std::to_string(strides_.size()) +
                                " strides.");
  }
  const auto length = static_cast<std::ptrdiff_t>(buffer_.length() / item_size(dtype));
  if (ops::element_count(shape_) == 0) {
    return;
  }
  // Both ends of the view, in elements of the buffer.
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
  bool overflow = offset > static_cast<std::size_t>(PTRDIFF_MAX);
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    std::ptrdiff_t reach = 0;
    overflow |= __builtin_mul_overflow(strides_[i], shape_[i] - 1, &reach);
    std::ptrdiff_t &end = reach < 0 ? low : high;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  overflow |= __builtin_add_overflow(low, offset, &low);
  overflow |= __builtin_add_overflow(high, offset, &high);
  if (overflow || low < 0 || high >= length) {
    throw std::invalid_argument("A view of shape " + ops::shape_text(shape_) + " at element " +
                                std::to_string(offset_) + " reaches outside of its buffer of " +
                                std::to_string(length) + " elements.");
  }
}

std::size_t Array::size() const {
  return ops::element_count(shape_);
}
std::size_t Array::nbytes() const {
  return size() * item_size(dtype_);
}

bool Array::is_contiguous() const {
  std::ptrdiff_t step = 1;
  if (size() == 0) {
    return true;
  }
  for (std::size_t i = rank(); i-- > 0;) {
    if (shape_[i] == 1) {
      continue;
    }
    if (strides_[i] != step) {
      return false;
    }
    step *= static_cast<std::ptrdiff_t>(shape_[i]);
  }
  return true;
}

bool Array::is_writable() const {
  // Views come from slicing and broadcasting only, so elements share memory through a stride of 0.
  for (std::size_t i = 0; i < rank(); ++i) {
    if (shape_[i] > 1 && strides_[i] == 0) {
      return false;
    }
  }
  return true;
}

BufferBinding Array::binding() const {
  return {buffer_, offset_ * item_size(dtype_)};
}

Array reinterpret(const Array &array, DType dtype) {
  if (item_size(dtype) != item_size(array.dtype())) {
    throw std::invalid_argument("Elements of " + std::string(dtype_name(array.dtype())) +
                                " cannot be read as " + std::string(dtype_name(dtype)) +
                                ", which has another size.");
  }
  return Array(array.buffer(), dtype, array.shape(), array.strides(), array.offset());
}

} // namespace metalcore
