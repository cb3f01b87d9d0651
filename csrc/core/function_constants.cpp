#include "core/function_constants.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

namespace metalcore {

namespace {

template <typename Bits> ScalarBytes bytes_of(Bits bits) {
  ScalarBytes bytes;
  std::memcpy(bytes.data.data(), &bits, sizeof bits);
  bytes.size = sizeof bits;
  return bytes;
}

template <typename Integer> std::optional<ScalarBytes> to_integer(double value) {
  // Both bounds are powers of two (or 0), so exact in a double.
  constexpr double lowest = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr double beyond =
      2.0 * static_cast<double>(uint64_t{1} << (std::numeric_limits<Integer>::digits - 1));
  if (!(value >= lowest && value < beyond) || value != std::trunc(value))
    return std::nullopt;
  return bytes_of(static_cast<Integer>(value));
}

template <typename Integer, typename From> std::optional<ScalarBytes> to_integer(From value) {
  if constexpr (std::is_same_v<From, bool>)
    return bytes_of(static_cast<Integer>(value));
  else if (!std::in_range<Integer>(value))
    return std::nullopt;
  else
    return bytes_of(static_cast<Integer>(value));
}

std::optional<ScalarBytes> to_bool(auto value) {
  if (value != 0 && value != 1)
    return std::nullopt;
  return bytes_of(static_cast<uint8_t>(value != 0));
}

/// A binary floating-point format: exponent and mantissa bits as in IEEE 754.
template <typename Bits, int exponent_bits, int mantissa_bits>
std::optional<ScalarBytes> to_float(double value) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr Bits infinity = static_cast<Bits>(((Bits{1} << exponent_bits) - 1) << mantissa_bits);
  const Bits sign =
      std::signbit(value) ? static_cast<Bits>(Bits{1} << (exponent_bits + mantissa_bits)) : 0;
  if (std::isnan(value))
    return bytes_of(static_cast<Bits>(sign | infinity | (Bits{1} << (mantissa_bits - 1))));
  if (std::isinf(value))
    return bytes_of(static_cast<Bits>(sign | infinity));
  const double magnitude = std::fabs(value);
  // Subnormal numbers share the spacing of the smallest normal ones.
  const int exponent = std::max(magnitude == 0 ? 1 - bias : std::ilogb(magnitude), 1 - bias);
  const auto steps = static_cast<uint64_t>(
      std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent))); // ties to even
  // The hidden bit, and a carry from rounding, add themselves to the exponent.
  const uint64_t bits = (static_cast<uint64_t>(exponent + bias - 1) << mantissa_bits) + steps;
  if (bits >= infinity)
    return std::nullopt;
  return bytes_of(static_cast<Bits>(sign | static_cast<Bits>(bits)));
}

template <typename From> std::optional<ScalarBytes> convert(From value, DType type) {
  switch (type) {
  case DType::bool_:
    return to_bool(value);
  case DType::int8:
    return to_integer<int8_t>(value);
  case DType::int16:
    return to_integer<int16_t>(value);
  case DType::int32:
    return to_integer<int32_t>(value);
  case DType::int64:
    return to_integer<int64_t>(value);
  case DType::uint8:
    return to_integer<uint8_t>(value);
  case DType::uint16:
    return to_integer<uint16_t>(value);
  case DType::uint32:
    return to_integer<uint32_t>(value);
  case DType::uint64:
    return to_integer<uint64_t>(value);
  case DType::float16:
    return to_float<uint16_t, 5, 10>(static_cast<double>(value));
  case DType::bfloat16:
    return to_float<uint16_t, 8, 7>(static_cast<double>(value));
  case DType::float32:
    return to_float<uint32_t, 8, 23>(static_cast<double>(value));
  case DType::complex64:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::optional<ScalarBytes> convert_scalar(const FunctionConstants::mapped_type &value, DType type) {
  return std::visit([type](auto number) { return convert(number, type); }, value);
}

std::string scalar_text(const FunctionConstants::mapped_type &value) {
  std::ostringstream text;
  text << std::boolalpha;
  std::visit([&](auto number) { text << number; }, value);
  return std::move(text).str();
}

} // namespace metalcore
