// Textures: what lowering/textures.cpp makes of AIR's builtins. The plain formats are read and
// written in the kernel; the executor does the rest, whose code would take long to compile.
#include "device.hpp"
#include "hostmetal/image/texel.hpp"

using namespace hostmetal::image;
using namespace hostmetal::image::texel;

namespace {

constexpr uint32_t number_of(HmTexelFormat format) {
  return __builtin_bit_cast(uint32_t, format);
}

constexpr HmTexelFormat rgba32{static_cast<uint8_t>(TexelKind::float_), 4, 32, 16};
constexpr HmTexelFormat rgba8{static_cast<uint8_t>(TexelKind::unorm), 4, 8, 4};
constexpr HmTexelFormat r32{static_cast<uint8_t>(TexelKind::float_), 1, 32, 4};

inline bool has_level(const HmTexture *texture, uint32_t level) {
  return texture && level < texture->level_count;
}

/// The address of a pixel; null where there is none.
inline uint8_t *address_of(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image,
                           uint32_t level) {
  if (!texture || (level != 0 && level >= texture->level_count))
    return nullptr;
  const HmTextureLevel &of = texture->levels[level];
  if (x >= of.width || y >= of.height || image >= of.images)
    return nullptr;
  return of.pixels + image * of.bytes_per_image + y * of.bytes_per_row +
         uint64_t{x} * texture->format.bytes;
}

constexpr HmTexelFormat r32_uint{static_cast<uint8_t>(TexelKind::uint_), 1, 32, 4};
constexpr HmTexelFormat r32_sint{static_cast<uint8_t>(TexelKind::sint_), 1, 32, 4};

/// The address of a pixel that is one integer; null where there is none. Atomic functions change
/// nothing else.
inline uint32_t *integer_at(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image) {
  if (!texture || (number_of(texture->format) != number_of(r32_uint) &&
                   number_of(texture->format) != number_of(r32_sint)))
    return nullptr;
  return reinterpret_cast<uint32_t *>(address_of(texture, x, y, image, 0));
}

inline Words look_up(const HmTexture *texture, uint64_t sampler, const HmTextureLookup &lookup) {
  Words results(0);
  if (!texture)
    return results;
  hm_look_up_texture(texture, sampler, &lookup, &results);
  return results;
}

inline HmTextureLookup lookup_of(uint32_t operation, uint32_t shape, Floats coordinate,
                                 Words offset, uint32_t slice) {
  HmTextureLookup lookup{};
  lookup.operation = operation;
  lookup.shape = shape;
  lookup.slice = slice;
  __builtin_memcpy(lookup.coordinate, &coordinate, sizeof(coordinate));
  __builtin_memcpy(lookup.offset, &offset, sizeof(offset));
  return lookup;
}

} // namespace

