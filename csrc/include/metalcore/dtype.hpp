#pragma once

#include "metalcore/export.hpp"

#include <cstddef>
#include <cstdint>
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

METALCORE_API std::size_t item_size(DType dtype) noexcept;       ///< bytes
METALCORE_API std::string_view dtype_name(DType dtype) noexcept; ///< "float32", "bool"

} // namespace metalcore
