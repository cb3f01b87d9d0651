#include "kernels.hpp"

#include <atomic>
#include <numeric>
#include <random>

namespace hostmetal::test {
namespace {

/// Adds one to the element of each thread, whichever group it is in.
void count_in_rows(const HmGroup *group, uint32_t y, uint32_t z) {
  auto *counts = argument<uint32_t>(group, 0);
  for (uint32_t x = 0; x < group->size[0]; ++x)
    ++counts[grid_index(group, x, y, z)];
}

void count_in_threads(const HmGroup *group, HmThread *thread) {
  ++argument<uint32_t>(group, 0)[grid_index(group, thread)];
}

/// What each thread sees of its place, as one number.
uint64_t place_code(const HmGroup *group, uint32_t x, uint32_t y, uint32_t z, uint32_t index) {
  uint64_t code = index;
  for (int axis = 0; axis < 3; ++axis)
    for (uint32_t value :
         {group->position[axis], group->size[axis], group->grid->threads_per_grid[axis],
          group->grid->threadgroups_per_grid[axis], group->grid->threads_per_threadgroup[axis]})
      code = code * 1099511628211u + value;
  for (uint32_t value : {x, y, z})
    code = code * 1099511628211u + value;
  return code;
}

void place_in_rows(const HmGroup *group, uint32_t y, uint32_t z) {
  uint32_t index = (z * group->size[1] + y) * group->size[0];
  for (uint32_t x = 0; x < group->size[0]; ++x)
    argument<uint64_t>(group, 0)[grid_index(group, x, y, z)] = place_code(group, x, y, z, index++);
}

void place_in_threads(const HmGroup *group, HmThread *thread) {
  const HmThreadHead &self = head(thread);
  argument<uint64_t>(group, 0)[grid_index(group, thread)] =
      place_code(group, self.position[0], self.position[1], self.position[2], self.index);
}

/// The same by brute force: from the definition of a grid's threadgroups.
std::vector<uint64_t> expected_places(const Size3 &grid, const Size3 &group_size) {
  std::vector<uint64_t> places;
  HmGrid shape{};
  for (int axis = 0; axis < 3; ++axis) {
    shape.threads_per_grid[axis] = grid[axis];
    shape.threads_per_threadgroup[axis] = group_size[axis];
    shape.threadgroups_per_grid[axis] = (grid[axis] + group_size[axis] - 1) / group_size[axis];
  }
  for (uint32_t z = 0; z < grid[2]; ++z)
    for (uint32_t y = 0; y < grid[1]; ++y)
      for (uint32_t x = 0; x < grid[0]; ++x) {
        const Size3 at = {x, y, z};
        HmGroup group{};
        group.grid = &shape;
        Size3 in;
        for (int axis = 0; axis < 3; ++axis) {
          group.position[axis] = at[axis] / group_size[axis];
          in[axis] = at[axis] % group_size[axis];
          group.size[axis] =
              std::min(group_size[axis], grid[axis] - group.position[axis] * group_size[axis]);
        }
        const uint32_t index = (in[2] * group.size[1] + in[1]) * group.size[0] + in[0];
        places.push_back(place_code(&group, in[0], in[1], in[2], index));
      }
  return places;
}

TEST(Dispatch, EachThreadRunsOnceInEveryForm) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto stream = cpu_executor()->make_stream();
  const auto kernels = {make_kernel(count_in_rows), make_kernel(count_in_threads),
                        make_kernel(count_in_rows, {.regroupable = true})};
  for (int round = 0; round < 60; ++round) {
    const auto below = [&](uint32_t limit) { return 1 + static_cast<uint32_t>(random() % limit); };
    const Size3 grid = {below(300), below(20), below(5)};
    const Size3 group_size = {below(20), below(7), below(5)};
    for (const auto &kernel : kernels) {
      std::vector<uint32_t> counts(size_t{grid[0]} * grid[1] * grid[2]);
      const Outcome outcome =
          run(*stream, {make_dispatch(kernel, {counts.data()}, grid, group_size)});
      EXPECT_EQ(outcome.error, "");
      EXPECT_EQ(counts, std::vector<uint32_t>(counts.size(), 1));
    }
  }
}

TEST(Dispatch, ThreadsKnowTheirPlaceAtEveryEdge) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto kernels = {make_kernel(place_in_rows), make_kernel(place_in_threads)};
  for (int round = 0; round < 40; ++round) {
    const auto below = [&](uint32_t limit) { return 1 + static_cast<uint32_t>(random() % limit); };
    const Size3 grid = {below(70), below(20), below(6)};
    const Size3 group_size = {below(33), below(6), below(5)};
    const std::vector<uint64_t> expected = expected_places(grid, group_size);
    for (const auto &kernel : kernels) {
      std::vector<uint64_t> places(expected.size());
      EXPECT_EQ(run(make_dispatch(kernel, {places.data()}, grid, group_size)).error, "");
      EXPECT_EQ(places, expected);
    }
  }
}

TEST(Dispatch, LargeGridsAreSharedAndComplete) {
  std::vector<uint32_t> counts(5'000'011);
  const auto kernel = make_kernel(count_in_rows, {.regroupable = true});
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(run(make_dispatch(kernel, {counts.data()}, {5'000'011, 1, 1}, {256, 1, 1})).error,
              "");
  EXPECT_EQ(counts, std::vector<uint32_t>(counts.size(), 3));
}

