#pragma once

#include "metalcore/library.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace metalcore {

/// Types that a function constant can have here: MSL's scalars.
enum class ScalarType : uint8_t {
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
};

std::string_view scalar_type_name(ScalarType type); ///< as MSL spells it: "uint"

/// A value's bytes as a kernel sees them.
struct ScalarBytes {
  std::array<std::byte, 8> data{};
  std::size_t size = 0;
};

/// Converts to `type`: between numbers of any kind as long as the value fits; a fraction fits no
/// integer, and a floating-point type rounds to nearest. Empty when the value does not fit.
std::optional<ScalarBytes> convert_scalar(const FunctionConstants::mapped_type &value,
                                          ScalarType type);

/// The value as text, for messages.
std::string scalar_text(const FunctionConstants::mapped_type &value);

} // namespace metalcore
