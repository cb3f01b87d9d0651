// Simdgroup and quadgroup operations against their definitions, divergence included.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

using namespace hostmetal;

namespace {

constexpr uint32_t width = 32;

/// out[i] = operation(in[i] …) for threads whose place is below `limit`, the others keep out[i].
std::vector<uint32_t> run_operation(const std::string &result_type, const std::string &call,
                                    const std::string &declaration, const std::vector<uint32_t> &in,
                                    uint32_t group_size, uint32_t limit) {
  std::string to_bits = result_type == "i32" ? "  %bits = or i32 %r, 0\n"
                        : result_type == "i1" || result_type == "i16"
                            ? "  %bits = zext " + result_type + " %r to i32\n"
                        : result_type == "i64" ? "  %bits = trunc i64 %r to i32\n"
                                               : "  %bits = bitcast float %r to i32\n";
  air::Kernel kernel{"operation",
                     {air::device(0, "uint", 4), air::device(1, "uint", 4, false),
                      air::builtin("thread_position_in_grid")},
                     "  %index = zext i32 %2 to i64\n"
                     "  %p = getelementptr i32, ptr %1, i64 %index\n"
                     "  %in = load i32, ptr %p\n"
                     "  %f = bitcast i32 %in to float\n"
                     "  %b = trunc i32 %in to i1\n"
                     "  %lane = urem i32 %2, 32\n"
                     "  %lane16 = trunc i32 %lane to i16\n"
                     "  %joins = icmp ult i32 %lane, " +
                         std::to_string(limit) +
                         "\n  br i1 %joins, label %yes, label %no\n"
                         "yes:\n" +
                         call + to_bits +
                         "  %q = getelementptr i32, ptr %0, i64 %index\n"
                         "  store i32 %bits, ptr %q\n  ret void\n"
                         "no:\n  ret void",
                     ""};
  std::vector<uint32_t> out(in.size(), 12345), copy = in;
  image::Kernel reflection =
      run(air::bitcode({kernel}, "declare " + declaration + "\n"), "operation",
          {bind(out), bind(copy)}, {static_cast<uint32_t>(in.size()), 1, 1}, {group_size, 1, 1});
  EXPECT_TRUE(reflection.has_simd_operations);
  return out;
}

/// The lanes of thread i's simdgroup that take part: [first, last).
std::pair<uint32_t, uint32_t> lanes(uint32_t i, size_t count, uint32_t group_size, uint32_t limit) {
  uint32_t group = i / group_size * group_size;
  uint32_t first = group + (i - group) / width * width;
  uint32_t end = std::min<uint32_t>({first + width, group + group_size, uint32_t(count)});
  return {first, std::min(end, first + limit)};
}

struct Case {
  const char *result;
  std::string call, declaration;
  /// Of thread i, given all inputs and the lanes that take part.
  std::function<uint32_t(uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t end)>
      expected;
};

std::vector<Case> cases() {
  auto fold = [](uint32_t start, auto operation) {
    return [=](uint32_t, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
      uint32_t result = start;
      for (uint32_t k = first; k < end; ++k)
        result = operation(result, in[k]);
      return result;
    };
  };
  auto move = [](auto source) {
    return [=](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
      int64_t from = source(i - first);
      if (from < 0 || from >= width)
        return in[i];
      return first + from < end ? in[first + from] : 0;
    };
  };
  auto reduction = [](const char *name, const char *sign) {
    std::string full = std::string("@air.simd_") + name + "." + sign + ".i32";
    return std::pair{"  %r = call i32 " + full + "(i32 %in)\n", "i32 " + full + "(i32)"};
  };
  auto shuffle = [](const char *name, const char *operand) {
    std::string full = std::string("@air.simd_") + name + ".u.i32";
    return std::pair{"  %r = call i32 " + full + "(i32 %in, i16 " + operand + ")\n",
                     "i32 " + full + "(i32, i16)"};
  };
  std::vector<Case> all;
  auto add = [&](auto text, auto expected, const char *result = "i32") {
    all.push_back({result, text.first, text.second, expected});
  };
  add(reduction("sum", "u"), fold(0, std::plus<uint32_t>()));
  add(reduction("product", "s"), fold(1, std::multiplies<uint32_t>()));
  add(reduction("and", "u"), fold(~0u, std::bit_and<uint32_t>()));
  add(reduction("or", "u"), fold(0, std::bit_or<uint32_t>()));
  add(reduction("xor", "s"), fold(0, std::bit_xor<uint32_t>()));
  add(reduction("max", "u"), fold(0, [](uint32_t a, uint32_t b) { return std::max(a, b); }));
  add(reduction("min", "s"), fold(INT32_MAX, [](uint32_t a, uint32_t b) {
        return uint32_t(std::min(int32_t(a), int32_t(b)));
      }));
  add(reduction("prefix_inclusive_sum", "u"),
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t) {
        return std::accumulate(&in[first], &in[i] + 1, 0u);
      });
  add(reduction("prefix_exclusive_sum", "u"),
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t) {
        return std::accumulate(&in[first], &in[i], 0u);
      });
  add(reduction("prefix_exclusive_product", "u"),
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t) {
        return std::accumulate(&in[first], &in[i], 1u, std::multiplies<uint32_t>());
      });
  add(shuffle("shuffle", "7"), move([](int64_t) { return 7; }));
  add(shuffle("broadcast", "3"), move([](int64_t) { return 3; }));
  add(shuffle("shuffle_xor", "5"), move([](int64_t lane) { return lane ^ 5; }));
  add(shuffle("shuffle_up", "4"), move([](int64_t lane) { return lane - 4; }));
  add(shuffle("shuffle_down", "9"), move([](int64_t lane) { return lane + 9; }));
  add(shuffle("shuffle_rotate_down", "9"), move([](int64_t lane) { return (lane + 9) % 32; }));
  add(shuffle("shuffle_rotate_up", "9"), move([](int64_t lane) { return (lane + 23) % 32; }));
  add(std::pair{"  %r = call i32 @air.simd_broadcast_first.u.i32(i32 %in)\n",
                "i32 @air.simd_broadcast_first.u.i32(i32)"},
      move([](int64_t) { return 0; }));
  add(
      std::pair{"  %r = call i64 @air.simd_ballot.i64(i1 %b)\n", "i64 @air.simd_ballot.i64(i1)"},
      [](uint32_t, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
        uint32_t mask = 0;
        for (uint32_t k = first; k < end; ++k)
          mask |= (in[k] & 1) << (k - first);
        return mask;
      },
      "i64");
  add(std::pair{"  %r = call i1 @air.simd_any(i1 %b)\n", "i1 @air.simd_any(i1)"},
      fold(0, [](uint32_t a, uint32_t b) { return a | (b & 1); }), "i1");
  add(std::pair{"  %r = call i1 @air.simd_all(i1 %b)\n", "i1 @air.simd_all(i1)"},
      fold(1, [](uint32_t a, uint32_t b) { return a & (b & 1); }), "i1");
  add(
      std::pair{"  %r = call i1 @air.simd_is_first()\n", "i1 @air.simd_is_first()"},
      [](uint32_t i, const std::vector<uint32_t> &, uint32_t first, uint32_t) {
        return uint32_t(i == first);
      },
      "i1");
  add(
      std::pair{"  %r = call i64 @air.simd_active_threads_mask.i64()\n",
                "i64 @air.simd_active_threads_mask.i64()"},
      [](uint32_t, const std::vector<uint32_t> &, uint32_t first, uint32_t end) {
        return end - first == 32 ? ~0u : (1u << (end - first)) - 1;
      },
      "i64");
  add(std::pair{"  %r = call i32 @air.simd_shuffle_and_fill_up.u.i32(i32 %in, i32 77, i16 3, i16 "
                "8)\n",
                "i32 @air.simd_shuffle_and_fill_up.u.i32(i32, i32, i16, i16)"},
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
        uint32_t lane = i - first, segment = lane / 8 * 8, place = lane % 8;
        uint32_t source = first + segment + (place + 5) % 8;
        return source >= end ? 0 : place < 3 ? 77u : in[source];
      });
  add(std::pair{"  %r = call i32 @air.quad_sum.u.i32(i32 %in)\n", "i32 @air.quad_sum.u.i32(i32)"},
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
        uint32_t quad = first + (i - first) / 4 * 4;
        return std::accumulate(&in[quad], &in[0] + std::min(quad + 4, end), 0u);
      });
  add(std::pair{"  %r = call i32 @air.quad_shuffle_xor.u.i32(i32 %in, i16 1)\n",
                "i32 @air.quad_shuffle_xor.u.i32(i32, i16)"},
      move([](int64_t lane) { return lane ^ 1; }));
  add(std::pair{"  %r = call i32 @air.quad_shuffle_down.u.i32(i32 %in, i16 2)\n",
                "i32 @air.quad_shuffle_down.u.i32(i32, i16)"},
      move([](int64_t lane) { return lane % 4 + 2 < 4 ? lane + 2 : -1; }));
  add(
      std::pair{"  %r = call i16 @air.quad_ballot.i16(i1 %b)\n", "i16 @air.quad_ballot.i16(i1)"},
      [](uint32_t i, const std::vector<uint32_t> &in, uint32_t first, uint32_t end) {
        uint32_t quad = first + (i - first) / 4 * 4, mask = 0;
        for (uint32_t k = quad; k < std::min(quad + 4, end); ++k)
          mask |= (in[k] & 1) << (k - quad);
        return mask;
      },
      "i16");
  return all;
}

