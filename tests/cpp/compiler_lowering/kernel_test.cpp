// Kernels without synchronisation, from AIR to results in memory.
#include "air.hpp"
#include "compiled.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace hostmetal;

namespace {

air::Kernel saxpy() {
  return {"saxpy",
          {air::device(0, "float", 4, false), air::device(1, "float", 4),
           air::constant(2, "float", 4), air::builtin("thread_position_in_grid")},
          R"(
  %index = zext i32 %3 to i64
  %px = getelementptr float, ptr %0, i64 %index
  %py = getelementptr float, ptr %1, i64 %index
  %x = load float, ptr %px
  %y = load float, ptr %py
  %a = load float, ptr %2
  %ax = fmul contract float %a, %x
  %sum = fadd contract float %ax, %y
  store float %sum, ptr %py
  ret void)",
          ""};
}

TEST(Kernel, SaxpyAtOddSizes) {
  std::random_device seed;
  unsigned value = seed();
  SCOPED_TRACE(value);
  std::mt19937 random(value);
  std::uniform_real_distribution<float> numbers(-10, 10);
  Compiled compiled = compile(air::bitcode({saxpy()}), "saxpy");
  for (uint32_t size : {1u, 7u, 31u, 1000u, 65537u}) {
    std::vector<float> x(size), y(size), a{numbers(random)};
    for (uint32_t i = 0; i < size; ++i)
      x[i] = numbers(random), y[i] = numbers(random);
    std::vector<float> before = y;
    run(compiled, {bind(x), bind(y), bind(a)}, {size, 1, 1}, {64, 1, 1});
    for (uint32_t i = 0; i < size; ++i)
      ASSERT_NEAR(y[i], double(a[0]) * x[i] + before[i], 2e-5) << i;
  }
}

TEST(Kernel, ReflectsItsArguments) {
  Compiled compiled = compile(air::bitcode({saxpy()}), "saxpy");
  ASSERT_EQ(compiled.error, "");
  const image::Kernel &kernel = compiled.reflection;
  EXPECT_EQ(kernel.name, "saxpy");
  ASSERT_EQ(kernel.arguments.size(), 3u);
  EXPECT_EQ(kernel.arguments[0].access, image::Access::read_only);
  EXPECT_EQ(kernel.arguments[1].access, image::Access::read_write);
  EXPECT_EQ(kernel.arguments[1].index, 1u);
  EXPECT_EQ(kernel.arguments[1].type_name, "float");
  EXPECT_EQ(kernel.arguments[1].data_type, 3u);
  EXPECT_TRUE(kernel.arguments[2].is_constant);
  EXPECT_TRUE(kernel.arguments[2].is_reference);
  EXPECT_EQ(kernel.arguments[2].type_size, 4u);
  for (const image::Argument &argument : kernel.arguments)
    EXPECT_TRUE(argument.is_active) << argument.name;
  EXPECT_TRUE(kernel.regroupable);
  EXPECT_FALSE(kernel.has_barriers);
  EXPECT_FALSE(kernel.has_simd_operations);
  EXPECT_EQ(kernel.max_total_threads_per_threadgroup, 1024u);
}

