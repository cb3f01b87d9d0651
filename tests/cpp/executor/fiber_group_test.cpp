#include "kernels.hpp"

#include "support/linux/annotated_stack.hpp"

#include <bit>
#include <numeric>
#include <random>

namespace hostmetal::test {
namespace {

/// One tree reduction for each threadgroup, over as many elements as it has threads.
void reduce(const HmGroup *group, HmThread *thread) {
  const uint32_t index = head(thread).index;
  auto *sums = threadgroup_argument<uint64_t>(group, 2);
  sums[index] = argument<uint32_t>(group, 0)[grid_index(group, thread)];
  barrier(group, thread);
  uint32_t length = group->size[0];
  while (length > 1) {
    const uint32_t half = (length + 1) / 2;
    if (index + half < length)
      sums[index] += sums[index + half];
    barrier(group, thread);
    length = half;
  }
  if (index == 0)
    argument<uint64_t>(group, 1)[group->position[0]] = sums[0];
}

TEST(FiberGroup, TreeReductionWithBarriers) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto kernel = make_kernel(reduce, {.buffers = 2, .threadgroup_arguments = 1});
  for (uint32_t group_size : {1u, 2u, 31u, 32u, 33u, 100u, 1024u}) {
    std::vector<uint32_t> in(9 * group_size + group_size / 3 + 1);
    for (uint32_t &value : in)
      value = static_cast<uint32_t>(random());
    const auto count = static_cast<uint32_t>(in.size());
    std::vector<uint64_t> sums((count + group_size - 1) / group_size);
    const Outcome outcome = run(make_dispatch(kernel, {in.data(), sums.data()}, {count, 1, 1},
                                              {group_size, 1, 1}, {group_size * 8}));
    ASSERT_EQ(outcome.error, "");
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto begin = in.begin() + static_cast<long>(i * group_size);
      const auto end = in.begin() + std::min<long>(count, static_cast<long>((i + 1) * group_size));
      EXPECT_EQ(sums[i], std::accumulate(begin, end, uint64_t{0})) << group_size << " " << i;
    }
  }
}

/// An inclusive prefix sum over each simdgroup by shuffles, in five steps.
void prefix_sum(const HmGroup *group, HmThread *thread) {
  const uint32_t lane = head(thread).index % HM_SIMD_WIDTH;
  auto &element = argument<uint64_t>(group, 0)[grid_index(group, thread)];
  uint64_t sum = element;
  for (uint32_t step = 1; step < HM_SIMD_WIDTH; step *= 2) {
    const HmSimdFrame &frame = exchange(group, thread, 7, sum);
    if (lane >= step)
      sum += value_of<uint64_t>(frame, lane - step);
  }
  element = sum;
}

TEST(FiberGroup, PrefixSumThroughExchanges) {
  const auto kernel = make_kernel(prefix_sum);
  for (uint32_t group_size : {1u, 5u, 32u, 47u, 256u, 1000u}) {
    std::vector<uint64_t> values(group_size * 3 + 5);
    std::iota(values.begin(), values.end(), 17);
    std::vector<uint64_t> expected = values;
    for (size_t i = 0; i < values.size(); ++i)
      if (i % group_size % HM_SIMD_WIDTH != 0)
        expected[i] += expected[i - 1];
    const auto count = static_cast<uint32_t>(values.size());
    ASSERT_EQ(run(make_dispatch(kernel, {values.data()}, {count, 1, 1}, {group_size, 1, 1})).error,
              "");
    EXPECT_EQ(values, expected) << group_size;
  }
}

/// Lanes take one of three ways, each with an exchange, and meet again.
void diverge(const HmGroup *group, HmThread *thread) {
  const uint32_t lane = head(thread).index % HM_SIMD_WIDTH;
  auto *out = argument<uint32_t>(group, 0) + 2 * grid_index(group, thread);
  if (lane % 3 == 0)
    out[0] = exchange(group, thread, 10, lane).active;
  else if (lane % 3 == 1)
    out[0] = exchange(group, thread, 20, lane).active;
  else
    out[0] = exchange(group, thread, 30, lane).active;
  out[1] = exchange(group, thread, 40, lane).active;
}

TEST(FiberGroup, DivergentLanesMeetTheirOwnKindAndRejoin) {
  std::vector<uint32_t> out(2 * 40);
  ASSERT_EQ(run(make_dispatch(make_kernel(diverge), {out.data()}, {40, 1, 1}, {40, 1, 1})).error,
            "");
  for (uint32_t i = 0; i < 40; ++i) {
    const uint32_t lanes = i < 32 ? 32 : 8;
    uint32_t same = 0;
    for (uint32_t lane = 0; lane < lanes; ++lane)
      same |= (lane % 3 == i % 32 % 3 ? 1u : 0u) << lane;
    EXPECT_EQ(out[2 * i], same) << i;
    EXPECT_EQ(out[2 * i + 1], lanes == 32 ? ~0u : 0xFFu) << i;
  }
}

