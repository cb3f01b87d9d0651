#include "hostmetal/executor/cpu/grid.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hostmetal::cpu {
namespace {

// Every thread of the grid is in exactly one group, whatever ranges the groups are walked in.
TEST(Grid, GroupsCoverEachThreadOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](uint32_t limit) { return 1 + static_cast<uint32_t>(random() % limit); };
    const Size3 threads = {below(200), below(40), below(9)};
    const GridRequest request = {threads,
                                 {below(16), below(8), below(8)},
                                 round % 2 == 0,
                                 below(8),
                                 round % 3 == 0 ? 0.0
                                                : std::ldexp(1.0, static_cast<int>(below(24)) - 4)};
    const auto plan = plan_grid(request);
    ASSERT_TRUE(plan);
    EXPECT_GE(plan->batch, 1u);
    if (!request.may_regroup)
      EXPECT_EQ(plan->group_size, request.threads_per_threadgroup);
    std::vector<int> hits(size_t{threads[0]} * threads[1] * threads[2]);
    for (uint64_t begin = 0; begin < plan->group_count;) {
      const uint64_t end = std::min<uint64_t>(plan->group_count, begin + 1 + random() % 5);
      GroupCursor cursor(*plan, threads, begin);
      for (; begin < end; ++begin, cursor.advance()) {
        uint32_t origin[3], position[3], size[3];
        cursor.describe(origin, position, size);
        for (int axis = 0; axis < 3; ++axis)
          EXPECT_EQ(origin[axis], position[axis] * plan->group_size[axis]);
        for (uint32_t z = 0; z < size[2]; ++z)
          for (uint32_t y = 0; y < size[1]; ++y)
            for (uint32_t x = 0; x < size[0]; ++x)
              ++hits.at((size_t{origin[2] + z} * threads[1] + origin[1] + y) * threads[0] +
                        origin[0] + x);
      }
    }
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<long>(hits.size()));
  }
}

TEST(Grid, GroupsLargerThanTheGridAreCutToIt) {
  const Size3 threads = {5, 1, 1};
  const auto plan = plan_grid({threads, {64, 4, 2}, false, 4, 0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->group_count, 1u);
  EXPECT_FALSE(plan->is_parallel);
  uint32_t origin[3], position[3], size[3];
  GroupCursor(*plan, threads, 0).describe(origin, position, size);
  EXPECT_EQ(std::vector<uint32_t>(size, size + 3), (std::vector<uint32_t>{5, 1, 1}));
}

TEST(Grid, LastGroupOfTheLongestGridIsRight) {
  const Size3 threads = {UINT32_MAX, UINT32_MAX, 1};
  const auto plan = plan_grid({threads, {32, 32, 1}, false, 64, 1});
  ASSERT_TRUE(plan);
  const uint64_t along = uint64_t{1} << 27;
  EXPECT_EQ(plan->group_count, along * along);
  uint32_t origin[3], position[3], size[3];
  GroupCursor(*plan, threads, plan->group_count - 1).describe(origin, position, size);
  for (int axis = 0; axis < 2; ++axis) {
    EXPECT_EQ(position[axis], along - 1);
    EXPECT_EQ(origin[axis], (along - 1) * 32);
    EXPECT_EQ(size[axis], 31u);
  }
}

TEST(Grid, UncountableGridsAreRefused) {
  EXPECT_FALSE(plan_grid({{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 1, 1}, false, 1, 0}));
  EXPECT_FALSE(plan_grid({{UINT32_MAX, UINT32_MAX, 1}, {1, 1, 1}, false, 1, 0}));
}

TEST(Grid, RegroupedRowsAreLongAndAligned) {
  const auto plan = plan_grid({{10'000'000, 1, 1}, {32, 1, 1}, true, 2, 0});
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->group_size[0], 16u * 1024);
  EXPECT_EQ(plan->group_size[0] % 64, 0u);
  EXPECT_TRUE(plan->is_parallel);
  const auto rows = plan_grid({{100, 100'000, 1}, {10, 10, 1}, true, 2, 0});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->group_size[0], 100u);
  EXPECT_GT(rows->group_size[1], 100u);
}

TEST(Grid, CheapGridsAreNotSharedAndDearOnesAre) {
  EXPECT_FALSE(plan_grid({{8192, 1, 1}, {256, 1, 1}, true, 8, 0.5})->is_parallel);
  const auto dear = plan_grid({{64, 1, 1}, {8, 1, 1}, true, 8, 1e6});
  EXPECT_TRUE(dear->is_parallel);
  EXPECT_GE(dear->group_count, 1u);
}

} // namespace
} // namespace hostmetal::cpu
