#include "metalcore/preferences.hpp"

#include "ops/dispatch.hpp"
#include "ops/scalar.hpp"

#include <algorithm>
#include <cmath>

#include <unistd.h>

namespace metalcore {
namespace {

/// Blit commands want multiples of 4 bytes, so the length is rounded up; an empty array has a
/// buffer too, for it may be bound.
Buffer allocate(const Device &device, std::size_t bytes, StorageMode mode) {
  constexpr std::size_t unit = 16;
  return device.make_buffer((std::max(bytes, unit) + unit - 1) / unit * unit, mode);
}

/// Integers as 64-bit two's complement.
uint64_t wrapped(const Scalar &value) {
  const auto *number = std::get_if<int64_t>(&value);
  return number != nullptr ? static_cast<uint64_t>(*number) : std::get<uint64_t>(value);
}

/// The last value of an integer range, exactly.
Scalar last_of(const Scalar &start, const Scalar &step, std::size_t count) {
  const auto wide = [](const Scalar &value) -> __int128 {
    const auto *number = std::get_if<int64_t>(&value);
    return number != nullptr ? __int128{*number} : __int128{std::get<uint64_t>(value)};
  };
  const __int128 last = wide(start) + wide(step) * static_cast<__int128>(count - 1);
  if (last >= INT64_MIN && last <= INT64_MAX) {
    return static_cast<int64_t>(last);
  }
  if (last > 0 && last <= static_cast<__int128>(UINT64_MAX)) {
    return static_cast<uint64_t>(last);
  }
  throw std::overflow_error("The last value of the range is outside of 64 bits.");
}

double as_real(const Scalar &value) {
  return std::visit(
      [](auto number) -> double {
        if constexpr (std::is_same_v<decltype(number), std::complex<double>>) {
          throw DTypeError("A range cannot have complex bounds.");
        } else {
          return static_cast<double>(number);
        }
      },
      value);
}

shaders::ArangeLayout real_layout(double start, double step, std::size_t origin) {
  const double first = start + step * static_cast<double>(origin);
  const auto head = [](double value) { return static_cast<float>(value); };
  const auto tail = [&](double value) {
    return std::isfinite(head(value)) ? static_cast<float>(value - double{head(value)}) : 0.0F;
  };
  return {head(first), tail(first), head(step), tail(step)};
}

} // namespace

Array empty(const Device &device, const Shape &shape, DType dtype) {
  const std::size_t bytes = ops::element_count(shape) * item_size(dtype);
  return Array(allocate(device, bytes, preferences().storage_mode), dtype, shape,
               ops::contiguous_strides(shape), 0);
}

Array full(const Device &device, const Shape &shape, const Scalar &value, DType dtype) {
  const std::vector<std::byte> element = element_bytes(value, dtype);
  const Array result = empty(device, shape, dtype);
  // Shared storage begins zero-filled.
  const bool is_zero = std::all_of(element.begin(), element.end(),
                                   [](std::byte byte) { return byte == std::byte{}; });
  if (!is_zero || result.buffer().storage_mode() != StorageMode::shared) {
    fill(result, value);
  }
  return result;
}

Array arange(const Device &device, const Scalar &start, const Scalar &step, std::size_t count,
             DType dtype) {
  const DTypeKind kind = dtype_kind(dtype);
  if (kind == DTypeKind::boolean || kind == DTypeKind::complex) {
    throw DTypeError("A range cannot have data type " + std::string(dtype_name(dtype)) + ".");
  }
  const bool is_real = kind == DTypeKind::real;
  for (const Scalar &bound : {start, step}) {
    if (!is_real && !std::holds_alternative<int64_t>(bound) &&
        !std::holds_alternative<uint64_t>(bound)) {
      throw DTypeError("A range of " + std::string(dtype_name(dtype)) +
                       " needs integer bounds; got " + ops::scalar_text(bound) + ".");
    }
  }
  if (!is_real && count > 0) { // both ends must fit; element_bytes says so where they do not
    (void)element_bytes(start, dtype);
    (void)element_bytes(last_of(start, step, count), dtype);
  }
  const Array result = empty(device, {count}, dtype);
  const std::string kernel = "arange_" + std::string(dtype_name(ops::unsigned_twin(dtype)));
  for (const ops::Piece &piece : ops::split({count, 1, 1}, ops::max_grid_extent)) {
    const std::size_t origin = piece.origin[0];
    const Bytes layout = is_real ? ops::bytes_of(real_layout(as_real(start), as_real(step), origin))
                                 : ops::bytes_of(shaders::IntegerArangeLayout{
                                       wrapped(start) + origin * wrapped(step), wrapped(step)});
    ops::launch(device, kernel,
                {ops::binding_at(result, static_cast<std::ptrdiff_t>(origin)), layout},
                {piece.extent, {}});
  }
  return result;
}

Array from_host(const Device &device, const void *data, const Shape &shape, DType dtype) {
  const Array result = empty(device, shape, dtype);
  const std::size_t bytes = result.nbytes();
  if (bytes == 0) {
    return result;
  }
  if (void *contents = result.buffer().contents()) {
    std::memcpy(contents, data, bytes);
    return result;
  }
  const Buffer staging = allocate(device, bytes, StorageMode::shared);
  std::memcpy(staging.contents(), data, bytes);
  Queue::default_queue(device).copy({result.buffer()}, {staging}, staging.length());
  return result;
}

std::optional<Array> wrap_host(const Device &device, void *data, const Shape &shape, DType dtype,
                               std::function<void()> release) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = ops::element_count(shape) * item_size(dtype);
  if (bytes == 0 || reinterpret_cast<uintptr_t>(data) % page != 0) {
    return std::nullopt;
  }
  const std::size_t length = (bytes + page - 1) / page * page;
  if (length > device.max_buffer_length()) {
    return std::nullopt;
  }
  return Array(device.wrap(data, length, std::move(release)), dtype, shape,
               ops::contiguous_strides(shape), 0);
}

void *host_data(const Array &array) {
  Queue::default_queue(array.device()).synchronize();
  auto *contents = static_cast<std::byte *>(array.buffer().contents());
  return contents == nullptr ? nullptr : contents + array.binding().offset;
}

void to_host(const Array &array, void *data) {
  const std::size_t bytes = array.nbytes();
  if (bytes == 0) {
    return;
  }
  const Array packed = contiguous(array);
  if (const void *contents = host_data(packed)) {
    std::memcpy(data, contents, bytes);
    return;
  }
  // Blit commands want offsets that are multiples of 4 bytes.
  const Array source = packed.binding().offset % 4 == 0 ? packed : copy(packed);
  const Buffer staging = allocate(array.device(), bytes, StorageMode::shared);
  const Queue queue = Queue::default_queue(array.device());
  queue.copy({staging}, source.binding(), (bytes + 3) / 4 * 4);
  queue.synchronize();
  std::memcpy(data, staging.contents(), bytes);
}

Scalar item(const Array &array) {
  if (array.size() != 1) {
    throw std::invalid_argument("Only an array of one element has a scalar value; this one has " +
                                std::to_string(array.size()) + ".");
  }
  alignas(8) std::byte element[8];
  to_host(array, element);
  return element_value(element, array.dtype());
}

} // namespace metalcore