/// Lane n loops n times; the mask in each round holds those that still loop.
void loop_unevenly(const HmGroup *group, HmThread *thread) {
  const uint32_t lane = head(thread).index;
  auto *masks = argument<uint32_t>(group, 0);
  for (uint32_t round = 0; round < lane; ++round)
    masks[lane * 32 + round] = exchange(group, thread, 5, round).active;
  masks[lane * 32 + 31] = exchange(group, thread, 9, lane).active;
}

TEST(FiberGroup, LoopsOfUnequalLengthNarrowTheMask) {
  std::vector<uint32_t> masks(32 * 32);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(loop_unevenly), {masks.data()}, {32, 1, 1}, {32, 1, 1})).error,
      "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t round = 0; round < std::min(lane, 31u); ++round)
      EXPECT_EQ(masks[lane * 32 + round], ~0u << (round + 1)) << lane << " " << round;
  EXPECT_EQ(masks[31], ~0u);
}

/// Odd threads return before the barrier; the others pass it and count those that they see.
void return_early(const HmGroup *group, HmThread *thread) {
  const uint32_t index = head(thread).index;
  auto *seen = threadgroup_argument<uint32_t>(group, 1);
  seen[index] = 1;
  if (index % 2 == 1)
    return;
  barrier(group, thread);
  uint32_t count = 0;
  for (uint32_t i = 0; i < group->size[0]; ++i)
    count += seen[i];
  barrier(group, thread);
  seen[index] = 0;
  const HmSimdFrame &frame = exchange(group, thread, 1, index);
  argument<uint32_t>(group, 0)[index] = count + (frame.active == 0x55555555 ? 0 : 1'000'000);
}

TEST(FiberGroup, ReturnedThreadsCountAsArrived) {
  std::vector<uint32_t> counts(256);
  const auto kernel = make_kernel(return_early, {.buffers = 1, .threadgroup_arguments = 1});
  ASSERT_EQ(run(make_dispatch(kernel, {counts.data()}, {256, 1, 1}, {256, 1, 1}, {1024})).error,
            "");
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(counts[i], i % 2 == 0 ? 256u : 0u);
}

/// In each simdgroup the first half waits at the barrier while the second exchanges; the last
/// thread of the threadgroup returns without either.
void wait_in_mixture(const HmGroup *group, HmThread *thread) {
  const uint32_t index = head(thread).index;
  const uint32_t lane = index % HM_SIMD_WIDTH;
  uint32_t mask = 0;
  if (index == group->size[0] - 1)
    return;
  if (lane < 16)
    barrier(group, thread);
  else
    for (int round = 0; round < 3; ++round)
      mask = exchange(group, thread, 3, lane).active;
  if (lane >= 16)
    barrier(group, thread);
  argument<uint32_t>(group, 0)[index] = mask + exchange(group, thread, 4, lane).active % 65536;
}

TEST(FiberGroup, LanesAtBarriersAndExchangesMakeProgress) {
  std::vector<uint32_t> out(96);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(wait_in_mixture), {out.data()}, {96, 1, 1}, {96, 1, 1})).error,
      "");
  for (uint32_t i = 0; i < 95; ++i) {
    const uint32_t upper = i < 64 ? 0xFFFF0000u : 0x7FFF0000u;
    EXPECT_EQ(out[i], (i % 32 < 16 ? 0 : upper) + 0xFFFFu) << i;
  }
  EXPECT_EQ(out[95], 0u);
}

/// A barrier that one simdgroup alone reaches opens when all others have returned.
void wait_alone(const HmGroup *group, HmThread *thread) {
  if (head(thread).index / HM_SIMD_WIDTH != 1)
    return;
  barrier(group, thread);
  argument<uint32_t>(group, 0)[head(thread).index] = 1;
}

TEST(FiberGroup, BarriersOpenWhenTheRestHasReturned) {
  std::vector<uint32_t> out(128);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(wait_alone), {out.data()}, {128, 1, 1}, {128, 1, 1})).error,
      "");
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0u), 32u);
}

struct Wide {
  uint64_t parts[4];
};

template <typename T> T made_of(uint32_t seed) {
  T value;
  auto *bytes = reinterpret_cast<uint8_t *>(&value);
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<uint8_t>(seed * 31 + i);
  return value;
}

template <typename T> bool rotates(const HmGroup *group, HmThread *thread, uint64_t site) {
  const uint32_t lane = head(thread).index % HM_SIMD_WIDTH;
  const HmSimdFrame &frame = exchange(group, thread, site, made_of<T>(lane));
  const T expected = made_of<T>((lane + 1) % HM_SIMD_WIDTH);
  return std::memcmp(frame.values[(lane + 1) % HM_SIMD_WIDTH], &expected, sizeof(T)) == 0;
}