TEST(Kernel, ReflectsStructsAndLimits) {
  air::Argument params = air::constant(0, "Params", 32);
  params.node += ", !\"air.struct_type_info\", !{i32 0, i32 4, i32 0, !\"float\", !\"scale\", "
                 "i32 4, i32 2, i32 3, !\"ushort\", !\"sizes\", "
                 "!\"air.struct_type_info\", !{i32 0, i32 16, i32 0, !\"float4\", !\"colour\"}, "
                 "i32 16, i32 16, i32 0, !\"Inner\", !\"inner\"}";
  Compiled compiled =
      compile(air::bitcode(
                  {{"kernel", {params}, "ret void", ", !{!\"air.max_work_group_size\", i32 256}"}}),
              "kernel");
  ASSERT_EQ(compiled.error, "");
  EXPECT_EQ(compiled.reflection.max_total_threads_per_threadgroup, 256u);
  const image::Argument &argument = compiled.reflection.arguments.at(0);
  EXPECT_EQ(argument.data_type, 1u);
  EXPECT_FALSE(argument.is_active);
  ASSERT_EQ(argument.members.size(), 3u);
  EXPECT_EQ(argument.members[1].name, "sizes");
  EXPECT_EQ(argument.members[1].array_length, 3u);
  EXPECT_EQ(argument.members[1].data_type, 41u);
  EXPECT_EQ(argument.members[1].offset, 4u);
  ASSERT_EQ(argument.members[2].members.size(), 1u);
  EXPECT_EQ(argument.members[2].members[0].data_type, 6u);
}

/// Each thread stores all that it can know of its place; compared with the definitions.
TEST(Kernel, PlacesInThreeDimensions) {
  struct Id {
    const char *name;
    unsigned components;
  };
  const std::vector<Id> ids = {{"thread_position_in_grid", 3},
                               {"threads_per_grid", 3},
                               {"thread_position_in_threadgroup", 3},
                               {"threads_per_threadgroup", 3},
                               {"dispatch_threads_per_threadgroup", 3},
                               {"threadgroup_position_in_grid", 3},
                               {"threadgroups_per_grid", 3},
                               {"thread_index_in_threadgroup", 1},
                               {"thread_index_in_simdgroup", 1},
                               {"simdgroup_index_in_threadgroup", 1},
                               {"simdgroups_per_threadgroup", 1},
                               {"threads_per_simdgroup", 1}};
  constexpr unsigned row = 7 * 3 + 5;
  const Size3 grid{10, 7, 5}, group{4, 3, 2};
  for (bool with_barrier : {false, true}) {
    air::Kernel kernel{"places", {air::device(0, "uint", 4)}, "", ""};
    std::string body = with_barrier ? "  call void @air.wg.barrier(i32 1, i32 1)\n" : "";
    body += "  %x = extractelement <3 x i32> %1, i32 0\n"
            "  %y = extractelement <3 x i32> %1, i32 1\n"
            "  %z = extractelement <3 x i32> %1, i32 2\n"
            "  %zy = mul i32 %z, 7\n  %zyy = add i32 %zy, %y\n"
            "  %zyx = mul i32 %zyy, 10\n  %linear = add i32 %zyx, %x\n"
            "  %base = mul i32 %linear, " +
            std::to_string(row) + "\n";
    unsigned column = 0;
    for (unsigned i = 0; i < ids.size(); ++i) {
      bool is_vector = ids[i].components == 3;
      kernel.arguments.push_back(air::builtin(ids[i].name, is_vector ? "<3 x i32>" : "i32"));
      for (unsigned c = 0; c < ids[i].components; ++c) {
        std::string n = std::to_string(column++);
        std::string value = "%" + std::to_string(i + 1);
        if (is_vector) {
          body += "  %v" + n + " = extractelement <3 x i32> " + value + ", i32 " +
                  std::to_string(c) + "\n";
          value = "%v" + n;
        }
        body += "  %i" + n + " = add i32 %base, " + n + "\n  %p" + n +
                " = getelementptr i32, ptr %0, i32 %i" + n + "\n  store i32 " + value + ", ptr %p" +
                n + "\n";
      }
    }
    ASSERT_EQ(column, row);
    kernel.body = body + "  ret void";
    std::vector<uint32_t> out(grid[0] * grid[1] * grid[2] * row);
    image::Kernel reflection = run(air::bitcode({kernel}, "declare void @air.wg.barrier(i32, i32)"),
                                   "places", {bind(out)}, grid, group);
    EXPECT_EQ(reflection.has_barriers, with_barrier);
    EXPECT_FALSE(reflection.regroupable);
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x) {
          uint32_t place[3] = {x, y, z}, size[3], in_group[3], groups[3], group_at[3];
          for (int i = 0; i < 3; ++i) {
            group_at[i] = place[i] / group[i];
            in_group[i] = place[i] % group[i];
            size[i] = std::min(group[i], grid[i] - group_at[i] * group[i]);
            groups[i] = (grid[i] + group[i] - 1) / group[i];
          }
          uint32_t index = (in_group[2] * size[1] + in_group[1]) * size[0] + in_group[0];
          uint32_t total = size[0] * size[1] * size[2];
          std::vector<uint32_t> expected;
          for (const uint32_t *three : std::initializer_list<const uint32_t *>{
                   place, grid.data(), in_group, size, group.data(), group_at, groups})
            expected.insert(expected.end(), three, three + 3);
          for (uint32_t one : {index, index % 32, index / 32, (total + 31) / 32, 32u})
            expected.push_back(one);
          const uint32_t *got = out.data() + ((z * 7 + y) * 10 + x) * row;
          ASSERT_EQ(std::vector<uint32_t>(got, got + row), expected)
              << x << " " << y << " " << z << (with_barrier ? " in threads" : " in a group");
        }
  }
}

