// float functions of MSL that C does not have, and C's where Metal's differ.
#pragma once

#include "device.hpp"

namespace math {

inline float reciprocal(float x) {
  return 1.0f / x;
}
inline float divide(float x, float y) {
  return x / y;
}
inline float rsqrt(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
inline float exp10(float x) {
  return __builtin_exp10f(x);
}

/// Not above the type's largest number below 1, which tiny negative values would be rounded to.
inline float fract(float x, float largest) {
  if (__builtin_isinf(x))
    return __builtin_copysignf(0.0f, x);
  return __builtin_isnan(x) ? x : __builtin_fminf(x - __builtin_floorf(x), largest);
}

inline float clamp(float x, float low, float high) {
  return __builtin_fminf(__builtin_fmaxf(x, low), high);
}
inline float saturate(float x) {
  return clamp(x, 0.0f, 1.0f);
}
/// NaN gives 0, and zeros keep their sign.
inline float sign(float x) {
  if (__builtin_isnan(x))
    return 0.0f;
  return x == 0.0f ? x : __builtin_copysignf(1.0f, x);
}
inline float mix(float x, float y, float a) {
  return x + (y - x) * a;
}
inline float step(float edge, float x) {
  return x < edge ? 0.0f : 1.0f;
}
inline float smoothstep(float low, float high, float x) {
  float t = saturate((x - low) / (high - low));
  return t * t * (3.0f - 2.0f * t);
}
inline float fdim(float x, float y) {
  if (__builtin_isunordered(x, y))
    return x + y;
  return x > y ? x - y : 0.0f;
}
inline float max3(float x, float y, float z) {
  return __builtin_fmaxf(x, __builtin_fmaxf(y, z));
}
inline float min3(float x, float y, float z) {
  return __builtin_fminf(x, __builtin_fminf(y, z));
}
/// With NaN among them, the smaller of the others.
inline float median3(float x, float y, float z) {
  if (__builtin_isnan(x) || __builtin_isnan(y) || __builtin_isnan(z))
    return min3(x, y, z);
  return __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z));
}
/// powr is exp2(y * log2(x)): only for x that are not negative, and not a number where one is none.
inline float powr(float x, float y) {
  if (x < 0.0f || __builtin_isunordered(x, y))
    return __builtin_nanf("");
  if ((x == 0.0f && y == 0.0f) || (__builtin_isinf(x) && y == 0.0f) ||
      (x == 1.0f && __builtin_isinf(y)))
    return __builtin_nanf("");
  return __builtin_powf(__builtin_fabsf(x), y); // a negative zero is as good as zero
}

inline constexpr float pi = 0x1.921fb6p+1f;

/// What is left of x after the nearest multiple of two; exact.
inline float turn(float x) {
  return x - 2.0f * __builtin_rintf(0.5f * x);
}
/// sin and cos of pi * r for |r| <= 1/4, where the product's rounding does little.
inline float sine_of_turn(float r) {
  return __builtin_sinf(pi * r);
}
inline float cosine_of_turn(float r) {
  return __builtin_cosf(pi * r);
}

inline float sinpi(float x) {
  if (__builtin_isinf(x))
    return __builtin_nanf("");
  float r = turn(x), a = __builtin_fabsf(r);
  float folded = a > 0.5f ? 1.0f - a : a;
  float s = folded > 0.25f ? cosine_of_turn(0.5f - folded) : sine_of_turn(folded);
  return __builtin_copysignf(s, r == 0.0f ? x : r);
}
inline float cospi(float x) {
  if (__builtin_isinf(x))
    return __builtin_nanf("");
  float a = __builtin_fabsf(turn(x));
  float folded = a > 0.5f ? 1.0f - a : a;
  float c = folded > 0.25f ? sine_of_turn(0.5f - folded) : cosine_of_turn(folded);
  return a > 0.5f ? -c : c;
}
inline float tanpi(float x) {
  return sinpi(x) / cospi(x);
}

inline float modf(float x, float *whole) {
  *whole = __builtin_truncf(x);
  return __builtin_copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}

inline int exponent_bits(uint32_t bits) {
  return static_cast<int>(bits >> 23 & 0xff);
}

inline float frexp(float x, int *exponent) {
  uint32_t bits = __builtin_bit_cast(uint32_t, x);
  int biased = exponent_bits(bits), adjust = 126;
  if (x == 0.0f || biased == 0xff) {
    *exponent = 0;
    return x;
  }
  if (biased == 0) { // subnormal
    bits = __builtin_bit_cast(uint32_t, x * 0x1p24f);
    biased = exponent_bits(bits);
    adjust += 24;
  }
  *exponent = biased - adjust;
  return __builtin_bit_cast(float, (bits & 0x807fffff) | 0x3f000000);
}

/// FP_ILOGB0 and FP_ILOGBNAN are both INT_MIN.
inline int ilogb(float x) {
  if (x == 0.0f || __builtin_isnan(x))
    return INT32_MIN;
  if (__builtin_isinf(x))
    return INT32_MAX;
  int exponent;
  frexp(x, &exponent);
  return exponent - 1;
}

inline float nextafter(float x, float y) {
  if (__builtin_isunordered(x, y))
    return x + y;
  if (x == y)
    return y;
  if (x == 0.0f)
    return __builtin_copysignf(0x1p-149f, y);
  uint32_t bits = __builtin_bit_cast(uint32_t, x);
  return __builtin_bit_cast(float, (x < y) == (x > 0.0f) ? bits + 1 : bits - 1);
}

} // namespace math
