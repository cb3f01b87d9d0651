#include "ops/scalar.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

namespace metalcore {
namespace ops {
namespace {

template <typename T> std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Rounds to a 16-bit float with `mantissa_bits`, to nearest, ties to even, straight from double.
template <int mantissa_bits> uint16_t round_to_16_bits(double value) {
  constexpr int exponent_bits = 15 - mantissa_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  constexpr uint16_t infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(value)) {
    return sign | infinity | (1 << (mantissa_bits - 1));
  }
  if (value == 0) {
    return sign;
  }
  if (std::isinf(value)) {
    return sign | infinity;
  }
  int exponent = 0;
  std::frexp(value, &exponent); // |value| = [0.5, 1) * 2^exponent
  const int unbiased = std::max(exponent - 1, 1 - bias);
  // In units of the last place; nearbyint rounds ties to even.
  const double units = std::nearbyint(std::ldexp(std::fabs(value), mantissa_bits - unbiased));
  const auto magnitude =
      static_cast<uint32_t>(units) + (static_cast<uint32_t>(unbiased + bias - 1) << mantissa_bits);
  return unbiased > bias || magnitude >= infinity ? sign | infinity
                                                  : sign | static_cast<uint16_t>(magnitude);
}

template <int mantissa_bits> double from_16_bits(uint16_t bits) {
  constexpr int exponent_bits = 15 - mantissa_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  double magnitude = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double as_double(const Scalar &value) {
  return std::visit(
      [](auto number) -> double {
        if constexpr (std::is_same_v<decltype(number), std::complex<double>>) {
          return number.real();
        } else {
          return static_cast<double>(number);
        }
      },
      value);
}

template <typename T> std::vector<std::byte> integer_bytes(const Scalar &value, DType dtype) {
  const auto refuse = [&] {
    throw std::overflow_error("The value " + scalar_text(value) + " is out of range for " +
                              std::string(dtype_name(dtype)) + " (" +
                              std::to_string(std::numeric_limits<T>::min()) + " to " +
                              std::to_string(std::numeric_limits<T>::max()) + ").");
  };
  if (const auto *flag = std::get_if<bool>(&value)) {
    return bytes_of(static_cast<T>(*flag));
  }
  if (const auto *number = std::get_if<uint64_t>(&value)) {
    if (!std::in_range<T>(*number)) {
      refuse();
    }
    return bytes_of(static_cast<T>(*number));
  }
  const int64_t number = std::get<int64_t>(value);
  if (!std::in_range<T>(number)) {
    refuse();
  }
  return bytes_of(static_cast<T>(number));
}

template <typename T> T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

} // namespace

bool scalar_fits_kind(const Scalar &value, DType dtype) {
  const DTypeKind kind = dtype_kind(dtype);
  if (std::holds_alternative<bool>(value)) {
    return kind == DTypeKind::boolean;
  }
  if (std::holds_alternative<double>(value)) {
    return kind == DTypeKind::real || kind == DTypeKind::complex;
  }
  if (std::holds_alternative<std::complex<double>>(value)) {
    return kind == DTypeKind::complex;
  }
  return kind != DTypeKind::boolean;
}

std::string_view scalar_kind_name(const Scalar &value) {
  constexpr std::string_view names[] = {"bool", "integer", "integer", "float", "complex"};
  return names[value.index()];
}

std::string scalar_text(const Scalar &value) {
  std::ostringstream text;
  std::visit(
      [&](auto number) {
        if constexpr (std::is_same_v<decltype(number), bool>) {
          text << (number ? "true" : "false");
        } else {
          text << number;
        }
      },
      value);
  return text.str();
}

} // namespace ops

std::vector<std::byte> element_bytes(const Scalar &value, DType dtype) {
  // A bool is the number 0 or 1 where a value is stored, unlike in arithmetic.
  if (!ops::scalar_fits_kind(value, dtype) && !std::holds_alternative<bool>(value)) {
    throw DTypeError("The " + std::string(ops::scalar_kind_name(value)) + " value " +
                     ops::scalar_text(value) + " does not convert to " +
                     std::string(dtype_name(dtype)) + ".");
  }
  switch (dtype) {
  case DType::bool_:
    return ops::bytes_of(std::get<bool>(value));
  case DType::int8:
    return ops::integer_bytes<int8_t>(value, dtype);
  case DType::int16:
    return ops::integer_bytes<int16_t>(value, dtype);
  case DType::int32:
    return ops::integer_bytes<int32_t>(value, dtype);
  case DType::int64:
    return ops::integer_bytes<int64_t>(value, dtype);
  case DType::uint8:
    return ops::integer_bytes<uint8_t>(value, dtype);
  case DType::uint16:
    return ops::integer_bytes<uint16_t>(value, dtype);
  case DType::uint32:
    return ops::integer_bytes<uint32_t>(value, dtype);
  case DType::uint64:
    return ops::integer_bytes<uint64_t>(value, dtype);
  case DType::float16:
    return ops::bytes_of(ops::round_to_16_bits<10>(ops::as_double(value)));
  case DType::bfloat16:
    return ops::bytes_of(ops::round_to_16_bits<7>(ops::as_double(value)));
  case DType::float32:
    return ops::bytes_of(static_cast<float>(ops::as_double(value)));
  case DType::complex64:
    if (const auto *number = std::get_if<std::complex<double>>(&value)) {
      return ops::bytes_of(std::complex<float>(*number));
    }
    return ops::bytes_of(std::complex<float>(static_cast<float>(ops::as_double(value))));
  }
  throw std::logic_error("unknown data type");
}

Scalar element_value(const void *element, DType dtype) {
  switch (dtype) {
  case DType::bool_:
    return ops::load<uint8_t>(element) != 0;
  case DType::int8:
    return int64_t{ops::load<int8_t>(element)};
  case DType::int16:
    return int64_t{ops::load<int16_t>(element)};
  case DType::int32:
    return int64_t{ops::load<int32_t>(element)};
  case DType::int64:
    return ops::load<int64_t>(element);
  case DType::uint8:
    return uint64_t{ops::load<uint8_t>(element)};
  case DType::uint16:
    return uint64_t{ops::load<uint16_t>(element)};
  case DType::uint32:
    return uint64_t{ops::load<uint32_t>(element)};
  case DType::uint64:
    return ops::load<uint64_t>(element);
  case DType::float16:
    return ops::from_16_bits<10>(ops::load<uint16_t>(element));
  case DType::bfloat16:
    return ops::from_16_bits<7>(ops::load<uint16_t>(element));
  case DType::float32:
    return double{ops::load<float>(element)};
  case DType::complex64:
    return std::complex<double>(ops::load<std::complex<float>>(element));
  }
  throw std::logic_error("unknown data type");
}

} // namespace metalcore
