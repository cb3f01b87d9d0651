/// One pixel of a texture, from memory to the four components that a kernel sees and back, by the
/// conversion rules of Metal's specification. Freestanding: the device library is built of it too,
/// where 16-bit floats are not to be had, so it converts them as integers.
#pragma once

#include "hostmetal/image/abi.h"
#include "hostmetal/image/srgb_table.hpp"

#include <stdint.h>

namespace hostmetal::image {

/// Components are r, g, b, a in memory unless the name says otherwise; packed kinds are named from
/// the lowest bit on.
enum class TexelKind : uint8_t {
  unorm,
  snorm,
  uint_,
  sint_,
  float_,
  srgb,
  bgra_unorm,
  bgra_srgb,
  alpha_unorm,
  rgb10a2_unorm,
  rgb10a2_uint,
  bgr10a2_unorm,
  rg11b10_float,
  rgb9e5_float,
  b5g6r5_unorm,
  a1bgr5_unorm,
  abgr4_unorm,
  bgr5a1_unorm,
};

/// The components of one pixel: floats as their bits, or integers.
using Words = uint32_t __attribute__((ext_vector_type(4)));
using Floats = float __attribute__((ext_vector_type(4)));
using Integers = int32_t __attribute__((ext_vector_type(4)));

constexpr uint32_t float_one = 0x3f800000;

constexpr TexelKind kind_of(HmTexelFormat format) {
  return static_cast<TexelKind>(format.kind);
}
constexpr bool is_integer(HmTexelFormat format) {
  const TexelKind kind = kind_of(format);
  return kind == TexelKind::uint_ || kind == TexelKind::sint_ || kind == TexelKind::rgb10a2_uint;
}
constexpr bool has_alpha(HmTexelFormat format) {
  return format.components == 4 || kind_of(format) == TexelKind::alpha_unorm;
}

namespace texel {

inline Floats floats(Words bits) {
  return __builtin_bit_cast(Floats, bits);
}
inline Words words(Floats values) {
  return __builtin_bit_cast(Words, values);
}
inline Words words(Integers values) {
  return __builtin_bit_cast(Words, values);
}
inline Words select(Integers mask, Words yes, Words no) {
  const Words bits = words(mask);
  return (yes & bits) | (no & ~bits);
}

inline Floats half_to_float(Words half) {
  const Words magnitude = half & 0x7fff;
  const Words normal = (magnitude << 13) + (112u << 23);
  const Words special = (magnitude << 13) | 0x7f800000;
  // Through integers: read as floats they are subnormal, which the processor may flush.
  const Words small = words(__builtin_convertvector(magnitude, Floats) * 0x1p-24f);
  Words result = select(magnitude >= 0x7c00, special, normal);
  result = select(magnitude < 0x400, small, result);
  return floats(result | (half & 0x8000) << 16);
}

inline Words float_to_half(Floats value) {
  const Words bits = words(value), magnitude = bits & 0x7fffffff;
  // Normal results: move the exponent by -112 and round to even; a carry may reach infinity.
  const Words normal = (magnitude + 0xc8000fffu + (magnitude >> 13 & 1)) >> 13;
  // Subnormal results: adding 0.5 lets the addition round at 2^-24.
  const Words small = words(floats(magnitude) + 0.5f) - 0x3f000000;
  Words result = select(magnitude < 0x38800000, small, normal);
  result = select(magnitude >= 0x47800000, Words(0x7c00), result);
  result = select(magnitude > 0x7f800000, Words(0x7e00), result);
  return result | (bits >> 16 & 0x8000);
}

/// To an unsigned float with 5 bits of exponent and `fraction` bits of fraction: nearest even, not
/// below 0, and never from a number to infinity.
inline uint32_t float_to_small(float value, uint32_t fraction) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value), magnitude = bits & 0x7fffffff;
  const uint32_t infinity = 31u << fraction, shift = 23 - fraction;
  if (magnitude > 0x7f800000)
    return infinity | 1u << (fraction - 1);
  if (bits >> 31)
    return 0;
  if (magnitude == 0x7f800000)
    return infinity;
  if (magnitude < 0x38800000) // 2^-14
    return static_cast<uint32_t>(
        __builtin_rintf(value * static_cast<float>(uint32_t{1} << (14 + fraction))));
  const uint32_t rounded =
      (magnitude - (112u << 23) + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
  return rounded < infinity ? rounded : infinity - 1;
}

/// From `low` to 1, where NaN is 0.
inline Floats clamp(Floats value, float low) {
  Words bits = select(value == value, words(value), Words(0));
  bits = select(floats(bits) > 1.0f, Words(float_one), bits);
  return floats(select(floats(bits) < low, words(Floats(low)), bits));
}
inline Words to_unorm(Floats value, Floats largest) {
  return __builtin_convertvector(__builtin_elementwise_rint(clamp(value, 0.0f) * largest), Words);
}
inline Words to_snorm(Floats value, float largest) {
  return words(__builtin_convertvector(
      __builtin_elementwise_rint(clamp(value, -1.0f) * Floats(largest)), Integers));
}
inline Floats from_unorm(Words value, Floats largest) {
  return __builtin_convertvector(value, Floats) / largest;
}
inline Floats from_snorm(Words value, float largest) {
  const Floats quotient =
      __builtin_convertvector(__builtin_bit_cast(Integers, value), Floats) / Floats(largest);
  return floats(select(quotient < -1.0f, words(Floats(-1.0f)), words(quotient)));
}

inline Words to_srgb(Floats value) {
  const Floats clamped = clamp(value, 0.0f);
  const Words alpha = to_unorm(value, Floats(255.0f));
  return Words{srgb::encode(clamped.x), srgb::encode(clamped.y), srgb::encode(clamped.z), alpha.w};
}
inline Floats from_srgb(Words value) {
  return Floats{srgb::to_linear[value.x & 255], srgb::to_linear[value.y & 255],
                srgb::to_linear[value.z & 255], static_cast<float>(value.w) / 255.0f};
}

/// The largest values of components that have their own number of bits each.
inline Floats largest_of(TexelKind kind) {
  switch (kind) {
  case TexelKind::b5g6r5_unorm:
    return Floats{31, 63, 31, 1};
  case TexelKind::a1bgr5_unorm:
  case TexelKind::bgr5a1_unorm:
    return Floats{31, 31, 31, 1};
  case TexelKind::abgr4_unorm:
    return Floats{15, 15, 15, 15};
  default:
    return Floats{1023, 1023, 1023, 3};
  }
}

/// r, g, b, a out of one word.
inline Words unpack(TexelKind kind, uint32_t word) {
  const auto bits = [word](uint32_t from, uint32_t count) {
    return word >> from & ((1u << count) - 1);
  };
  switch (kind) {
  case TexelKind::b5g6r5_unorm:
    return Words{bits(11, 5), bits(5, 6), bits(0, 5), 0};
  case TexelKind::a1bgr5_unorm:
    return Words{bits(11, 5), bits(6, 5), bits(1, 5), bits(0, 1)};
  case TexelKind::abgr4_unorm:
    return Words{bits(12, 4), bits(8, 4), bits(4, 4), bits(0, 4)};
  case TexelKind::bgr5a1_unorm:
    return Words{bits(10, 5), bits(5, 5), bits(0, 5), bits(15, 1)};
  case TexelKind::bgr10a2_unorm:
    return Words{bits(20, 10), bits(10, 10), bits(0, 10), bits(30, 2)};
  default:
    return Words{bits(0, 10), bits(10, 10), bits(20, 10), bits(30, 2)};
  }
}
inline uint32_t pack(TexelKind kind, Words v) {
  switch (kind) {
  case TexelKind::b5g6r5_unorm:
    return v.x << 11 | v.y << 5 | v.z;
  case TexelKind::a1bgr5_unorm:
    return v.x << 11 | v.y << 6 | v.z << 1 | v.w;
  case TexelKind::abgr4_unorm:
    return v.x << 12 | v.y << 8 | v.z << 4 | v.w;
  case TexelKind::bgr5a1_unorm:
    return v.w << 15 | v.x << 10 | v.y << 5 | v.z;
  case TexelKind::bgr10a2_unorm:
    return v.w << 30 | v.x << 20 | v.y << 10 | v.z;
  default:
    return v.w << 30 | v.z << 20 | v.y << 10 | v.x;
  }
}

/// Fractions of 9 bits under one exponent.
inline uint32_t to_rgb9e5(Floats value) {
  constexpr float largest = 65408.0f; // 511/512 * 2^16
  const auto limited = [](float x) { return x > 0.0f ? (x < largest ? x : largest) : 0.0f; };
  const float r = limited(value.x), g = limited(value.y), b = limited(value.z);
  const float most = r > g ? (r > b ? r : b) : (g > b ? g : b);
  const int power = static_cast<int>(__builtin_bit_cast(uint32_t, most) >> 23) - 127;
  int exponent = (power > -16 ? power : -16) + 16;
  const auto scale = [](int e) { // 2^(24 - e)
    return __builtin_bit_cast(float, static_cast<uint32_t>(127 + 24 - e) << 23);
  };
  if (__builtin_rintf(most * scale(exponent)) >= 512.0f)
    ++exponent;
  const auto fraction = [&](float x) {
    return static_cast<uint32_t>(__builtin_rintf(x * scale(exponent)));
  };
  return static_cast<uint32_t>(exponent) << 27 | fraction(b) << 18 | fraction(g) << 9 | fraction(r);
}
inline Floats from_rgb9e5(uint32_t word) {
  const float scale = __builtin_bit_cast(float, (127 - 24 + (word >> 27)) << 23);
  return Floats{static_cast<float>(word & 511) * scale, static_cast<float>(word >> 9 & 511) * scale,
                static_cast<float>(word >> 18 & 511) * scale, 1.0f};
}

template <class T> inline T read(const uint8_t *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <class T> inline void write(uint8_t *to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

template <class T> inline Words read_components(const uint8_t *from, uint32_t count) {
  typedef T Four __attribute__((ext_vector_type(4)));
  if (count == 4)
    return __builtin_convertvector(read<Four>(from), Words);
  return Words{read<T>(from), count > 1 ? uint32_t{read<T>(from + sizeof(T))} : 0u, 0u, 0u};
}
template <class T> inline void write_components(uint8_t *to, uint32_t count, Words value) {
  typedef T Four __attribute__((ext_vector_type(4)));
  if (count == 4)
    return write(to, __builtin_convertvector(value, Four));
  write(to, static_cast<T>(value.x));
  if (count > 1)
    write(to + sizeof(T), static_cast<T>(value.y));
}

inline Words read_components(HmTexelFormat format, const uint8_t *from) {
  switch (format.bits) {
  case 8:
    return read_components<uint8_t>(from, format.components);
  case 16:
    return read_components<uint16_t>(from, format.components);
  default:
    return read_components<uint32_t>(from, format.components);
  }
}
inline void write_components(HmTexelFormat format, uint8_t *to, Words value) {
  switch (format.bits) {
  case 8:
    return write_components<uint8_t>(to, format.components, value);
  case 16:
    return write_components<uint16_t>(to, format.components, value);
  default:
    return write_components<uint32_t>(to, format.components, value);
  }
}

/// The largest of the integers with that many bits.
inline uint32_t largest_uint(uint32_t bits) {
  return ~0u >> (32 - bits);
}
inline Words sign_extended(Words value, uint32_t bits) {
  return words((__builtin_bit_cast(Integers, value << (32 - bits))) >>
               Integers(static_cast<int32_t>(32 - bits)));
}
inline Words saturated_uint(Words value, Words largest) {
  return select(value > largest, largest, value);
}
inline Words saturated_sint(Words value, uint32_t bits) {
  const Integers largest(static_cast<int32_t>(largest_uint(bits) >> 1));
  const Integers given = __builtin_bit_cast(Integers, value);
  return select(given > largest, words(largest), select(given < ~largest, words(~largest), value));
}

/// The components that the format does not have: 0, and 1 for alpha.
inline Words completed(HmTexelFormat format, Words value) {
  const Integers place{0, 1, 2, 3};
  const Words missing{0, 0, 0, is_integer(format) ? 1u : float_one};
  return select(place < Integers(static_cast<int32_t>(format.components)), value, missing);
}

} // namespace texel

/// What a kernel sees of the pixel at an address.
inline Words load_texel(HmTexelFormat format, const uint8_t *from) {
  using namespace texel;
  const TexelKind kind = kind_of(format);
  switch (kind) {
  case TexelKind::unorm: {
    const Floats largest(static_cast<float>(largest_uint(format.bits)));
    return completed(format, words(from_unorm(read_components(format, from), largest)));
  }
  case TexelKind::snorm: {
    const Words value = sign_extended(read_components(format, from), format.bits);
    return completed(format,
                     words(from_snorm(value, static_cast<float>(largest_uint(format.bits) >> 1))));
  }
  case TexelKind::uint_:
    return completed(format, read_components(format, from));
  case TexelKind::sint_:
    return completed(format, sign_extended(read_components(format, from), format.bits));
  case TexelKind::float_: {
    const Words value = read_components(format, from);
    return completed(format, format.bits == 16 ? words(half_to_float(value)) : value);
  }
  case TexelKind::srgb:
    return completed(format, words(from_srgb(read_components<uint8_t>(from, format.components))));
  case TexelKind::bgra_unorm:
    return words(from_unorm(read_components<uint8_t>(from, 4).zyxw, Floats(255.0f)));
  case TexelKind::bgra_srgb:
    return words(from_srgb(read_components<uint8_t>(from, 4).zyxw));
  case TexelKind::alpha_unorm:
    return words(Floats{0, 0, 0, static_cast<float>(*from) / 255.0f});
  case TexelKind::rgb10a2_uint:
    return unpack(kind, read<uint32_t>(from));
  case TexelKind::rg11b10_float: {
    const auto word = read<uint32_t>(from);
    return completed(format,
                     words(half_to_float(Words{(word & 0x7ff) << 4, (word >> 11 & 0x7ff) << 4,
                                               word >> 22 << 5, 0})));
  }
  case TexelKind::rgb9e5_float:
    return words(from_rgb9e5(read<uint32_t>(from)));
  case TexelKind::rgb10a2_unorm:
  case TexelKind::bgr10a2_unorm:
    return words(from_unorm(unpack(kind, read<uint32_t>(from)), largest_of(kind)));
  case TexelKind::b5g6r5_unorm:
  case TexelKind::a1bgr5_unorm:
  case TexelKind::abgr4_unorm:
  case TexelKind::bgr5a1_unorm:
    return completed(format,
                     words(from_unorm(unpack(kind, read<uint16_t>(from)), largest_of(kind))));
  }
  __builtin_unreachable();
}

/// Stores what a kernel writes.
inline void store_texel(HmTexelFormat format, uint8_t *to, Words value) {
  using namespace texel;
  const TexelKind kind = kind_of(format);
  switch (kind) {
  case TexelKind::unorm: {
    const Floats largest(static_cast<float>(largest_uint(format.bits)));
    return write_components(format, to, to_unorm(floats(value), largest));
  }
  case TexelKind::snorm:
    return write_components(
        format, to, to_snorm(floats(value), static_cast<float>(largest_uint(format.bits) >> 1)));
  case TexelKind::uint_:
    return write_components(format, to, saturated_uint(value, Words(largest_uint(format.bits))));
  case TexelKind::sint_:
    return write_components(format, to, saturated_sint(value, format.bits));
  case TexelKind::float_:
    return write_components(format, to, format.bits == 16 ? float_to_half(floats(value)) : value);
  case TexelKind::srgb:
    return write_components<uint8_t>(to, format.components, to_srgb(floats(value)));
  case TexelKind::bgra_unorm:
    return write_components<uint8_t>(to, 4, to_unorm(floats(value), Floats(255.0f)).zyxw);
  case TexelKind::bgra_srgb:
    return write_components<uint8_t>(to, 4, to_srgb(floats(value)).zyxw);
  case TexelKind::alpha_unorm:
    return write(to, static_cast<uint8_t>(to_unorm(floats(value), Floats(255.0f)).w));
  case TexelKind::rgb10a2_uint:
    return write(to, pack(kind, saturated_uint(value, Words{1023, 1023, 1023, 3})));
  case TexelKind::rg11b10_float:
    return write(to, float_to_small(floats(value).z, 5) << 22 |
                         float_to_small(floats(value).y, 6) << 11 |
                         float_to_small(floats(value).x, 6));
  case TexelKind::rgb9e5_float:
    return write(to, to_rgb9e5(floats(value)));
  case TexelKind::rgb10a2_unorm:
  case TexelKind::bgr10a2_unorm:
    return write(to, pack(kind, to_unorm(floats(value), largest_of(kind))));
  case TexelKind::b5g6r5_unorm:
  case TexelKind::a1bgr5_unorm:
  case TexelKind::abgr4_unorm:
  case TexelKind::bgr5a1_unorm:
    return write(to, static_cast<uint16_t>(pack(kind, to_unorm(floats(value), largest_of(kind)))));
  }
  __builtin_unreachable();
}

} // namespace hostmetal::image
