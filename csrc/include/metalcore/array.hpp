#pragma once

#include "metalcore/dtype.hpp"
#include "metalcore/queue.hpp"

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace metalcore {

using Shape = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>; ///< in elements
using Scalar = std::variant<bool, int64_t, uint64_t, double, std::complex<double>>;

inline constexpr std::size_t max_rank = 16; ///< dimensions of an array, at most

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
  std::size_t rank() const { return shape_.size(); }
  std::size_t size() const;   ///< elements
  std::size_t nbytes() const; ///< size() times the element's bytes
  bool is_contiguous() const; ///< C order without gaps
  bool is_writable() const;   ///< no two elements share memory
  BufferBinding binding() const;
  Device device() const { return buffer_.device(); }

private:
  Buffer buffer_;
  DType dtype_;
  Shape shape_;
  Strides strides_;
  std::size_t offset_;
};

/// Creation. Storage is what the preference `storage_mode` says. Throws Error{memory}.
METALCORE_API Array empty(const Device &device, const Shape &shape, DType dtype);
METALCORE_API Array full(const Device &device, const Shape &shape, const Scalar &value,
                         DType dtype);
/// start + i * step for i < count; std::overflow_error where an end does not fit an integer type.
METALCORE_API Array arange(const Device &device, const Scalar &start, const Scalar &step,
                           std::size_t count, DType dtype);
/// Copies the elements of a C-order block of the host's.
METALCORE_API Array from_host(const Device &device, const void *data, const Shape &shape,
                              DType dtype);
/// An array in the host's memory, without a copy; empty when `data` does not begin a page. Whole
/// pages become visible to kernels. `release` runs once, on any thread, when nothing uses the
/// memory any more; not at all when the result is empty.
METALCORE_API std::optional<Array> wrap_host(const Device &device, void *data, const Shape &shape,
                                             DType dtype, std::function<void()> release);

/// Reading. Both wait for the device's default queue and throw what failed on it.
METALCORE_API void to_host(const Array &array, void *data); ///< in C order
/// The first element, as the host sees it; null for private storage.
METALCORE_API void *host_data(const Array &array);
/// The only element; std::invalid_argument when there is not exactly one.
METALCORE_API Scalar item(const Array &array);

/// The bytes of a value as one element. DTypeError for another kind (a bool counts as a number),
/// std::overflow_error for an integer out of range.
METALCORE_API std::vector<std::byte> element_bytes(const Scalar &value, DType dtype);

/// One element as a host value.
METALCORE_API Scalar element_value(const void *element, DType dtype);

/// Writing. A value must fit the data type: DTypeError for another kind, std::overflow_error
/// outside of its range. Written arrays must be writable: std::invalid_argument.
METALCORE_API void fill(const Array &target, const Scalar &value);
/// Copies with broadcasting and conversion between data types that promote to the target's.
METALCORE_API void assign(const Array &target, const Array &source);

/// Views: they share memory. std::invalid_argument where the shape does not fit.
METALCORE_API Array broadcast_to(const Array &array, const Shape &shape);
METALCORE_API Shape broadcast_shapes(const Shape &left, const Shape &right);
/// One extent may be -1. A copy where no view has that shape.
METALCORE_API Array reshape(const Array &array, std::span<const int64_t> shape);
/// The same bytes as another data type of the same size.
METALCORE_API Array reinterpret(const Array &array, DType dtype);

struct Slice {
  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t step = 1;
};
struct NewAxis {};
struct Ellipsis {};
using Index = std::variant<int64_t, Slice, NewAxis, Ellipsis>;
/// Basic indexing as in NumPy; std::out_of_range for an index outside, or too many of them.
METALCORE_API Array view(const Array &array, std::span<const Index> indices);

/// Copies.
METALCORE_API Array copy(const Array &array);       ///< in C order
METALCORE_API Array contiguous(const Array &array); ///< in C order; the array itself if it is so
/// The array itself where it has that data type. DTypeError from complex to real.
METALCORE_API Array astype(const Array &array, DType dtype);

enum class BinaryOp : uint8_t { add, subtract, multiply, divide };
using Operand = std::variant<Array, Scalar>;
/// Element by element, with broadcasting and promotion; a scalar takes the array's data type.
/// Integers divide to float32. std::invalid_argument for shapes that do not broadcast, DTypeError
/// for kinds that do not mix and for booleans.
METALCORE_API Array binary(BinaryOp op, const Operand &left, const Operand &right);
/// target = target <op> right; the result must have the target's shape and data type.
METALCORE_API void binary_in_place(BinaryOp op, const Array &target, const Operand &right);

/// Sum over `axes` (all when unset). int64 and uint64 for narrower integers, int64 for bool, else
/// the array's data type. std::out_of_range for an axis outside, std::invalid_argument for one
/// given twice.
METALCORE_API Array sum(const Array &array, const std::optional<std::vector<int64_t>> &axes,
                        bool keepdims);

} // namespace metalcore
