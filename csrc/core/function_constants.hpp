#pragma once

#include "metalcore/dtype.hpp"
#include "metalcore/library.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace metalcore {

/// A value's bytes as a kernel sees them.
struct ScalarBytes {
  std::array<std::byte, 8> data{};
  std::size_t size = 0;
};

/// Converts to `type`: between numbers of any kind as long as the value fits; a fraction fits no
/// integer, and a floating-point type rounds to nearest. Empty when the value does not fit, as none
/// does a complex type.
std::optional<ScalarBytes> convert_scalar(const FunctionConstants::mapped_type &value, DType type);

/// The value as text, for messages.
std::string scalar_text(const FunctionConstants::mapped_type &value);

} // namespace metalcore