TEST(Simd, OperationsWithAllAndSomeLanes) {
  std::random_device seed;
  unsigned value = seed();
  SCOPED_TRACE(value);
  std::mt19937 random(value);
  std::vector<uint32_t> in(200);
  for (uint32_t &word : in)
    word = random();
  for (const Case &operation : cases())
    for (auto [group, limit] : {std::pair{64u, 32u}, {50u, 32u}, {96u, 19u}}) {
      std::vector<uint32_t> out =
          run_operation(operation.result, operation.call, operation.declaration, in, group, limit);
      for (uint32_t i = 0; i < in.size(); ++i) {
        auto [first, end] = lanes(i, in.size(), group, limit);
        // The test's lane is the place in the grid; skip groups that are out of step with it.
        uint32_t lane = i % 32;
        if ((i - i / group * group) % 32 != lane)
          continue;
        bool aligned = (i / group * group) % 32 == 0;
        if (!aligned)
          continue;
        ASSERT_EQ(out[i], lane < limit ? operation.expected(i, in, first, end) : 12345u)
            << operation.call << "thread " << i << ", group " << group << ", limit " << limit;
      }
    }
}

TEST(Simd, FloatSumAndMinimumWithNaN) {
  std::vector<float> numbers(64);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.25f * static_cast<float>(i) - 3;
  std::vector<uint32_t> in(64);
  std::memcpy(in.data(), numbers.data(), 256);
  auto sum = run_operation("float", "  %r = call float @air.simd_sum.f32(float %f)\n",
                           "float @air.simd_sum.f32(float)", in, 64, 32);
  EXPECT_EQ(std::bit_cast<float>(sum[0]), std::accumulate(&numbers[0], &numbers[32], 0.0f));
  EXPECT_EQ(std::bit_cast<float>(sum[63]), std::accumulate(&numbers[32], &numbers[0] + 64, 0.0f));
  in[0] = in[40] = 0x7fc00000;
  auto low = run_operation("float", "  %r = call float @air.simd_min.f32(float %f)\n",
                           "float @air.simd_min.f32(float)", in, 64, 32);
  EXPECT_EQ(std::bit_cast<float>(low[0]), numbers[1]);
  EXPECT_EQ(std::bit_cast<float>(low[50]), numbers[32]);
}

