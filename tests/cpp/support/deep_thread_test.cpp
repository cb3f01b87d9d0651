#include "support/deep_thread.hpp"

#include "child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace metalcore {
namespace {

// One frame of 64 KiB for each level.
// NOLINTNEXTLINE(misc-no-recursion)
int descend(int levels) {
  volatile char frame[64 << 10];
  frame[0] = static_cast<char>(levels);
  return levels == 0 ? frame[0] : descend(levels - 1) + (frame[0] != 0 ? 1 : 0);
}

TEST(DeepThread, HasAStackBeyondTheUsual) {
  int sum = 0;
  DeepThread thread([&] { sum = descend(64 * 16); }); // 64 MiB; a usual thread has 8
  EXPECT_TRUE(thread.joinable());
  thread.join();
  EXPECT_FALSE(thread.joinable());
  EXPECT_GT(sum, 0);
}

TEST(DeepThread, Moves) {
  std::atomic<int> runs = 0;
  DeepThread first([&] { ++runs; });
  DeepThread second(std::move(first));
  DeepThread third;
  EXPECT_FALSE(third.joinable());
  third = std::move(second);
  EXPECT_TRUE(third.joinable());
  third.join();
  EXPECT_EQ(runs, 1);
}

TEST(DeepThread, RunsOnWhenDetached) {
  std::promise<void> go, done;
  DeepThread thread([&] {
    go.get_future().wait();
    done.set_value();
  });
  thread.detach();
  EXPECT_FALSE(thread.joinable());
  go.set_value();
  done.get_future().wait();
}

// Sanitizers take address space of their own for a thread.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(DeepThread, DoesWithTheUsualStackWhereMemoryIsShort) {
  EXPECT_EQ(test::exit_code_of_child([] {
              // What the process has, and enough for a usual thread.
              rlim_t pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t most = pages * static_cast<rlim_t>(getpagesize()) + (64u << 20);
              const rlimit limit{most, most};
              setrlimit(RLIMIT_AS, &limit);
              bool ran = false;
              DeepThread([&] { ran = true; }).join();
              return ran ? 0 : 1;
            }),
            0);
}
#endif

TEST(DeepThread, SaysWhenThereIsNone) {
  EXPECT_EQ(test::exit_code_of_child([] {
              if (!test::forbid_threads())
                return 2;
              try {
                DeepThread([] {}).join();
                return 1;
              } catch (const std::system_error &) {
                return 0;
              }
            }),
            0);
}

} // namespace
} // namespace metalcore
