#include "support/fork.hpp"

#include "child.hpp"
#include "support/guarded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace metalcore {
namespace {

using test::exit_code_of_child;
using namespace std::chrono_literals;

TEST(Fork, EachChildIsOneGenerationFurther) {
  const uint64_t here = fork::generation();
  EXPECT_EQ(exit_code_of_child([&] { return fork::generation() == here + 1 ? 0 : 1; }), 0);
  EXPECT_EQ(exit_code_of_child([&] {
              return exit_code_of_child([&] { return fork::generation() == here + 2 ? 0 : 1; });
            }),
            0);
  EXPECT_EQ(fork::generation(), here);
}

TEST(Fork, WaitsForTheEndOfASection) {
  std::atomic<bool> is_inside = false, is_done = false;
  std::thread other([&] {
    const fork::Section section;
    is_inside = true;
    std::this_thread::sleep_for(50ms);
    is_done = true;
  });
  while (!is_inside)
    std::this_thread::yield();
  EXPECT_EQ(exit_code_of_child([&] { return is_done ? 0 : 1; }), 0);
  other.join();
}

TEST(Fork, IsAllowedInsideOfASection) {
  const fork::Section outer;
  EXPECT_EQ(exit_code_of_child([] {
              const fork::Section inner;
              return 0;
            }),
            0);
}

TEST(Fork, LocksAreFreeInTheChildWhateverOtherThreadsDo) {
  Guarded<int> counter(0);
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop)
        counter.with([](int &value) { ++value; });
    });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(exit_code_of_child([&] {
                counter.with([](int &value) { ++value; });
                // A child may have threads of its own.
                std::thread([&] { counter.with([](int &value) { ++value; }); }).join();
                return 0;
              }),
              0);
  stop = true;
  for (auto &thread : threads)
    thread.join();
}

TEST(Fork, TwoThreadsMayForkAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        if (exit_code_of_child([] {
              const fork::Section section;
              return 0;
            }) != 0)
          ++failures;
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

} // namespace
} // namespace metalcore
