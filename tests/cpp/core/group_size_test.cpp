#include "core/group_size.hpp"

#include <gtest/gtest.h>

#include <random>

namespace metalcore {
namespace {

TEST(GroupSize, SuitsTheGrid) {
  EXPECT_EQ(choose_group_size({1, 1, 1}, 32, 1024), (Size3{1, 1, 1}));
  EXPECT_EQ(choose_group_size({1'000'000, 1, 1}, 32, 1024), (Size3{256, 1, 1}));
  EXPECT_EQ(choose_group_size({33, 1, 1}, 32, 1024), (Size3{64, 1, 1}));
  EXPECT_EQ(choose_group_size({1024, 1024, 1}, 32, 1024), (Size3{32, 8, 1}));
  EXPECT_EQ(choose_group_size({3, 1000, 1}, 32, 1024), (Size3{4, 64, 1}));
  EXPECT_EQ(choose_group_size({64, 2, 2}, 32, 1024), (Size3{64, 2, 2}));
  EXPECT_EQ(choose_group_size({1, 1, 500}, 32, 1024), (Size3{1, 1, 256}));
}

TEST(GroupSize, StaysBelowThePipelinesLimit) {
  EXPECT_EQ(choose_group_size({1'000'000, 1, 1}, 32, 1), (Size3{1, 1, 1}));
  EXPECT_EQ(choose_group_size({1'000'000, 1, 1}, 32, 100), (Size3{64, 1, 1}));
  EXPECT_EQ(choose_group_size({0, 0, 0}, 32, 1024), (Size3{1, 1, 1}));
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> length(0, 5000), limit(1, 1024);
  for (int i = 0; i < 10'000; ++i) {
    const Size3 grid{length(random), length(random), length(random)};
    const std::size_t most = limit(random);
    const Size3 size = choose_group_size(grid, 32, most);
    EXPECT_LE(size[0] * size[1] * size[2], most);
    EXPECT_GE(size[0] * size[1] * size[2], 1u);
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_LT(size[axis], std::max<std::size_t>(2 * grid[axis], 2));
  }
}

} // namespace
} // namespace metalcore
