/// Metal's pixel formats: what of them lies in memory, and what kernels see.
#pragma once

#include "hostmetal/image/abi.h"

#include <cstdint>
#include <string_view>

namespace hostmetal::image {

/// What components are to a kernel. A texture and the kernel's argument must agree.
enum class TexelClass : uint8_t { floating, sint, uint, depth };

struct PixelFormat {
  uint32_t value; ///< MTLPixelFormat
  std::string_view name;
  TexelClass texel_class;
  HmTexelFormat texel;
};

/// Null for a format that this device does not have.
const PixelFormat *find_pixel_format(uint32_t value);

/// Whether a texture of one format may be seen as one of the other: as large, component by
/// component.
bool are_compatible(const PixelFormat &a, const PixelFormat &b);

} // namespace hostmetal::image
