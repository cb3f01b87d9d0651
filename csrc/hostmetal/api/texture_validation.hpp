#pragma once

#include "hostmetal/api/validation.hpp"
#include "hostmetal/image/texture_layout.hpp"

namespace hostmetal::api {

inline constexpr uint64_t max_texture_size = 16384; ///< of 1D, 2D and cube textures
inline constexpr uint64_t max_volume_size = 2048;
inline constexpr uint64_t max_array_length = 2048;
inline constexpr uint64_t max_texture_buffer_width = uint64_t{1} << 28;
/// Offsets and rows of textures in buffers are multiples of it.
inline constexpr uint64_t linear_texture_alignment = 16;

/// What a descriptor asks for, before anything is known of it.
struct TextureRequest {
  uint64_t type = 0;   ///< MTLTextureType
  uint64_t format = 0; ///< MTLPixelFormat
  Extent size{};
  uint64_t levels = 1;
  uint64_t array_length = 1;
  uint64_t sample_count = 1;
  uint64_t usage = 0;
};

/// Whether this device can make it.
Problem check_texture(const TextureRequest &request);
/// Of a request that has been checked.
image::TextureShape shape_of(const TextureRequest &request);

/// Whether a texture of that shape can have a buffer's memory.
Problem check_linear_texture(const image::TextureShape &shape, const image::PixelFormat &format,
                             uint64_t offset, uint64_t bytes_per_row, uint64_t length);
/// Whether a texture may be seen in another way.
Problem check_texture_view(const image::TextureShape &shape, const image::PixelFormat &format,
                           uint64_t usage, const TextureRequest &view, uint64_t first_level,
                           uint64_t first_slice);

/// A box of pixels in one level and, from it on, slice.
struct TexturePlace {
  uint64_t level = 0;
  uint64_t slice = 0;
  Extent origin{};
};

/// Whether the box lies within the level; `subject` begins the sentence.
Problem check_box(std::string_view subject, const image::TextureShape &shape,
                  const TexturePlace &place, const Extent &size);

/// How pixels lie in memory that is no texture's.
struct LinearPixels {
  uint64_t bytes_per_row = 0;
  uint64_t bytes_per_image = 0;
};

/// Whether boxes of that size can lie so.
Problem check_linear_pixels(std::string_view subject, const image::PixelFormat &format,
                            const Extent &size, const LinearPixels &pixels);
/// Bytes from the first to the last pixel of a box.
uint64_t linear_size(const image::PixelFormat &format, const Extent &size,
                     const LinearPixels &pixels);

} // namespace hostmetal::api
