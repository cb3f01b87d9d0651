// float builtins. The precise forms are the C library's, or LLVM operations that turn into them,
// all within Metal's limits of error; so are the fast ones, which Metal allows to be less exact:
// both vectorise through libmvec. `air.fast_` forms differ only where IEEE corner cases cost time.
#include "float_math.hpp"

#define ONE(name, function)                                                                        \
  float name(float x) AIR(#name ".f32");                                                           \
  float name(float x) {                                                                            \
    return function(x);                                                                            \
  }                                                                                                \
  float fast_##name(float x) AIR("fast_" #name ".f32");                                            \
  float fast_##name(float x) {                                                                     \
    return function(x);                                                                            \
  }
#define TWO(name, function)                                                                        \
  float name(float x, float y) AIR(#name ".f32");                                                  \
  float name(float x, float y) {                                                                   \
    return function(x, y);                                                                         \
  }                                                                                                \
  float fast_##name(float x, float y) AIR("fast_" #name ".f32");                                   \
  float fast_##name(float x, float y) {                                                            \
    return function(x, y);                                                                         \
  }
#define THREE(name, function)                                                                      \
  float name(float x, float y, float z) AIR(#name ".f32");                                         \
  float name(float x, float y, float z) {                                                          \
    return function(x, y, z);                                                                      \
  }                                                                                                \
  float fast_##name(float x, float y, float z) AIR("fast_" #name ".f32");                          \
  float fast_##name(float x, float y, float z) {                                                   \
    return function(x, y, z);                                                                      \
  }

namespace air {
#include "float_functions.inc"

float fract(float x) AIR("fract.f32");
float fract(float x) {
  return math::fract(x, 0x1.fffffep-1f);
}
float fast_fract(float x) AIR("fast_fract.f32");
float fast_fract(float x) {
  return math::fract(x, 0x1.fffffep-1f);
}

float sincos(float x, float *cosine) AIR("sincos.f32");
float sincos(float x, float *cosine) {
  *cosine = __builtin_cosf(x);
  return __builtin_sinf(x);
}
float fast_sincos(float x, float *cosine) AIR("fast_sincos.f32");
float fast_sincos(float x, float *cosine) {
  return sincos(x, cosine);
}

float modf(float x, float *whole) AIR("modf.f32");
float modf(float x, float *whole) {
  return math::modf(x, whole);
}
float fast_modf(float x, float *whole) AIR("fast_modf.f32");
float fast_modf(float x, float *whole) {
  return math::modf(x, whole);
}

float frexp(float x, int *exponent) AIR("frexp.f32");
float frexp(float x, int *exponent) {
  return math::frexp(x, exponent);
}
float fast_frexp(float x, int *exponent) AIR("fast_frexp.f32");
float fast_frexp(float x, int *exponent) {
  return math::frexp(x, exponent);
}

float ldexp(float x, int exponent) AIR("ldexp.f32");
float ldexp(float x, int exponent) {
  return __builtin_ldexpf(x, exponent);
}
float fast_ldexp(float x, int exponent) AIR("fast_ldexp.f32");
float fast_ldexp(float x, int exponent) {
  return __builtin_ldexpf(x, exponent);
}

int ilogb(float x) AIR("ilogb.f32");
int ilogb(float x) {
  return math::ilogb(x);
}
int fast_ilogb(float x) AIR("fast_ilogb.f32");
int fast_ilogb(float x) {
  return math::ilogb(x);
}

float nextafter(float x, float y) AIR("nextafter.f32");
float nextafter(float x, float y) {
  return math::nextafter(x, y);
}
} // namespace air