/// Lanes leave a loop after different numbers of turns, some skip the first operation of a turn and
/// some go round without the second one. As on a GPU, lanes of one turn meet, and the sum after the
/// loop has all lanes.
TEST(Simd, DivergentLoops) {
  air::Kernel kernel{"diverge",
                     {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
                     R"(
  %lane = urem i32 %1, 32
  %turns = urem i32 %lane, 5
  %odd = trunc i32 %lane to i1
  br label %loop
loop:
  %turn = phi i32 [0, %2], [%next, %latch]
  %seen = phi i32 [0, %2], [%total, %latch]
  %in = icmp ule i32 %turn, %turns
  br i1 %in, label %body, label %after
body:
  br i1 %odd, label %first, label %second
first:
  %a = call i32 @air.simd_sum.u.i32(i32 1)
  %ma = mul i32 %a, 1000
  br label %latch
second:
  %b = call i32 @air.simd_sum.u.i32(i32 1)
  br label %latch
latch:
  %count = phi i32 [%ma, %first], [%b, %second]
  %total = add i32 %seen, %count
  %both = call i32 @air.simd_sum.u.i32(i32 1000000)
  %kept = add i32 %total, 0
  %next = add i32 %turn, 1
  %p0 = getelementptr i32, ptr %0, i32 %1
  %turnrow = mul i32 %turn, 64
  %p1 = getelementptr i32, ptr %p0, i32 %turnrow
  %p2 = getelementptr i32, ptr %p1, i32 64
  store i32 %both, ptr %p2
  br label %loop
after:
  %all = call i32 @air.simd_sum.u.i32(i32 1)
  %sum = add i32 %seen, %all
  %q = getelementptr i32, ptr %0, i32 %1
  store i32 %sum, ptr %q
  ret void)",
                     ""};
  std::vector<uint32_t> out(64 * 6);
  run(air::bitcode({kernel}, "declare i32 @air.simd_sum.u.i32(i32)\n"), "diverge", {bind(out)},
      {64, 1, 1}, {64, 1, 1});
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t lane = i % 32, expected = 32;
    for (uint32_t turn = 0; turn <= lane % 5; ++turn) {
      uint32_t odd = 0, even = 0;
      for (uint32_t other = 0; other < 32; ++other)
        if (other % 5 >= turn)
          ++(other % 2 ? odd : even);
      expected += lane % 2 ? 1000 * odd : even;
      ASSERT_EQ(out[64 * (turn + 1) + i], 1000000 * (odd + even)) << i << " turn " << turn;
    }
    ASSERT_EQ(out[i], expected) << i;
  }
}

