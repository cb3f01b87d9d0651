// Builtins on vectors, and those that are neither mathematics nor synchronisation.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace hostmetal;

namespace {

TEST(VectorBuiltins, AreTheScalarOnesForEachElement) {
  air::Kernel kernel{"vectors",
                     {air::device(0, "float4", 16), air::device(1, "float4", 16, false),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %p = getelementptr <4 x float>, ptr %1, i32 %2
  %x = load <4 x float>, ptr %p
  %s = call <4 x float> @air.fast_sin.v4f32(<4 x float> %x)
  %c = call <4 x float> @air.clamp.v4f32(<4 x float> %s, <4 x float> zeroinitializer, <4 x float> %x)
  %d = call float @air.dot.v4f32(<4 x float> %c, <4 x float> %x)
  %whole = alloca <4 x float>
  %f = call <4 x float> @air.modf.v4f32(<4 x float> %x, ptr %whole)
  %w = load <4 x float>, ptr %whole
  %sum = fadd <4 x float> %f, %w
  %r = insertelement <4 x float> %sum, float %d, i32 0
  %big = fcmp ogt <4 x float> %x, zeroinitializer
  %all = call i1 @air.all.v4i1(<4 x i1> %big)
  %any = call i1 @air.any.v4i1(<4 x i1> %big)
  %a = uitofp i1 %all to float
  %b = uitofp i1 %any to float
  %r1 = insertelement <4 x float> %r, float %a, i32 1
  %r2 = insertelement <4 x float> %r1, float %b, i32 2
  %q = getelementptr <4 x float>, ptr %0, i32 %2
  store <4 x float> %r2, ptr %q
  ret void)",
                     ""};
  std::vector<float> in{0.5f, 1.5f, 2.5f, -3.25f, 1, 2, 3, 4, -1, -2, -3, -4}, out(12);
  run(air::bitcode({kernel},
                   "declare <4 x float> @air.fast_sin.v4f32(<4 x float>)\n"
                   "declare <4 x float> @air.clamp.v4f32(<4 x float>, <4 x float>, <4 x float>)\n"
                   "declare float @air.dot.v4f32(<4 x float>, <4 x float>)\n"
                   "declare <4 x float> @air.modf.v4f32(<4 x float>, ptr)\n"
                   "declare i1 @air.all.v4i1(<4 x i1>)\ndeclare i1 @air.any.v4i1(<4 x i1>)\n"),
      "vectors", {bind(out), bind(in)}, {3, 1, 1}, {3, 1, 1});
  for (int i = 0; i < 3; ++i) {
    double dot = 0;
    int positive = 0;
    for (int k = 0; k < 4; ++k) {
      double x = in[4 * i + k];
      dot += std::fmin(std::fmax(std::sin(x), 0), x) * x;
      positive += x > 0;
    }
    EXPECT_NEAR(out[4 * i], dot, 1e-5);
    EXPECT_EQ(out[4 * i + 1], positive == 4);
    EXPECT_EQ(out[4 * i + 2], positive > 0);
    EXPECT_EQ(out[4 * i + 3], in[4 * i + 3]);
  }
}

TEST(VectorBuiltins, SimdOperationsAndConversions) {
  air::Kernel kernel{"vectors",
                     {air::device(0, "int2", 8), air::device(1, "float2", 8, false),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %p = getelementptr <2 x float>, ptr %1, i32 %2
  %x = load <2 x float>, ptr %p
  %i = call <2 x i32> @air.convert.s.v2i32.f.v2f32(<2 x float> %x)
  %s = call <2 x i32> @air.simd_shuffle_xor.s.v2i32(<2 x i32> %i, i16 1)
  %q = getelementptr <2 x i32>, ptr %0, i32 %2
  store <2 x i32> %s, ptr %q
  ret void)",
                     ""};
  std::vector<float> in{1.5f, -2.5f, 3e10f, NAN};
  std::vector<int32_t> out(4);
  run(air::bitcode({kernel}, "declare <2 x i32> @air.convert.s.v2i32.f.v2f32(<2 x float>)\n"
                             "declare <2 x i32> @air.simd_shuffle_xor.s.v2i32(<2 x i32>, i16)\n"),
      "vectors", {bind(out), bind(in)}, {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(out, (std::vector<int32_t>{INT32_MAX, 0, 1, -2}));
}

} // namespace
