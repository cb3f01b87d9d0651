#include "hostmetal/image/mipmaps.hpp"

#include "hostmetal/image/texel.hpp"

namespace hostmetal::image {
namespace {

/// The pixels along one axis that a pixel of the next level covers, up to three of an odd size.
struct Cover {
  uint32_t first, count;
  float weights[3];
};

Cover cover_of(uint32_t index, uint32_t size, uint32_t next_size) {
  if (size == next_size)
    return {index, 1, {1, 0, 0}};
  if (size == 2 * next_size)
    return {2 * index, 2, {0.5f, 0.5f, 0}};
  // size == 2 * next_size + 1: each covers 2 + 1 / next_size pixels.
  const auto total = static_cast<float>(size), next = static_cast<float>(next_size);
  return {2 * index,
          3,
          {(next - static_cast<float>(index)) / total, next / total,
           (static_cast<float>(index) + 1.0f) / total}};
}

const uint8_t *pixel(const HmTexture &texture, const HmTextureLevel &level, uint32_t x, uint32_t y,
                     uint32_t image) {
  return level.pixels + image * level.bytes_per_image + y * level.bytes_per_row +
         uint64_t{x} * texture.format.bytes;
}

void fill_level(const HmTexture &texture, const HmTextureLevel &from, const HmTextureLevel &to,
                bool is_volume) {
  for (uint32_t image = 0; image < to.images; ++image) {
    const Cover z =
        is_volume ? cover_of(image, from.images, to.images) : Cover{image, 1, {1, 0, 0}};
    for (uint32_t row = 0; row < to.height; ++row) {
      const Cover y = cover_of(row, from.height, to.height);
      for (uint32_t column = 0; column < to.width; ++column) {
        const Cover x = cover_of(column, from.width, to.width);
        Floats sum(0.0f);
        for (uint32_t k = 0; k < z.count; ++k)
          for (uint32_t j = 0; j < y.count; ++j)
            for (uint32_t i = 0; i < x.count; ++i)
              sum += texel::floats(load_texel(texture.format, pixel(texture, from, x.first + i,
                                                                    y.first + j, z.first + k))) *
                     (z.weights[k] * y.weights[j] * x.weights[i]);
        store_texel(texture.format, const_cast<uint8_t *>(pixel(texture, to, column, row, image)),
                    texel::words(sum));
      }
    }
  }
}

} // namespace

void generate_mipmaps(const HmTexture &texture, bool is_volume) {
  for (uint32_t level = 1; level < texture.level_count; ++level)
    fill_level(texture, texture.levels[level - 1], texture.levels[level], is_volume);
}

} // namespace hostmetal::image
