#include "metalcore/dtype.hpp"

#include <array>
#include <string>

namespace metalcore {
namespace {

struct Row {
  std::string_view name;
  std::size_t size;
};

// In the order of DType.
constexpr std::array<Row, 13> rows{{
    {"bool", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"float16", 2},
    {"bfloat16", 2},
    {"float32", 4},
    {"complex64", 8},
}};
static_assert(rows.size() == static_cast<std::size_t>(DType::complex64) + 1);

bool is_floating(DType dtype) {
  return dtype_kind(dtype) == DTypeKind::real || dtype_kind(dtype) == DTypeKind::complex;
}

} // namespace

std::size_t item_size(DType dtype) noexcept {
  return rows[static_cast<std::size_t>(dtype)].size;
}

std::string_view dtype_name(DType dtype) noexcept {
  return rows[static_cast<std::size_t>(dtype)].name;
}

DTypeKind dtype_kind(DType dtype) noexcept {
  if (dtype == DType::bool_) {
    return DTypeKind::boolean;
  }
  if (dtype <= DType::int64) {
    return DTypeKind::signed_integer;
  }
  if (dtype <= DType::uint64) {
    return DTypeKind::unsigned_integer;
  }
  return dtype == DType::complex64 ? DTypeKind::complex : DTypeKind::real;
}

DType parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == name) {
      return static_cast<DType>(i);
    }
  }
  if (name == "bool_") {
    return DType::bool_;
  }
  if (name == "float64" || name == "double") {
    throw DTypeError("Metal has no float64; use float32.");
  }
  if (name == "complex128") {
    throw DTypeError("Metal has no complex128; use complex64.");
  }
  throw DTypeError(
      "\"" + std::string(name) +
      "\" is not a data type; those are bool, int8 to int64, uint8 to uint64, float16, "
      "bfloat16, float32 and complex64.");
}

std::optional<DType> promote(DType left, DType right) noexcept {
  if (left == right) {
    return left;
  }
  const DTypeKind a = dtype_kind(left);
  const DTypeKind b = dtype_kind(right);
  if (a == b) {
    if (item_size(left) == item_size(right)) {
      return DType::float32; // float16 and bfloat16
    }
    return item_size(left) > item_size(right) ? left : right;
  }
  if (is_floating(left) && is_floating(right)) {
    return DType::complex64;
  }
  if (is_floating(left) || is_floating(right) || a == DTypeKind::boolean ||
      b == DTypeKind::boolean) {
    return std::nullopt;
  }
  // A signed and an unsigned integer: the signed one if it is wider, else the next that holds both.
  const DType with_sign = a == DTypeKind::signed_integer ? left : right;
  const DType without_sign = a == DTypeKind::signed_integer ? right : left;
  if (item_size(with_sign) > item_size(without_sign)) {
    return with_sign;
  }
  switch (without_sign) {
  case DType::uint8:
    return DType::int16;
  case DType::uint16:
    return DType::int32;
  case DType::uint32:
    return DType::int64;
  default:
    return std::nullopt; // no integer holds both uint64 and a negative value
  }
}

} // namespace metalcore
