// Floating-point builtins against float64, within the limits of error of the Metal specification.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace hostmetal;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Distance in units of the last place of a float near `expected`.
double ulps(float got, double expected) {
  float rounded = static_cast<float>(expected);
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) {
    // The neighbour of infinity is the largest float.
    if (rounded == got)
      return 0;
    return std::isinf(rounded) && std::abs(got) > 3.4028e38f && (got > 0) == (rounded > 0) ? 1
                                                                                           : 1e30;
  }
  // Metal lets results below the normal range become zero.
  if (std::abs(expected) < 0x1p-126 && std::abs(got) <= 0x1p-126f)
    return 0;
  int exponent;
  std::frexp(expected, &exponent);
  return std::abs(got - expected) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

std::vector<float> call(const std::string &name, const std::vector<std::vector<float>> &arguments,
                        const std::string &target) {
  air::Kernel kernel{"math", {air::device(0, "float", 4)}, "", ""};
  std::string parameters, types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string n = std::to_string(i), p = std::to_string(i + 1);
    kernel.arguments.push_back(air::device(static_cast<unsigned>(i + 1), "float", 4, false));
    kernel.body += "  %p" + n + " = getelementptr float, ptr %" + p + ", i32 %" +
                   std::to_string(arguments.size() + 1) + "\n  %v" + n + " = load float, ptr %p" +
                   n + "\n";
    parameters += (i ? ", float %v" : "float %v") + n;
    types += i ? ", float" : "float";
  }
  kernel.arguments.push_back(air::builtin("thread_position_in_grid"));
  kernel.body += "  %r = call float @air." + name + ".f32(" + parameters +
                 ")\n  %q = getelementptr float, ptr %0, i32 %" +
                 std::to_string(arguments.size() + 1) + "\n  store float %r, ptr %q\n  ret void";
  std::vector<float> out(arguments[0].size());
  std::vector<std::vector<float>> copies = arguments;
  std::vector<Binding> bindings{bind(out)};
  for (std::vector<float> &copy : copies)
    bindings.push_back(bind(copy));
  run(air::bitcode({kernel}, "declare float @air." + name + ".f32(" + types + ")\n"), "math",
      bindings, {static_cast<uint32_t>(out.size()), 1, 1}, {256, 1, 1}, target);
  return out;
}

/// Numbers of all magnitudes within [low, high], then every special value.
std::vector<float> numbers(std::mt19937 &random, float low, float high) {
  std::vector<float> result{0.0f,      -0.0f,      1.0f,          -1.0f, 0.5f,
                            -0.5f,     infinity,   -infinity,     nan,   0x1p-149f,
                            0x1p-126f, -0x1p-126f, 3.4028235e38f, 2.0f,  1e-20f};
  std::uniform_real_distribution<float> uniform(low, high);
  std::uniform_real_distribution<float> exponent(-30, std::log2(std::max(high, -low)));
  for (int i = 0; i < 5000; ++i) {
    result.push_back(uniform(random));
    float magnitude = std::exp2(exponent(random));
    float value = random() % 2 ? magnitude : -magnitude;
    result.push_back(std::clamp(value, low, high));
  }
  return result;
}

struct Unary {
  const char *name;
  double (*reference)(double);
  float low, high;
  double limit; ///< ULP of the precise form
};

double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
double exp10(double x) {
  return std::pow(10.0, x);
}
double half_turns_sine(double x) {
  double r = std::remainder(x, 2.0);
  return std::isinf(x)        ? nan
         : r == std::trunc(r) ? std::copysign(0.0, x)
                              : std::sin(std::numbers::pi * r);
}
double half_turns_cosine(double x) {
  double r = std::abs(std::remainder(x, 2.0));
  return std::isinf(x) ? nan : r == 0.5 ? 0.0 : std::cos(std::numbers::pi * r);
}
double fract(double x) {
  return std::isinf(x)   ? std::copysign(0.0, x)
         : std::isnan(x) ? x
                         : std::min(x - std::floor(x), double(0x1.fffffep-1f));
}
double saturate(double x) {
  return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
}
double sign(double x) {
  return std::isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x;
}

