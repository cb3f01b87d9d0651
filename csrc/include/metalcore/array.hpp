#pragma once

#include "metalcore/dtype.hpp"
#include "metalcore/queue.hpp"

#include <complex>

namespace metalcore {

using Shape = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>; ///< in elements
using Scalar = std::variant<bool, int64_t, uint64_t, double, std::complex<double>>;

/// An n-dimensional array in device memory: a view of a buffer. Work on it is queued on its
/// device's default queue; reading it from the host waits. Thread-safe as a handle; concurrent
/// writes to one array are the caller's to order.
class METALCORE_API Array {
public:
  /// A view; std::invalid_argument when it would reach outside of the buffer.
  Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset);

  const Shape &shape() const { return shape_; }
  const Strides &strides() const { return strides_; }
  std::size_t offset() const { return offset_; } ///< in elements
  DType dtype() const { return dtype_; }
  const Buffer &buffer() const { return buffer_; }
  std::size_t size() const;   ///< elements
  std::size_t nbytes() const; ///< size() times the element's bytes
  bool is_contiguous() const; ///< C order without gaps
  Device device() const { return buffer_.device(); }

private:
  Buffer buffer_;
  DType dtype_;
  Shape shape_;
  Strides strides_;
  std::size_t offset_;
};

METALCORE_API Array empty(const Device &device, const Shape &shape, DType dtype);
METALCORE_API Array full(const Device &device, const Shape &shape, const Scalar &value,
                         DType dtype);
METALCORE_API Array arange(const Device &device, double start, double step, std::size_t count,
                           DType dtype);
/// Copies `size` elements in C order from the host.
METALCORE_API Array from_host(const Device &device, const void *data, const Shape &shape,
                              DType dtype);
METALCORE_API void fill(const Array &target, const Scalar &value);
/// A C-order copy; the same array where it is contiguous already.
METALCORE_API Array contiguous(const Array &array);
METALCORE_API Array astype(const Array &array, DType dtype);

enum class BinaryOp : uint8_t { add, subtract, multiply, divide };
/// Element by element, with broadcasting; both operands have the result's dtype.
/// std::invalid_argument for shapes that do not broadcast.
METALCORE_API Array binary(BinaryOp op, const Array &left, const Array &right);
METALCORE_API Shape broadcast_shapes(const Shape &left, const Shape &right);
METALCORE_API Array broadcast_to(const Array &array, const Shape &shape);
/// Sum over `axes` (all when unset), in the array's dtype.
METALCORE_API Array sum(const Array &array, std::optional<std::vector<int>> axes, bool keepdims);

} // namespace metalcore
