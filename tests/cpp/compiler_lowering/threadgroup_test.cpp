// Kernels with threadgroup memory and barriers, on the CPU executor's fibers.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace hostmetal;

namespace {

/// A tree reduction with a static threadgroup variable, in Apple's address spaces or in one.
std::string reduction(bool apple_spaces) {
  std::string device = apple_spaces ? "ptr addrspace(1)" : "ptr";
  std::string local = apple_spaces ? "ptr addrspace(3)" : "ptr";
  std::string variable = apple_spaces
                             ? "@shared = internal addrspace(3) global [64 x float] undef\n"
                             : "@shared = internal global [64 x float] undef, section "
                               "\"air.threadgroup\"\n";
  air::Argument in = air::device(0, "float", 4, false), out = air::device(1, "float", 4);
  in.type = out.type = device;
  std::string body = R"(
  %index = zext i32 %2 to i64
  %place = zext i32 %3 to i64
  %p = getelementptr float, DEVICE %0, i64 %index
  %value = load float, DEVICE %p
  %mine = getelementptr [64 x float], LOCAL @shared, i64 0, i64 %place
  store float %value, LOCAL %mine
  call void @air.wg.barrier(i32 2, i32 1)
  br label %loop
loop:
  %width = phi i64 [32, %6], [%half, %next]
  %adds = icmp ult i64 %place, %width
  br i1 %adds, label %add, label %next
add:
  %other = add i64 %place, %width
  %q = getelementptr [64 x float], LOCAL @shared, i64 0, i64 %other
  %a = load float, LOCAL %mine
  %b = load float, LOCAL %q
  %sum = fadd float %a, %b
  store float %sum, LOCAL %mine
  br label %next
next:
  call void @air.wg.barrier(i32 2, i32 1)
  %half = lshr i64 %width, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %loop, label %end
end:
  %first = icmp eq i32 %3, 0
  br i1 %first, label %write, label %leave
write:
  %result = load float, LOCAL @shared
  %where = zext i32 %4 to i64
  %o = getelementptr float, DEVICE %1, i64 %where
  store float %result, DEVICE %o
  ret void
leave:
  ret void)";
  body.replace(body.find("%6]"), 2, "%5");
  for (auto [from, to] : {std::pair{"DEVICE", device}, std::pair{"LOCAL", local}})
    for (size_t at; (at = body.find(from)) != std::string::npos;)
      body.replace(at, std::string(from).size(), to);
  return air::bitcode(
      {{"reduce",
        {in, out, air::builtin("thread_position_in_grid"),
         air::builtin("thread_index_in_threadgroup"), air::builtin("threadgroup_position_in_grid")},
        body,
        ""}},
      variable + "declare void @air.wg.barrier(i32, i32)\n");
}

TEST(Threadgroup, TreeReduction) {
  for (bool apple_spaces : {false, true}) {
    const uint32_t groups = 37;
    std::vector<float> in(groups * 64), out(groups);
    std::mt19937 random(3);
    for (float &value : in)
      value = static_cast<float>(random() % 100);
    image::Kernel reflection = run(reduction(apple_spaces), "reduce", {bind(in), bind(out)},
                                   {groups * 64, 1, 1}, {64, 1, 1});
    EXPECT_EQ(reflection.static_threadgroup_memory, 256u);
    EXPECT_TRUE(reflection.has_barriers);
    EXPECT_FALSE(reflection.has_simd_operations);
    for (uint32_t g = 0; g < groups; ++g)
      EXPECT_EQ(out[g], std::accumulate(&in[g * 64], &in[g * 64] + 64, 0.0f)) << g;
  }
}

TEST(Threadgroup, DynamicMemoryBesideStatic) {
  air::Kernel kernel{"reverse",
                     {air::device(0, "uint", 4), air::threadgroup(0, "uint", 4),
                      air::builtin("thread_position_in_grid"),
                      air::builtin("thread_index_in_threadgroup")},
                     R"(
  %index = zext i32 %2 to i64
  %place = zext i32 %3 to i64
  %p = getelementptr i32, ptr %0, i64 %index
  %value = load i32, ptr %p
  %mine = getelementptr i32, ptr %1, i64 %place
  store i32 %value, ptr %mine
  %same = getelementptr [50 x i32], ptr @twin, i64 0, i64 %place
  store i32 %value, ptr %same
  call void @air.wg.barrier(i32 2, i32 1)
  %back = sub i64 49, %place
  %q = getelementptr i32, ptr %1, i64 %back
  %a = load i32, ptr %q
  %r = getelementptr [50 x i32], ptr @twin, i64 0, i64 %back
  %b = load i32, ptr %r
  %both = add i32 %a, %b
  store i32 %both, ptr %p
  ret void)",
                     ""};
  std::vector<uint32_t> values(500);
  std::iota(values.begin(), values.end(), 0);
  image::Kernel reflection =
      run(air::bitcode({kernel},
                       "@twin = internal global [50 x i32] undef, section \"air.threadgroup\"\n"
                       "declare void @air.wg.barrier(i32, i32)\n"),
          "reverse", {bind(values), {nullptr, 0, 208}}, {500, 1, 1}, {50, 1, 1});
  EXPECT_EQ(reflection.arguments.at(1).kind, image::ArgumentKind::threadgroup_memory);
  EXPECT_EQ(reflection.static_threadgroup_memory, 208u);
  for (uint32_t i = 0; i < 500; ++i)
    ASSERT_EQ(values[i], 2 * (i / 50 * 50 + 49 - i % 50));
}

TEST(Threadgroup, TooMuchIsAnError) {
  air::Kernel kernel{"big",
                     {air::device(0, "uint", 4)},
                     "  %v = load i32, ptr @huge\n  store i32 %v, ptr %0\n  ret void",
                     ""};
  Compiled compiled = compile(
      air::bitcode({kernel},
                   "@huge = internal global [8193 x i32] undef, section \"air.threadgroup\"\n"),
      "big");
  EXPECT_TRUE(compiled.is_user_error);
  EXPECT_EQ(compiled.error, "The kernel \"big\" declares 32784 bytes of threadgroup memory; the "
                            "limit is 32768.");
}

} // namespace