const Unary unary[] = {
    {"acos", std::acos, -1, 1, 4},
    {"acosh", std::acosh, 1, 1e30f, 4},
    {"asin", std::asin, -1, 1, 4},
    {"asinh", std::asinh, -1e30f, 1e30f, 4},
    {"atan", std::atan, -1e6f, 1e6f, 5},
    {"atanh", std::atanh, -1, 1, 5},
    {"ceil", std::ceil, -1e9f, 1e9f, 0},
    {"cos", std::cos, -1e5f, 1e5f, 4},
    {"cosh", std::cosh, -90, 90, 4},
    {"cospi", half_turns_cosine, -1e4f, 1e4f, 4},
    {"exp", std::exp, -110, 90, 4},
    {"exp10", exp10, -48, 39, 4},
    {"exp2", std::exp2, -150, 129, 4},
    {"fabs", std::fabs, -1e30f, 1e30f, 0},
    {"floor", std::floor, -1e9f, 1e9f, 0},
    {"fract", fract, -1e5f, 1e5f, 0.5},
    {"log", std::log, 0, 1e30f, 4},
    {"log10", std::log10, 0, 1e30f, 4},
    {"log2", std::log2, 0, 1e30f, 4},
    {"rint", std::rint, -1e9f, 1e9f, 0},
    {"round", std::round, -1e9f, 1e9f, 0},
    {"rsqrt", rsqrt, 0, 1e30f, 2},
    {"saturate", saturate, -2, 2, 0},
    {"sign", sign, -2, 2, 0},
    {"sin", std::sin, -1e5f, 1e5f, 4},
    {"sinh", std::sinh, -90, 90, 4},
    {"sinpi", half_turns_sine, -1e4f, 1e4f, 4},
    {"sqrt", std::sqrt, 0, 1e30f, 0.5},
    {"tan", std::tan, -1e5f, 1e5f, 6},
    {"tanh", std::tanh, -20, 20, 5},
    {"trunc", std::trunc, -1e9f, 1e9f, 0},
};

/// With the processor's vectors, and with the oldest target's.
const char *const targets[] = {"", "x86-64-v2"};

TEST(Math, UnaryFunctionsWithinTheLimits) {
  std::random_device seed;
  unsigned value = seed();
  SCOPED_TRACE(value);
  for (const Unary &function : unary)
    for (const char *target : targets)
      for (std::string prefix : {"", "fast_"}) {
        std::mt19937 random(value);
        std::vector<float> in = numbers(random, function.low, function.high);
        std::vector<float> out = call(prefix + function.name, {in}, target);
        double worst = 0;
        float where = 0, got = 0;
        for (size_t i = 0; i < in.size(); ++i) {
          double error = ulps(out[i], function.reference(in[i]));
          if (error > worst)
            worst = error, where = in[i], got = out[i];
        }
        EXPECT_LE(worst, function.limit)
            << prefix << function.name << "(" << where << ") = " << got << ", expected "
            << function.reference(where) << " on " << (*target ? target : "this processor");
      }
}

double clamp(double x, double low, double high) {
  return std::fmin(std::fmax(x, low), high);
}

TEST(Math, FunctionsOfTwoAndThree) {
  std::random_device seed;
  unsigned value = seed();
  SCOPED_TRACE(value);
  std::mt19937 random(value);
  struct Binary {
    const char *name;
    double (*reference)(double, double);
    double limit;
  };
  const Binary binary[] = {
      {"atan2", std::atan2, 6}, {"copysign", std::copysign, 0},
      {"fdim", std::fdim, 0.5}, {"fmax", std::fmax, 0},
      {"fmin", std::fmin, 0},   {"fmod", std::fmod, 0},
      {"pow", std::pow, 16},    {"divide", [](double x, double y) { return x / y; }, 0.5},
  };
  for (const Binary &function : binary)
    for (const char *target : targets) {
      std::vector<float> x = numbers(random, -50, 50), y = numbers(random, -20, 20);
      std::shuffle(x.begin(), x.end(), random);
      std::vector<float> out = call(function.name, {x, y}, target);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(ulps(out[i], function.reference(x[i], y[i])), function.limit)
            << function.name << "(" << x[i] << ", " << y[i] << ") = " << out[i] << ", expected "
            << function.reference(x[i], y[i]);
    }
  std::vector<float> x = numbers(random, -3, 3), y = numbers(random, -3, 3),
                     z = numbers(random, -3, 3);
  std::shuffle(x.begin(), x.end(), random);
  std::shuffle(z.begin(), z.end(), random);
  std::vector<float> fma = call("fma", {x, y, z}, ""), clamped = call("clamp", {x, y, z}, "");
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(fma[i] + 0.0f),
              std::bit_cast<uint32_t>(std::fmaf(x[i], y[i], z[i]) + 0.0f))
        << x[i] << " " << y[i] << " " << z[i];
    if (y[i] <= z[i])
      ASSERT_LE(ulps(clamped[i], clamp(x[i], y[i], z[i])), 0) << x[i] << " " << y[i] << " " << z[i];
  }
}

