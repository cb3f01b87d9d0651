#include "ops/layout.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace metalcore;
using ops::Piece;
using ops::Walk;

namespace {

/// Offsets that a walk visits, in C order.
std::vector<std::ptrdiff_t> visits(const Shape &shape, const Strides &strides) {
  std::vector<std::ptrdiff_t> offsets{0};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::vector<std::ptrdiff_t> deeper;
    for (const std::ptrdiff_t offset : offsets) {
      for (std::size_t n = 0; n < shape[i]; ++n) {
        deeper.push_back(offset + static_cast<std::ptrdiff_t>(n) * strides[i]);
      }
    }
    offsets = std::move(deeper);
  }
  return offsets;
}

} // namespace

TEST(Collapse, ContiguousBecomesOneDimension) {
  const Shape shape{2, 1, 3, 4};
  const Walk walk = ops::collapse(shape, {ops::contiguous_strides(shape)});
  EXPECT_EQ(walk.shape, Shape{24});
  EXPECT_EQ(walk.strides[0], Strides{1});
}

TEST(Collapse, OneElementHasNoDimensions) {
  EXPECT_TRUE(ops::collapse({1, 1}, {{7, 9}}).shape.empty());
}

TEST(Collapse, VisitsTheSameElementsInTheSameOrder) {
  const std::random_device::result_type seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 1000; ++round) {
    Shape shape;
    std::vector<Strides> strides(2);
    for (int rank = pick(0, 5); rank > 0; --rank) {
      shape.push_back(static_cast<std::size_t>(pick(1, 4)));
    }
    for (Strides &operand : strides) {
      operand = ops::contiguous_strides(shape);
      for (std::ptrdiff_t &stride : operand) {
        stride = pick(0, 3) == 0 ? pick(-2, 2) : stride;
      }
    }
    const Walk walk = ops::collapse(shape, strides);
    for (std::size_t n = 0; n < strides.size(); ++n) {
      EXPECT_EQ(visits(walk.shape, walk.strides[n]), visits(shape, strides[n]));
    }
  }
}

TEST(Split, CoversTheGridOnce) {
  std::set<std::size_t> seen;
  const Size3 grid{7, 3, 5};
  for (const Piece &piece : ops::split(grid, 2)) {
    for (std::size_t z = 0; z < piece.extent[2]; ++z) {
      for (std::size_t y = 0; y < piece.extent[1]; ++y) {
        for (std::size_t x = 0; x < piece.extent[0]; ++x) {
          const std::size_t place =
              ((piece.origin[2] + z) * grid[1] + piece.origin[1] + y) * grid[0] + piece.origin[0] +
              x;
          EXPECT_TRUE(seen.insert(place).second);
        }
      }
    }
    for (const std::size_t extent : piece.extent) {
      EXPECT_LE(extent, 2U);
    }
  }
  EXPECT_EQ(seen.size(), 7U * 3U * 5U);
  EXPECT_EQ(*seen.rbegin(), 7U * 3U * 5U - 1);
}

TEST(Split, AnEmptyGridHasNoPieces) {
  EXPECT_TRUE(ops::split({0, 1, 1}, 4).empty());
  EXPECT_TRUE(ops::split({3, 0, 1}, 4).empty());
}

TEST(Split, MoreElementsThanPositions) {
  const std::size_t count = (std::size_t{1} << 33) + 5;
  const std::vector<Piece> pieces = ops::split({count, 1, 1}, ops::max_grid_extent);
  ASSERT_EQ(pieces.size(), 5U);
  EXPECT_EQ(pieces.back().origin[0] + pieces.back().extent[0], count);
}

TEST(ElementCount, RefusesWhatMemoryCannotHold) {
  EXPECT_EQ(ops::element_count({}), 1U);
  EXPECT_EQ(ops::element_count({SIZE_MAX, 0}), 0U);
  EXPECT_THROW(ops::element_count({SIZE_MAX, 2}), std::invalid_argument);
  EXPECT_THROW(ops::element_count({SIZE_MAX / 8, 1}), std::invalid_argument);
}

TEST(BroadcastShapes, FollowsNumPy) {
  EXPECT_EQ(broadcast_shapes({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast_shapes({}, {0}), Shape{0});
  EXPECT_EQ(broadcast_shapes({1}, {0}), Shape{0});
  EXPECT_THROW(broadcast_shapes({2}, {3}), std::invalid_argument);
  EXPECT_THROW(broadcast_shapes({2, 3}, {2}), std::invalid_argument);
}