extern "C" {

Words hm_texture_read(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image,
                      uint32_t level) {
  const uint8_t *from = address_of(texture, x, y, image, level);
  if (!from)
    return Words(0);
  const uint32_t format = number_of(texture->format);
  if (format == number_of(rgba32))
    return read<Words>(from);
  if (format == number_of(rgba8))
    return load_texel(rgba8, from);
  if (format == number_of(r32))
    return load_texel(r32, from);
  Words components;
  hm_load_texel(format, from, &components);
  return components;
}

void hm_texture_write(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image,
                      uint32_t level, Words value) {
  uint8_t *to = address_of(texture, x, y, image, level);
  if (!to)
    return;
  const uint32_t format = number_of(texture->format);
  if (format == number_of(rgba32))
    return write(to, value);
  if (format == number_of(rgba8))
    return store_texel(rgba8, to, value);
  if (format == number_of(r32))
    return store_texel(r32, to, value);
  hm_store_texel(format, to, &value);
}

uint32_t hm_texture_width(const HmTexture *texture, uint32_t level) {
  return has_level(texture, level) ? texture->levels[level].width : 0;
}
uint32_t hm_texture_height(const HmTexture *texture, uint32_t level) {
  return has_level(texture, level) ? texture->levels[level].height : 0;
}
uint32_t hm_texture_images(const HmTexture *texture, uint32_t level) {
  return has_level(texture, level) ? texture->levels[level].images : 0;
}
uint32_t hm_texture_level_count(const HmTexture *texture) {
  return texture ? texture->level_count : 0;
}

Words hm_texture_sample(const HmTexture *texture, uint64_t sampler, uint32_t shape,
                        Floats coordinate, Words offset, uint32_t slice, float level,
                        float least_level) {
  HmTextureLookup lookup = lookup_of(HM_LOOKUP_SAMPLE, shape, coordinate, offset, slice);
  lookup.level = level;
  lookup.least_level = least_level;
  return look_up(texture, sampler, lookup);
}

float hm_texture_sample_compare(const HmTexture *texture, uint64_t sampler, uint32_t shape,
                                Floats coordinate, Words offset, uint32_t slice, float level,
                                float least_level, float reference) {
  HmTextureLookup lookup = lookup_of(HM_LOOKUP_SAMPLE_COMPARE, shape, coordinate, offset, slice);
  lookup.level = level;
  lookup.least_level = least_level;
  lookup.reference = reference;
  return floats(look_up(texture, sampler, lookup)).x;
}

Words hm_texture_gather(const HmTexture *texture, uint64_t sampler, uint32_t shape,
                        Floats coordinate, Words offset, uint32_t slice, uint32_t component) {
  HmTextureLookup lookup = lookup_of(HM_LOOKUP_GATHER, shape, coordinate, offset, slice);
  lookup.component = component;
  return look_up(texture, sampler, lookup);
}

Words hm_texture_gather_compare(const HmTexture *texture, uint64_t sampler, uint32_t shape,
                                Floats coordinate, Words offset, uint32_t slice, float reference) {
  HmTextureLookup lookup = lookup_of(HM_LOOKUP_GATHER_COMPARE, shape, coordinate, offset, slice);
  lookup.reference = reference;
  return look_up(texture, sampler, lookup);
}

float hm_texture_gradient_level(const HmTexture *texture, uint64_t sampler, uint32_t shape,
                                Floats coordinate, Floats dx, Floats dy) {
  HmTextureLookup lookup = lookup_of(HM_LOOKUP_GRADIENT_LEVEL, shape, coordinate, Words(0), 0);
  __builtin_memcpy(lookup.dx, &dx, sizeof(dx));
  __builtin_memcpy(lookup.dy, &dy, sizeof(dy));
  return floats(look_up(texture, sampler, lookup)).x;
}

uint32_t hm_texture_atomic_load(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image) {
  const uint32_t *at = integer_at(texture, x, y, image);
  return at ? __atomic_load_n(at, __ATOMIC_SEQ_CST) : 0;
}
void hm_texture_atomic_store(const HmTexture *texture, uint32_t x, uint32_t y, uint32_t image,
                             uint32_t value) {
  if (uint32_t *at = integer_at(texture, x, y, image))
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
/// Where there is no pixel it succeeds: programs try until it does.
bool hm_texture_atomic_compare_exchange_weak(const HmTexture *texture, uint32_t x, uint32_t y,
                                             uint32_t image, uint32_t *expected, uint32_t desired) {
  uint32_t *at = integer_at(texture, x, y, image);
  return !at || __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST);
}

#define ATOMIC(name, builtin, type)                                                                \
  uint32_t hm_texture_atomic_##name(const HmTexture *texture, uint32_t x, uint32_t y,              \
                                    uint32_t image, uint32_t value) {                              \
    auto *at = reinterpret_cast<type *>(integer_at(texture, x, y, image));                         \
    return at ? static_cast<uint32_t>(builtin(at, static_cast<type>(value), __ATOMIC_SEQ_CST))     \
              : 0;                                                                                 \
  }
ATOMIC(exchange, __atomic_exchange_n, uint32_t)
ATOMIC(fetch_add, __atomic_fetch_add, uint32_t)
ATOMIC(fetch_sub, __atomic_fetch_sub, uint32_t)
ATOMIC(fetch_and, __atomic_fetch_and, uint32_t)
ATOMIC(fetch_or, __atomic_fetch_or, uint32_t)
ATOMIC(fetch_xor, __atomic_fetch_xor, uint32_t)
ATOMIC(fetch_min_signed, __atomic_fetch_min, int32_t)
ATOMIC(fetch_max_signed, __atomic_fetch_max, int32_t)
ATOMIC(fetch_min_unsigned, __atomic_fetch_min, uint32_t)
ATOMIC(fetch_max_unsigned, __atomic_fetch_max, uint32_t)
}