/// powr is defined for non-negative bases only.
TEST(Math, PowrAtItsCorners) {
  std::vector<float> x{-1, 0, 0, 1, infinity, 4, 2, 0, -0.0f},
      y{2, 0, 2, infinity, 0, 0.5f, nan, -1, -1};
  std::vector<float> out = call("powr", {x, y}, "");
  for (size_t i : {0, 1, 3, 4, 6})
    EXPECT_TRUE(std::isnan(out[i])) << i;
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[5], 2);
  EXPECT_EQ(out[7], infinity);
  EXPECT_EQ(out[8], infinity);
}

/// Builtins that also write through a pointer.
TEST(Math, FunctionsWithTwoResults) {
  air::Kernel kernel{"pairs",
                     {air::device(0, "float", 4), air::device(1, "float", 4, false),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %whole = alloca float
  %exponent = alloca i32
  %cosine = alloca float
  %p = getelementptr float, ptr %1, i32 %2
  %x = load float, ptr %p
  %rest = call float @air.modf.f32(float %x, ptr %whole)
  %part = call float @air.frexp.f32(float %x, ptr %exponent)
  %sine = call float @air.sincos.f32(float %x, ptr %cosine)
  %w = load float, ptr %whole
  %e = load i32, ptr %exponent
  %ef = sitofp i32 %e to float
  %c = load float, ptr %cosine
  %again = call float @air.ldexp.f32(float %part, i32 %e)
  %row = getelementptr [7 x float], ptr %0, i32 %2
  store float %rest, ptr %row
  %p1 = getelementptr float, ptr %row, i32 1
  store float %w, ptr %p1
  %p2 = getelementptr float, ptr %row, i32 2
  store float %part, ptr %p2
  %p3 = getelementptr float, ptr %row, i32 3
  store float %ef, ptr %p3
  %p4 = getelementptr float, ptr %row, i32 4
  store float %sine, ptr %p4
  %p5 = getelementptr float, ptr %row, i32 5
  store float %c, ptr %p5
  %p6 = getelementptr float, ptr %row, i32 6
  store float %again, ptr %p6
  ret void)",
                     ""};
  std::mt19937 random(11);
  std::vector<float> in = numbers(random, -1000, 1000), out(in.size() * 7);
  run(air::bitcode({kernel}, "declare float @air.modf.f32(float, ptr)\n"
                             "declare float @air.frexp.f32(float, ptr)\n"
                             "declare float @air.sincos.f32(float, ptr)\n"
                             "declare float @air.ldexp.f32(float, i32)\n"),
      "pairs", {bind(out), bind(in)}, {static_cast<uint32_t>(in.size()), 1, 1}, {64, 1, 1});
  for (size_t i = 0; i < in.size(); ++i) {
    const float *row = &out[7 * i];
    float whole, rest = std::modf(in[i], &whole);
    if (std::isnan(in[i])) {
      EXPECT_TRUE(std::isnan(row[0]) && std::isnan(row[2]));
      continue;
    }
    ASSERT_EQ(row[0], rest) << in[i];
    ASSERT_EQ(row[1], whole) << in[i];
    if (std::isfinite(in[i])) {
      int exponent;
      ASSERT_EQ(row[2], std::frexp(in[i], &exponent)) << in[i];
      ASSERT_EQ(row[3], static_cast<float>(exponent)) << in[i];
      ASSERT_EQ(row[6], in[i]);
      ASSERT_LE(ulps(row[4], std::sin(double(in[i]))), 4) << in[i];
      ASSERT_LE(ulps(row[5], std::cos(double(in[i]))), 4) << in[i];
    }
  }
}

} // namespace
