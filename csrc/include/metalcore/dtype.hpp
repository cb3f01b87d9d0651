#pragma once

#include "metalcore/export.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace metalcore {

/// Element types of arrays and scalar kernel arguments. Metal has no float64.
enum class DType : uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  complex64,
};

enum class DTypeKind : uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

/// A wrong argument whose type, not its value, is at fault; a TypeError in Python.
class METALCORE_API DTypeError : public std::invalid_argument {
public:
  using std::invalid_argument::invalid_argument;
};

METALCORE_API std::size_t item_size(DType dtype) noexcept;       ///< bytes
METALCORE_API std::string_view dtype_name(DType dtype) noexcept; ///< "float32", "bool"
METALCORE_API DTypeKind dtype_kind(DType dtype) noexcept;
/// The data type of that name. DTypeError for an unknown one, with its own words for float64.
METALCORE_API DType parse_dtype(std::string_view name);
/// The type of a result of both, by the rules of the Python array API standard; empty where the
/// standard leaves the mix undefined. bfloat16 with float16 gives float32.
METALCORE_API std::optional<DType> promote(DType left, DType right) noexcept;

} // namespace metalcore
