// half and bfloat builtins: computed in float and rounded once.
#include "float_math.hpp"

namespace {
constexpr float wide(half x) {
  return static_cast<float>(x);
}
constexpr float wide(bfloat x) {
  return static_cast<float>(x);
}
} // namespace

#define ONE_OF(type, suffix, name, function)                                                       \
  type name##_##suffix(type x) AIR(#name "." #suffix);                                             \
  type name##_##suffix(type x) {                                                                   \
    return static_cast<type>(function(wide(x)));                                                   \
  }                                                                                                \
  type fast_##name##_##suffix(type x) AIR("fast_" #name "." #suffix);                              \
  type fast_##name##_##suffix(type x) {                                                            \
    return static_cast<type>(function(wide(x)));                                                   \
  }
#define TWO_OF(type, suffix, name, function)                                                       \
  type name##_##suffix(type x, type y) AIR(#name "." #suffix);                                     \
  type name##_##suffix(type x, type y) {                                                           \
    return static_cast<type>(function(wide(x), wide(y)));                                          \
  }                                                                                                \
  type fast_##name##_##suffix(type x, type y) AIR("fast_" #name "." #suffix);                      \
  type fast_##name##_##suffix(type x, type y) {                                                    \
    return static_cast<type>(function(wide(x), wide(y)));                                          \
  }
#define THREE_OF(type, suffix, name, function)                                                     \
  type name##_##suffix(type x, type y, type z) AIR(#name "." #suffix);                             \
  type name##_##suffix(type x, type y, type z) {                                                   \
    return static_cast<type>(function(wide(x), wide(y), wide(z)));                                 \
  }                                                                                                \
  type fast_##name##_##suffix(type x, type y, type z) AIR("fast_" #name "." #suffix);              \
  type fast_##name##_##suffix(type x, type y, type z) {                                            \
    return static_cast<type>(function(wide(x), wide(y), wide(z)));                                 \
  }

#define ONE(name, function) ONE_OF(half, f16, name, function) ONE_OF(bfloat, bf16, name, function)
#define TWO(name, function) TWO_OF(half, f16, name, function) TWO_OF(bfloat, bf16, name, function)
#define THREE(name, function)                                                                      \
  THREE_OF(half, f16, name, function) THREE_OF(bfloat, bf16, name, function)

namespace air {
#include "float_functions.inc"

constexpr float largest_fraction_f16 = 0x1.ffcp-1f;
constexpr float largest_fraction_bf16 = 0x1.fep-1f;

#define OTHERS(type, suffix)                                                                       \
  type sincos_##suffix(type x, type *cosine) AIR("sincos." #suffix);                               \
  type sincos_##suffix(type x, type *cosine) {                                                     \
    *cosine = static_cast<type>(__builtin_cosf(wide(x)));                                          \
    return static_cast<type>(__builtin_sinf(wide(x)));                                             \
  }                                                                                                \
  type modf_##suffix(type x, type *whole) AIR("modf." #suffix);                                    \
  type modf_##suffix(type x, type *whole) {                                                        \
    float part;                                                                                    \
    float rest = math::modf(wide(x), &part);                                                       \
    *whole = static_cast<type>(part);                                                              \
    return static_cast<type>(rest);                                                                \
  }                                                                                                \
  type frexp_##suffix(type x, int *exponent) AIR("frexp." #suffix);                                \
  type frexp_##suffix(type x, int *exponent) {                                                     \
    return static_cast<type>(math::frexp(wide(x), exponent));                                      \
  }                                                                                                \
  type ldexp_##suffix(type x, int exponent) AIR("ldexp." #suffix);                                 \
  type ldexp_##suffix(type x, int exponent) {                                                      \
    return static_cast<type>(__builtin_ldexpf(wide(x), exponent));                                 \
  }                                                                                                \
  type fract_##suffix(type x) AIR("fract." #suffix);                                               \
  type fract_##suffix(type x) {                                                                    \
    return static_cast<type>(math::fract(wide(x), largest_fraction_##suffix));                     \
  }                                                                                                \
  int ilogb_##suffix(type x) AIR("ilogb." #suffix);                                                \
  int ilogb_##suffix(type x) {                                                                     \
    return math::ilogb(wide(x));                                                                   \
  }                                                                                                \
  type nextafter_##suffix(type x, type y) AIR("nextafter." #suffix);                               \
  type nextafter_##suffix(type x, type y) {                                                        \
    float a = wide(x), b = wide(y);                                                                \
    if (__builtin_isunordered(a, b))                                                               \
      return static_cast<type>(a + b);                                                             \
    if (a == b)                                                                                    \
      return y;                                                                                    \
    uint16_t bits = __builtin_bit_cast(uint16_t, x);                                               \
    if (a == 0.0f)                                                                                 \
      bits = static_cast<uint16_t>(b < 0.0f ? 0x8001 : 1);                                         \
    else                                                                                           \
      bits = static_cast<uint16_t>((a < b) == (a > 0.0f) ? bits + 1 : bits - 1);                   \
    return __builtin_bit_cast(type, bits);                                                         \
  }
OTHERS(half, f16)
OTHERS(bfloat, bf16)
} // namespace air
