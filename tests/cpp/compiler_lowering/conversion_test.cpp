// Conversions between all of MSL's scalar types: saturating, rounding to even, NaN to zero.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace hostmetal;

namespace {

/// The bits of a 16-bit float nearest to `value`, ties to even; by the definition.
uint16_t narrow(float value, int exponent_bits, int fraction_bits) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int largest = (1 << exponent_bits) - 1, bias = largest / 2;
  uint16_t infinite = static_cast<uint16_t>(largest << fraction_bits);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinite | 1 << (fraction_bits - 1));
  double magnitude = std::fabs(double(value));
  if (std::isinf(magnitude))
    return sign | infinite;
  int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  double steps = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));
  // A carry out of the fraction moves the exponent on, up to infinity.
  double bits = steps + std::ldexp(double(exponent + bias - 1), fraction_bits);
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::min(bits, double(infinite))));
}
uint16_t to_half(float value) {
  return narrow(value, 5, 10);
}
uint16_t to_bfloat(float value) {
  return narrow(value, 8, 7);
}
float from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return static_cast<float>(bits & 0x8000 ? -magnitude : magnitude);
}
float from_bfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

struct Type {
  const char *air;  ///< "f.f32"
  const char *llvm; ///< "float"
  unsigned bytes;
};

/// out[i] = convert(in[i]) on a target; elements are raw bits.
template <class To, class From>
std::vector<To> convert(Type to, Type from, std::vector<From> in, const std::string &target = "") {
  std::string name = std::string("@air.convert.") + to.air + "." + from.air;
  air::Kernel kernel{"convert",
                     {air::device(0, "uint", to.bytes), air::device(1, "uint", from.bytes, false),
                      air::builtin("thread_position_in_grid")},
                     std::string("  %p = getelementptr ") + from.llvm +
                         ", ptr %1, i32 %2\n  %x = load " + from.llvm + ", ptr %p\n  %r = call " +
                         to.llvm + " " + name + "(" + from.llvm + " %x)\n  %q = getelementptr " +
                         to.llvm + ", ptr %0, i32 %2\n  store " + to.llvm +
                         " %r, ptr %q\n  ret void",
                     ""};
  std::vector<To> out(in.size());
  run(air::bitcode({kernel},
                   std::string("declare ") + to.llvm + " " + name + "(" + from.llvm + ")\n"),
      "convert", {bind(out), bind(in)}, {static_cast<uint32_t>(in.size()), 1, 1}, {64, 1, 1},
      target);
  return out;
}

const Type f32{"f.f32", "float", 4}, f16{"f.f16", "half", 2}, bf16{"f.bf16", "bfloat", 2};

std::vector<float> floats() {
  std::mt19937 random(2);
  std::vector<float> result{
      0.0f,     -0.0f,     0.4f,     -0.5f,    127.9f,     128.0f,       -129.0f,   255.9f,  256.0f,
      32768.0f, -32769.0f, 65535.9f, 65520.0f, 65519.0f,   2.1474836e9f, 2.2e9f,    -2.2e9f, 4.3e9f,
      9.3e18f,  -9.3e18f,  1.9e19f,  1e38f,    -1e38f,     INFINITY,     -INFINITY, NAN,     1e-8f,
      6e-5f,    2.98e-8f,  0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1p-149f};
  for (int i = 0; i < 20000; ++i)
    result.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  return result;
}

template <class T> void expect_saturates(const char *air_name, const char *llvm_type) {
  std::vector<float> in = floats();
  std::vector<T> out = convert<T>({air_name, llvm_type, sizeof(T)}, f32, in);
  for (size_t i = 0; i < in.size(); ++i) {
    long double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    T expected = std::isnan(in[i]) ? T(0)
                 : in[i] <= low    ? std::numeric_limits<T>::min()
                 : in[i] >= high   ? std::numeric_limits<T>::max()
                                   : static_cast<T>(in[i]);
    ASSERT_EQ(out[i], expected) << in[i] << " to " << air_name;
  }
}

TEST(Conversion, FloatToIntegersSaturates) {
  expect_saturates<int8_t>("s.i8", "i8");
  expect_saturates<uint8_t>("u.i8", "i8");
  expect_saturates<int16_t>("s.i16", "i16");
  expect_saturates<uint16_t>("u.i16", "i16");
  expect_saturates<int32_t>("s.i32", "i32");
  expect_saturates<uint32_t>("u.i32", "i32");
  expect_saturates<int64_t>("s.i64", "i64");
  expect_saturates<uint64_t>("u.i64", "i64");
}

TEST(Conversion, IntegersToFloat) {
  std::mt19937_64 random(4);
  std::vector<int64_t> in{0, 1, -1, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 1000; ++i)
    in.push_back(static_cast<int64_t>(random()));
  std::vector<float> from_signed = convert<float>(f32, {"s.i64", "i64", 8}, in);
  std::vector<float> from_unsigned = convert<float>(f32, {"u.i64", "i64", 8}, in);
  for (size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(from_signed[i], static_cast<float>(in[i]));
    ASSERT_EQ(from_unsigned[i], static_cast<float>(static_cast<uint64_t>(in[i])));
  }
}

