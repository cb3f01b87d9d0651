#include "support/linux/deep_stack.hpp"

#include "child.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <new>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace metalcore {
namespace {

/// Uses 64 KiB for each level, and returns their number.
// NOLINTNEXTLINE(misc-no-recursion)
int descend(int levels) {
  char frame[64 << 10];
  std::memset(frame, 1, sizeof frame);
  __asm__ volatile("" : : "r"(frame) : "memory"); // all of it is used
  return levels == 0 ? 0 : descend(levels - 1) + frame[levels];
}

TEST(DeepStack, IsDeepAndOnTheCallersThread) {
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 3; ++round) {
    int sum = 0;
    std::thread::id thread;
    DeepStack::run([&] {
      thread = std::this_thread::get_id();
      sum = descend(64 * 16); // 64 MiB; a usual thread has 8
    });
    EXPECT_EQ(thread, caller);
    EXPECT_EQ(sum, 64 * 16);
  }
}

TEST(DeepStack, SaysWhatIsLeft) {
  EXPECT_EQ(DeepStack::left(), SIZE_MAX);
  std::size_t outer = 0, inner = 0, after = 0;
  DeepStack::run([&] {
    outer = DeepStack::left();
    DeepStack::run([&] { inner = DeepStack::left(); });
    after = DeepStack::left();
  });
  EXPECT_LE(outer, DeepStack::size);
  EXPECT_GT(outer, DeepStack::size - 4096);
  EXPECT_LE(inner, DeepStack::size);
  EXPECT_GT(inner, DeepStack::size - 4096);
  EXPECT_EQ(after, outer);
  EXPECT_EQ(DeepStack::left(), SIZE_MAX);
}

TEST(DeepStack, ThreadsHaveTheirOwn) {
  std::vector<int> sums(16);
  std::vector<std::thread> threads;
  for (int &sum : sums)
    threads.emplace_back([&sum] {
      for (int round = 0; round < 50; ++round)
        DeepStack::run([&] { sum += descend(20); });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sums, std::vector(16, 50 * 20));
}

// Sanitizers take memory and address space of their own.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(DeepStack, GivesDeepMemoryBack) {
  const auto resident = [] {
    std::size_t size = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> size >> pages;
    return pages * static_cast<std::size_t>(getpagesize());
  };
  DeepStack::run([] {});
  const std::size_t before = resident();
  DeepStack::run([&] {
    EXPECT_EQ(descend(64 * 16), 64 * 16);
    EXPECT_GT(resident(), before + (32u << 20));
  });
  EXPECT_LT(resident(), before + (16u << 20));
}

/// Lets this process have that much more address space.
void limit_memory(rlim_t more) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(getpagesize()) + more;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

/// What is left of the last of that many stacks within each other, most of which are no spare ones;
/// 0 where there is no memory for it.
// NOLINTNEXTLINE(misc-no-recursion)
std::size_t left_of_nested(int stacks) {
  std::size_t left = 0;
  try {
    DeepStack::run([&] { left = stacks > 1 ? left_of_nested(stacks - 1) : DeepStack::left(); });
  } catch (const std::bad_alloc &) {
    return 0;
  }
  return left;
}

TEST(DeepStack, IsSmallerWhereMemoryIsShort) {
  EXPECT_EQ(test::exit_code_of_child([] {
              limit_memory(60u << 20);
              const std::size_t left = left_of_nested(6);
              return left > (7u << 20) && left <= (8u << 20) ? 0 : 1;
            }),
            0);
}

TEST(DeepStack, SaysWhenThereIsNone) {
  EXPECT_EQ(test::exit_code_of_child([] {
              limit_memory(4u << 20);
              return left_of_nested(6) == 0 ? 0 : 1;
            }),
            0);
}
#endif

} // namespace
} // namespace metalcore
