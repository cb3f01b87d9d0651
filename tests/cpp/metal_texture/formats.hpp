/// Pixel formats in double precision, written down once more: the reference of the tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace metal_texture {

enum class Encoding { unorm, snorm, uint, sint, floating, srgb, shared_exponent };

struct Component {
  int channel; ///< 0 red … 3 alpha
  int bits;
};

struct Format {
  uint32_t value; ///< MTLPixelFormat
  std::string name;
  Encoding encoding;
  std::vector<Component> components; ///< from the lowest bit on

  size_t bytes() const;
  bool is_integer() const { return encoding == Encoding::uint || encoding == Encoding::sint; }
  bool has_alpha() const;
};

const std::vector<Format> &all_formats();

using Pixel = std::array<double, 4>;

/// What a kernel should see of the pixel.
Pixel decode(const Format &format, const uint8_t *pixel);
/// What a write of the floats should store, component by component in the order of memory. For sRGB
/// the code before rounding.
std::vector<double> encode(const Format &format, const std::array<float, 4> &value);
/// The stored components as numbers.
std::vector<uint32_t> stored(const Format &format, const uint8_t *pixel);

} // namespace metal_texture