/// Parameters of other types than Apple's: 16 bits, two components, coerced, by address.
TEST(Kernel, PlacesInOtherTypes) {
  air::Kernel kernel{"forms",
                     {air::device(0, "uint", 4), air::builtin("thread_position_in_grid", "i16"),
                      air::builtin("thread_position_in_grid", "<2 x i16>"),
                      air::builtin("thread_position_in_grid", "double"),
                      air::builtin("thread_position_in_grid", "ptr")},
                     R"(
  %index = zext i16 %1 to i64
  %p = getelementptr [4 x i32], ptr %0, i64 %index
  %a = extractelement <2 x i16> %2, i32 0
  %wa = zext i16 %a to i32
  %b = bitcast double %3 to i64
  %wb = trunc i64 %b to i32
  %wc = load i32, ptr %4
  %p1 = getelementptr i32, ptr %p, i64 1
  %p2 = getelementptr i32, ptr %p, i64 2
  store i32 %wa, ptr %p
  store i32 %wb, ptr %p1
  store i32 %wc, ptr %p2
  ret void)",
                     ""};
  std::vector<uint32_t> out(4 * 9);
  run(air::bitcode({kernel}), "forms", {bind(out)}, {9, 1, 1}, {4, 1, 1});
  for (uint32_t i = 0; i < 9; ++i)
    for (uint32_t k = 0; k < 3; ++k)
      EXPECT_EQ(out[4 * i + k], i);
}

/// A variable of the thread's own, addressed at run time, is not shared between the threads of a
/// vectorised loop.
TEST(Kernel, PrivateArraysAreEachThreadsOwn) {
  air::Kernel kernel{"histogram",
                     {air::device(0, "uint", 4), air::device(1, "uint", 4, false),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %bins = alloca [4 x i32]
  store [4 x i32] zeroinitializer, ptr %bins
  %index = zext i32 %2 to i64
  %row = getelementptr [4 x i32], ptr %1, i64 %index
  br label %loop
loop:
  %i = phi i64 [0, %3], [%next, %loop]
  %p = getelementptr i32, ptr %row, i64 %i
  %bin = load i32, ptr %p
  %q = getelementptr [4 x i32], ptr %bins, i64 0, i32 %bin
  %old = load i32, ptr %q
  %new = add i32 %old, 1
  store i32 %new, ptr %q
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %done
done:
  %first = load i32, ptr %bins
  %out = getelementptr i32, ptr %0, i64 %index
  store i32 %first, ptr %out
  ret void)",
                     ""};
  std::mt19937 random(1);
  std::vector<uint32_t> out(999), in(999 * 4);
  for (uint32_t &value : in)
    value = random() % 4;
  run(air::bitcode({kernel}), "histogram", {bind(out), bind(in)}, {999, 1, 1}, {128, 1, 1});
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], static_cast<uint32_t>(std::count(&in[4 * i], &in[4 * i] + 4, 0u))) << i;
}

