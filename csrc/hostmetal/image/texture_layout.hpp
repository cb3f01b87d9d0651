/// Where the pixels of a texture lie: row after row, image after image, level after level.
#pragma once

#include "hostmetal/image/pixel_format.hpp"

#include <array>
#include <cstdint>

namespace hostmetal::image {

/// Values are those of MTLTextureType.
enum class TextureType : uint8_t {
  line = 0,
  line_array = 1,
  plane = 2,
  plane_array = 3,
  cube = 5,
  cube_array = 6,
  volume = 7,
  buffer = 9,
};

/// A texture's size. Images beyond those of one level's depth are slices: six for each cube.
struct TextureShape {
  TextureType type = TextureType::plane;
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 1;
  uint32_t levels = 1;
  uint32_t array_length = 1;

  uint32_t slices() const {
    return array_length * (type == TextureType::cube || type == TextureType::cube_array ? 6 : 1);
  }
  std::array<uint32_t, 3> level_size(uint32_t level) const;
  /// Levels down to a single pixel.
  uint32_t most_levels() const;
};

/// Bytes for all pixels.
uint64_t texture_size(const TextureShape &shape, const PixelFormat &format);

/// The texture whose pixels begin at `pixels`, in texture_size() bytes; rows of its only level are
/// `bytes_per_row` apart where that is not 0.
HmTexture lay_out_texture(const TextureShape &shape, const PixelFormat &format, uint8_t *pixels,
                          uint64_t bytes_per_row = 0);

} // namespace hostmetal::image
