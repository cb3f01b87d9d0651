#include "hostmetal/image/texture_layout.hpp"

#include <algorithm>
#include <bit>

namespace hostmetal::image {
namespace {

// Levels begin at multiples of a cache line.
constexpr uint64_t level_alignment = 64;

uint64_t round_up(uint64_t size) {
  return (size + level_alignment - 1) / level_alignment * level_alignment;
}

/// Calls with each level and the offset of its pixels; returns the end of the last.
template <class Visit>
uint64_t for_each_level(const TextureShape &shape, const PixelFormat &format, Visit visit) {
  uint64_t offset = 0;
  for (uint32_t number = 0; number < shape.levels; ++number) {
    const auto [width, height, depth] = shape.level_size(number);
    HmTextureLevel level{};
    level.width = width;
    level.height = height;
    level.images = depth * shape.slices();
    level.bytes_per_row = uint64_t{width} * format.texel.bytes;
    level.bytes_per_image = level.bytes_per_row * height;
    visit(number, level, offset);
    offset = round_up(offset + level.bytes_per_image * level.images);
  }
  return offset;
}

} // namespace

std::array<uint32_t, 3> TextureShape::level_size(uint32_t level) const {
  const auto halved = [level](uint32_t size) { return std::max(size >> level, 1u); };
  return {halved(width), halved(height), halved(depth)};
}

uint32_t TextureShape::most_levels() const {
  return static_cast<uint32_t>(std::bit_width(std::max({width, height, depth})));
}

uint64_t texture_size(const TextureShape &shape, const PixelFormat &format) {
  return for_each_level(shape, format, [](uint32_t, const HmTextureLevel &, uint64_t) {});
}

HmTexture lay_out_texture(const TextureShape &shape, const PixelFormat &format, uint8_t *pixels,
                          uint64_t bytes_per_row) {
  HmTexture texture{};
  texture.format = format.texel;
  texture.level_count = shape.levels;
  for_each_level(shape, format, [&](uint32_t number, HmTextureLevel level, uint64_t offset) {
    level.pixels = pixels + offset;
    if (bytes_per_row != 0) {
      level.bytes_per_row = bytes_per_row;
      level.bytes_per_image = bytes_per_row * level.height;
    }
    texture.levels[number] = level;
  });
  return texture;
}

} // namespace hostmetal::image