void rotate_all_sizes(const HmGroup *group, HmThread *thread) {
  struct Odd {
    uint8_t bytes[12];
  };
  struct Pair {
    uint64_t parts[2];
  };
  bool is_right = rotates<uint8_t>(group, thread, 1);
  is_right &= rotates<uint16_t>(group, thread, 2);
  is_right &= rotates<uint32_t>(group, thread, 3);
  is_right &= rotates<uint64_t>(group, thread, 4);
  is_right &= rotates<Odd>(group, thread, 5);
  is_right &= rotates<Pair>(group, thread, 6);
  is_right &= rotates<Wide>(group, thread, 7);
  const HmSimdFrame *nothing = group->grid->runtime->simd_exchange(thread, 8, nullptr, 0);
  argument<uint32_t>(group, 0)[head(thread).index] = is_right && nothing->active == ~0u;
}

TEST(FiberGroup, OperandsOfEverySize) {
  std::vector<uint32_t> out(64);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(rotate_all_sizes), {out.data()}, {64, 1, 1}, {64, 1, 1})).error,
      "");
  EXPECT_EQ(out, std::vector<uint32_t>(64, 1));
}

/// Needs all callee-saved registers across a wait.
void keep_many_values(const HmGroup *group, HmThread *thread) {
  const uint32_t index = head(thread).index;
  double values[24];
  uint64_t numbers[24];
  for (uint32_t i = 0; i < 24; ++i) {
    values[i] = index * 100.0 + i;
    numbers[i] = uint64_t{index} << i;
  }
  for (int round = 0; round < 3; ++round) {
    barrier(group, thread);
    for (uint32_t i = 0; i < 24; ++i) {
      values[i] += 1;
      numbers[i] ^= i;
    }
  }
  bool is_right = true;
  for (uint32_t i = 0; i < 24; ++i)
    is_right &= values[i] == index * 100.0 + i + 3 && numbers[i] == ((uint64_t{index} << i) ^ i);
  argument<uint32_t>(group, 0)[index] = is_right;
}

TEST(FiberGroup, ValuesSurviveWaiting) {
  std::vector<uint32_t> out(1024);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(keep_many_values), {out.data()}, {1024, 1, 1}, {1024, 1, 1}))
          .error,
      "");
  EXPECT_EQ(out, std::vector<uint32_t>(1024, 1));
}

/// Uses most of a fiber's stack.
void use_stack(const HmGroup *group, HmThread *thread) {
  volatile uint8_t bytes[40 * 1024];
  const auto mark = static_cast<uint8_t>(head(thread).index);
  for (size_t i = 0; i < sizeof(bytes); i += 512)
    bytes[i] = mark;
  barrier(group, thread);
  bool is_right = true;
  for (size_t i = 0; i < sizeof(bytes); i += 512)
    is_right &= bytes[i] == mark;
  argument<uint32_t>(group, 0)[head(thread).index] = is_right;
}

TEST(FiberGroup, StacksAreSeparate) {
  std::vector<uint32_t> out(300);
  ASSERT_EQ(
      run(make_dispatch(make_kernel(use_stack), {out.data()}, {300, 1, 1}, {300, 1, 1})).error, "");
  EXPECT_EQ(out, std::vector<uint32_t>(300, 1));
}

/// Not instrumented, as kernels are not: what a thread leaves on its stack when it ends there would
/// be poisoned for the next one.
METALCORE_NOT_INSTRUMENTED uint32_t descend(const HmGroup *group, HmThread *thread,
                                            uint32_t depth) {
  volatile uint8_t frame[512];
  frame[depth % sizeof(frame)] = static_cast<uint8_t>(depth);
  if (static_cast<const uint8_t *>(__builtin_frame_address(0)) - 1024 < head(thread).stack_limit)
    group->grid->runtime->stack_overflow(thread);
  return depth == 0 ? 0 : descend(group, thread, depth - 1) + frame[depth % sizeof(frame)] % 2;
}

/// Every third thread goes deeper than its stack; the others wait for them at barriers.
METALCORE_NOT_INSTRUMENTED void overflow(const HmGroup *group, HmThread *thread) {
  const uint32_t index = head(thread).index;
  barrier(group, thread);
  const uint32_t result = descend(group, thread, index % 3 == 0 ? 1'000'000 : 40);
  barrier(group, thread);
  exchange(group, thread, 1, result);
  argument<uint32_t>(group, 0)[index] = result;
}

TEST(FiberGroup, ThreadsThatOverflowTheirStackEnd) {
  const auto stream = cpu_executor()->make_stream();
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<uint32_t> out(70);
    const Outcome outcome =
        run(*stream, {make_dispatch(make_kernel(overflow), {out.data()}, {70, 1, 1}, {70, 1, 1})});
    EXPECT_TRUE(outcome.is_stack_overflow);
    EXPECT_EQ(outcome.error, "A thread of kernel \"test\" called functions so deep that the 65536 "
                             "bytes of its stack are full.");
    for (uint32_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], i % 3 == 0 ? 0u : 20u);
    const auto after = make_dispatch(make_kernel(use_stack), {out.data()}, {70, 1, 1}, {70, 1, 1});
    EXPECT_FALSE(run(*stream, {after}).is_stack_overflow);
    EXPECT_EQ(out, std::vector<uint32_t>(70, 1));
  }
}

} // namespace
} // namespace hostmetal::test