TEST(Dispatch, EmptyGridsRunNothing) {
  static std::atomic<int> calls;
  calls = 0;
  const auto kernel =
      make_kernel([](const HmGroup *, uint32_t, uint32_t) { ++calls; }, {.buffers = 0});
  for (const Size3 &grid : {Size3{0, 1, 1}, Size3{1, 0, 1}, Size3{1, 1, 0}, Size3{0, 0, 0}})
    EXPECT_EQ(run(make_dispatch(kernel, {}, grid, {1, 1, 1})).error, "");
  EXPECT_EQ(calls, 0);
}

TEST(Dispatch, BillionsOfThreadsAreCounted) {
  static std::atomic<uint64_t> threads;
  threads = 0;
  const auto kernel =
      make_kernel([](const HmGroup *group, uint32_t, uint32_t) { threads += group->size[0]; },
                  {.buffers = 0, .regroupable = true});
  EXPECT_EQ(run(make_dispatch(kernel, {}, {UINT32_MAX, 3, 1}, {1024, 1, 1})).error, "");
  EXPECT_EQ(threads, uint64_t{UINT32_MAX} * 3);
}

TEST(Dispatch, IndirectGroupCountsAreReadWhenTheCommandRuns) {
  const auto stream = cpu_executor()->make_stream();
  std::vector<uint32_t> counts(6 * 4 * 2);
  uint32_t groups[3] = {99, 99, 99};
  const uint32_t late[3] = {3, 2, 1};
  DispatchIndirect indirect{
      make_dispatch(make_kernel(count_in_rows), {counts.data()}, {}, {2, 2, 2}), groups};
  EXPECT_EQ(run(*stream, {Copy{groups, late, sizeof(late)}, indirect}).error, "");
  EXPECT_EQ(counts, std::vector<uint32_t>(counts.size(), 1));

  groups[1] = 0;
  EXPECT_EQ(run(*stream, {indirect}).error, "");
  EXPECT_EQ(counts, std::vector<uint32_t>(counts.size(), 1));

  groups[1] = UINT32_MAX;
  EXPECT_EQ(run(*stream, {indirect}).error,
            "The grid has 8589934590 threads along axis 1, and the limit is 4294967295.");
}

struct Layout {
  uint64_t offsets[3];
  uint64_t alignment;
};

void store_layout(const HmGroup *group, uint32_t, uint32_t) {
  auto *out = argument<Layout>(group, 0);
  for (int i = 0; i < 3; ++i)
    out->offsets[i] = reinterpret_cast<uint64_t>(group->grid->arguments[1 + i]);
  out->alignment = reinterpret_cast<uintptr_t>(group->threadgroup_memory) % 64;
}

TEST(Dispatch, ThreadgroupArgumentsFollowTheKernelsOwnVariables) {
  Layout layout;
  const auto kernel = make_kernel(
      store_layout, {.buffers = 1, .threadgroup_arguments = 3, .static_threadgroup_memory = 20});
  EXPECT_EQ(run(make_dispatch(kernel, {&layout}, {1, 1, 1}, {1, 1, 1}, {4, 33, 100})).error, "");
  EXPECT_EQ(layout.offsets[0], 32u);
  EXPECT_EQ(layout.offsets[1], 48u);
  EXPECT_EQ(layout.offsets[2], 96u);
  EXPECT_EQ(layout.alignment, 0u);
}

TEST(Dispatch, WrongRequestsAreErrors) {
  const auto kernel = make_kernel(
      store_layout, {.buffers = 1, .threadgroup_arguments = 3, .static_threadgroup_memory = 16});
  Layout layout;
  EXPECT_EQ(
      run(make_dispatch(kernel, {&layout}, {1, 1, 1}, {1, 1, 1}, {16, 16, 32768})).error,
      "The threadgroup memory (32816 bytes) of kernel \"test\" is larger than the limit (32768 "
      "bytes).");
  EXPECT_EQ(
      run(make_dispatch(kernel, {&layout}, {1, 1, 1}, {32, 32, 2})).error,
      "The threadgroup size (32 x 32 x 2) must be from 1 to 1024 threads for kernel \"test\".");
  EXPECT_EQ(
      run(make_dispatch(kernel, {&layout}, {1, 1, 1}, {32, 0, 1})).error,
      "The threadgroup size (32 x 0 x 1) must be from 1 to 1024 threads for kernel \"test\".");
  EXPECT_NE(run(make_dispatch(kernel, {&layout}, {1, 1, 1}, {UINT32_MAX, UINT32_MAX, 3})).error,
            "");
  Dispatch short_of_arguments = make_dispatch(kernel, {&layout}, {1, 1, 1}, {1, 1, 1});
  short_of_arguments.arguments.pop_back();
  EXPECT_EQ(run(short_of_arguments).error,
            "The number of bound arguments (3) differs from that of kernel \"test\" (4).");
  Dispatch without_kernel = make_dispatch(kernel, {&layout}, {1, 1, 1}, {1, 1, 1});
  without_kernel.kernel = nullptr;
  EXPECT_EQ(run(without_kernel).error, "A dispatch has no kernel.");
  const auto grid = make_dispatch(kernel, {&layout}, {UINT32_MAX, UINT32_MAX, 9}, {1, 1, 1});
  EXPECT_EQ(run(grid).error, "The grid (4294967295 x 4294967295 x 9 threads) of kernel \"test\" is "
                             "too large.");
}

TEST(Dispatch, KernelsWithoutCodeAreRefused) {
  EXPECT_THROW(cpu_executor()->load({}, {nullptr, nullptr}, nullptr), std::invalid_argument);
}

} // namespace
} // namespace hostmetal::test