TEST(Conversion, BoolIsZeroOrOne) {
  air::Kernel kernel{"bools",
                     {air::device(0, "float", 4), air::device(1, "float", 4, false),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %p = getelementptr float, ptr %1, i32 %2
  %x = load float, ptr %p
  %b = call i1 @air.convert.u.i1.f.f32(float %x)
  %r = call float @air.convert.f.f32.u.i1(i1 %b)
  %q = getelementptr float, ptr %0, i32 %2
  store float %r, ptr %q
  ret void)",
                     ""};
  std::vector<float> in{0, -0.0f, 1, -3, NAN, 1e-40f, INFINITY}, out(in.size());
  run(air::bitcode({kernel}, "declare i1 @air.convert.u.i1.f.f32(float)\n"
                             "declare float @air.convert.f.f32.u.i1(i1)\n"),
      "bools", {bind(out), bind(in)}, {7, 1, 1}, {7, 1, 1});
  EXPECT_EQ(out, (std::vector<float>{0, 0, 1, 1, 1, 1, 1}));
}

TEST(Conversion, NarrowFloatsRoundToEven) {
  std::vector<float> in = floats();
  for (std::string target : {"", "x86-64-v2", "x86-64-v3"}) {
    std::vector<uint16_t> half = convert<uint16_t>(f16, f32, in, target);
    std::vector<uint16_t> bfloat = convert<uint16_t>(bf16, f32, in, target);
    for (size_t i = 0; i < in.size(); ++i) {
      if (std::isnan(in[i])) {
        ASSERT_TRUE(std::isnan(from_half(half[i])) && std::isnan(from_bfloat(bfloat[i])));
        continue;
      }
      ASSERT_EQ(half[i], to_half(in[i])) << in[i] << " on " << target;
      ASSERT_EQ(bfloat[i], to_bfloat(in[i])) << in[i] << " on " << target;
    }
  }
}

TEST(Conversion, NarrowFloatsToFloatAreExact) {
  std::vector<uint16_t> in(65536);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint16_t>(i);
  for (std::string target : {"", "x86-64-v2"}) {
    std::vector<float> half = convert<float>(f32, f16, in, target);
    std::vector<float> bfloat = convert<float>(f32, bf16, in, target);
    std::vector<uint16_t> between = convert<uint16_t>(bf16, f16, in, target);
    for (size_t i = 0; i < in.size(); ++i) {
      if (!std::isnan(from_half(in[i]))) {
        ASSERT_EQ(half[i], from_half(in[i])) << i;
        ASSERT_EQ(between[i], to_bfloat(from_half(in[i]))) << i;
      } else {
        ASSERT_TRUE(std::isnan(half[i])) << i;
      }
      ASSERT_EQ(std::bit_cast<uint32_t>(bfloat[i]) >> 16, in[i]);
    }
  }
}

/// half and bfloat arithmetic, with and without the processor's conversions.
TEST(Conversion, ArithmeticOnNarrowFloats) {
  std::mt19937 random(6);
  std::vector<uint16_t> a(4000), b(4000), out(4000);
  for (std::string target : {"", "x86-64-v2"})
    for (std::string type : {"half", "bfloat"}) {
      bool is_half = type == "half";
      for (size_t i = 0; i < a.size(); ++i) {
        a[i] = is_half ? to_half(0.01f * float(random() % 4000)) : to_bfloat(float(random() % 999));
        b[i] = is_half ? to_half(0.5f * float(random() % 100)) : to_bfloat(float(random() % 77));
      }
      std::string fma = is_half ? "@air.fma.f16" : "@air.fma.bf16";
      air::Kernel kernel{"arithmetic",
                         {air::device(0, "half", 2), air::device(1, "half", 2, false),
                          air::device(2, "half", 2, false),
                          air::builtin("thread_position_in_grid")},
                         "  %pa = getelementptr T, ptr %1, i32 %3\n  %a = load T, ptr %pa\n"
                         "  %pb = getelementptr T, ptr %2, i32 %3\n  %b = load T, ptr %pb\n"
                         "  %product = fmul T %a, %b\n  %sum = fadd T %product, %a\n"
                         "  %less = fcmp olt T %a, %b\n  %c = select i1 %less, T %sum, T %product\n"
                         "  %d = fneg T %c\n  %r = call T " +
                             fma +
                             "(T %d, T %b, T %a)\n  %q = getelementptr T, ptr %0, i32 %3\n"
                             "  store T %r, ptr %q\n  ret void",
                         ""};
      std::string text = air::module_text({kernel}, "declare T " + fma + "(T, T, T)\n");
      for (size_t at; (at = text.find(" T ")) != std::string::npos;)
        text.replace(at + 1, 1, type);
      for (std::string mark : {"T,", "(T", "T)"})
        for (size_t at; (at = text.find(mark)) != std::string::npos;)
          text.replace(at + mark.find('T'), 1, type);
      run(air::bitcode(text), "arithmetic", {bind(out), bind(a), bind(b)}, {4000, 1, 1},
          {100, 1, 1}, target);
      auto wide = is_half ? from_half : from_bfloat;
      auto round = is_half ? to_half : to_bfloat;
      for (size_t i = 0; i < a.size(); ++i) {
        float x = wide(a[i]), y = wide(b[i]);
        float product = wide(round(x * y)), sum = wide(round(product + x));
        float d = -(x < y ? sum : product);
        ASSERT_EQ(out[i], round(std::fmaf(d, y, x))) << x << " " << y << " " << type << target;
      }
    }
}

} // namespace