/// Even lanes run ahead into the next turn from the first operation; odd ones meet in the second
/// one of this turn before that.
TEST(Simd, EarlierTurnsComeFirst) {
  air::Kernel kernel{"ahead",
                     {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
                     R"(
  br label %loop
loop:
  %turn = phi i32 [0, %2], [%next, %latch]
  %seen = phi i32 [0, %2], [%now, %latch]
  %sum = add i32 %1, %turn
  %odd = trunc i32 %sum to i1
  br i1 %odd, label %second, label %first
first:
  %a = call i32 @air.simd_sum.u.i32(i32 1)
  br label %latch
second:
  %b = call i32 @air.simd_sum.u.i32(i32 100)
  br label %latch
latch:
  %count = phi i32 [%a, %first], [%b, %second]
  %now = add i32 %seen, %count
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %after
after:
  %p = getelementptr i32, ptr %0, i32 %1
  store i32 %now, ptr %p
  ret void)",
                     ""};
  std::vector<uint32_t> out(32);
  run(air::bitcode({kernel}, "declare i32 @air.simd_sum.u.i32(i32)\n"), "ahead", {bind(out)},
      {32, 1, 1}, {32, 1, 1});
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 4 * 16 + 4 * 1600u) << i;
}

TEST(Simd, MatrixProduct) {
  std::string matrix = "<64 x float>", prefix = "@air.simdgroup_matrix_8x8_";
  air::Kernel kernel{
      "multiply",
      {air::device(0, "float", 4), air::device(1, "float", 4, false),
       air::device(2, "float", 4, false), air::builtin("thread_index_in_simdgroup")},
      "  %a = call <64 x float> @air.simdgroup_matrix_8x8_load.v64f32.p1f32(ptr %1, i64 10, <2 x "
      "i64> <i64 1, i64 2>, i1 true)\n"
      "  %b = call <64 x float> @air.simdgroup_matrix_8x8_load.v64f32.p1f32(ptr %2, i64 8, <2 x "
      "i64> zeroinitializer, i1 false)\n"
      "  %c = call <64 x float> @air.simdgroup_matrix_8x8_init_diag.v64f32.f32(float 2.0)\n"
      "  %d = call <64 x float> "
      "@air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 x float> %a, "
      "<64 x float> %b, <64 x float> %c)\n"
      "  call void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float> %d, ptr %0, i64 8, <2 "
      "x i64> zeroinitializer, i1 true)\n  ret void",
      ""};
  std::vector<float> a(10 * 10), b(64), d(64);
  std::mt19937 random(5);
  for (auto *values : {&a, &b})
    for (float &value : *values)
      value = static_cast<float>(random() % 9) - 4;
  run(air::bitcode({kernel},
                   "declare <64 x float> @air.simdgroup_matrix_8x8_load.v64f32.p1f32(ptr, i64, <2 "
                   "x i64>, i1)\n"
                   "declare void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float>, ptr, "
                   "i64, <2 x i64>, i1)\n"
                   "declare <64 x float> @air.simdgroup_matrix_8x8_init_diag.v64f32.f32(float)\n"
                   "declare <64 x float> "
                   "@air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f32.v64f32.v64f32(<64 "
                   "x float>, <64 x float>, <64 x float>)\n"),
      "multiply", {bind(d), bind(a), bind(b)}, {32, 1, 1}, {32, 1, 1});
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      float expected = row == column ? 2 : 0;
      for (int k = 0; k < 8; ++k)
        expected += a[(row + 2) * 10 + k + 1] * b[column * 8 + k];
      EXPECT_EQ(d[row * 8 + column], expected) << row << " " << column;
    }
}

} // namespace