TEST(Kernel, EarlyReturnsLeaveOneThread) {
  air::Kernel kernel{"evens",
                     {air::device(0, "uint", 4), air::builtin("thread_position_in_grid")},
                     R"(
  %odd = trunc i32 %1 to i1
  br i1 %odd, label %leave, label %store
leave:
  ret void
store:
  %p = getelementptr i32, ptr %0, i32 %1
  store i32 %1, ptr %p
  ret void)",
                     ""};
  std::vector<uint32_t> out(1001, 7);
  run(air::bitcode({kernel}), "evens", {bind(out)}, {1001, 1, 1}, {32, 1, 1});
  for (uint32_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], i % 2 ? 7 : i);
}

TEST(Kernel, AtomicsFromManyThreads) {
  air::Kernel kernel{"count",
                     {air::device(0, "atomic_uint", 4), air::device(1, "float", 4),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %bin = and i32 %2, 7
  %p = getelementptr i32, ptr %0, i32 %bin
  %old = call i32 @air.atomic.global.add.u.i32(ptr %p, i32 3, i32 0, i32 2, i1 true)
  %largest = getelementptr i32, ptr %0, i32 8
  %was = call i32 @air.atomic.global.max.u.i32(ptr %largest, i32 %2, i32 0, i32 2, i1 true)
  %lowest = getelementptr i32, ptr %0, i32 9
  %negative = sub i32 0, %2
  %were = call i32 @air.atomic.global.min.s.i32(ptr %lowest, i32 %negative, i32 0, i32 2, i1 true)
  %sum = call float @air.atomic.global.add.f32(ptr %1, float 5.000000e-01, i32 0, i32 2, i1 true)
  %expected = alloca i32
  %counter = getelementptr i32, ptr %0, i32 10
  %first = call i32 @air.atomic.global.load.i32(ptr %counter, i32 0, i32 2, i1 true)
  store i32 %first, ptr %expected
  br label %try
try:
  %now = load i32, ptr %expected
  %next = add i32 %now, 1
  %done = call i1 @air.atomic.global.cmpxchg.weak.i32(ptr %counter, ptr %expected, i32 %next, i32 0, i32 0, i32 2, i1 true)
  br i1 %done, label %out, label %try
out:
  ret void)",
                     ""};
  std::vector<uint32_t> counts(11);
  std::vector<float> sum{1};
  const uint32_t threads = 100003;
  run(air::bitcode({kernel},
                   "declare i32 @air.atomic.global.add.u.i32(ptr, i32, i32, i32, i1)\n"
                   "declare i32 @air.atomic.global.max.u.i32(ptr, i32, i32, i32, i1)\n"
                   "declare i32 @air.atomic.global.min.s.i32(ptr, i32, i32, i32, i1)\n"
                   "declare i32 @air.atomic.global.load.i32(ptr, i32, i32, i1)\n"
                   "declare float @air.atomic.global.add.f32(ptr, float, i32, i32, i1)\n"
                   "declare i1 @air.atomic.global.cmpxchg.weak.i32(ptr, ptr, i32, i32, i32, i32, "
                   "i1)\n"),
      "count", {bind(counts), bind(sum)}, {threads, 1, 1}, {256, 1, 1});
  for (uint32_t bin = 0; bin < 8; ++bin)
    EXPECT_EQ(counts[bin], 3 * ((threads - bin + 7) / 8));
  EXPECT_EQ(counts[8], threads - 1);
  EXPECT_EQ(static_cast<int32_t>(counts[9]), -static_cast<int32_t>(threads - 1));
  EXPECT_EQ(counts[10], threads);
  EXPECT_EQ(sum[0], 1 + 0.5f * threads);
}

} // namespace
