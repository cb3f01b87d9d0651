#include "core/background_writer.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using test::exit_code_of_child;

constexpr auto long_time = 60s;

/// A task that runs until it is let go.
struct Gate {
  std::promise<void> begun, opened;

  BackgroundWriter::Task task() {
    return [this] {
      begun.set_value();
      opened.get_future().wait();
    };
  }
};

TEST(BackgroundWriter, RunsTasksInOrder) {
  BackgroundWriter writer("test", 100);
  EXPECT_TRUE(writer.wait(0s)); // nothing was posted
  std::vector<int> done;
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(writer.post([&done, i] { done.push_back(i); }));
  EXPECT_TRUE(writer.wait(long_time));
  ASSERT_EQ(done.size(), 50u);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(writer.pending(), 0u);
}

TEST(BackgroundWriter, GivesWayToOtherThreads) {
  BackgroundWriter writer("test", 100);
  const int own = getpriority(PRIO_PROCESS, 0);
  int theirs = -100;
  writer.post([&] { theirs = getpriority(PRIO_PROCESS, 0); });
  ASSERT_TRUE(writer.wait(long_time));
#ifdef __linux__ // elsewhere a priority belongs to the process
  EXPECT_GT(theirs, own);
#endif
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), own);
}

TEST(BackgroundWriter, LetsTasksWaitUntilSomebodyWaits) {
  BackgroundWriter writer("test", 100, 24h);
  for (int round = 0; round < 2; ++round) {
    std::atomic<int> done = 0;
    EXPECT_TRUE(writer.post([&] { ++done; }));
    EXPECT_TRUE(writer.post([&] { ++done; }));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(done, 0);
    EXPECT_TRUE(writer.wait(long_time));
    EXPECT_EQ(done, 2);
  }
  std::atomic<int> done = 0;
  EXPECT_TRUE(writer.post([&] { ++done; }));
  writer.shut_down(long_time);
  EXPECT_EQ(done, 1);
}

TEST(BackgroundWriter, BeginsByItselfWhenTheDelayIsOver) {
  BackgroundWriter writer("test", 100, 50ms);
  std::promise<std::chrono::steady_clock::time_point> begun;
  const auto posted = std::chrono::steady_clock::now();
  writer.post([&] { begun.set_value(std::chrono::steady_clock::now()); });
  EXPECT_GE(begun.get_future().get() - posted, 50ms);
}

TEST(BackgroundWriter, TakesNoMoreThanItsCapacity) {
  BackgroundWriter writer("test", 3);
  Gate gate;
  EXPECT_TRUE(writer.post(gate.task()));
  gate.begun.get_future().wait();
  std::atomic<int> done = 0;
  EXPECT_TRUE(writer.post([&] { ++done; }));
  EXPECT_TRUE(writer.post([&] { ++done; }));
  EXPECT_FALSE(writer.post([&] { ++done; }));
  EXPECT_EQ(writer.pending(), 3u);
  EXPECT_FALSE(writer.wait(1ms));
  gate.opened.set_value();
  EXPECT_TRUE(writer.wait(long_time));
  EXPECT_EQ(done, 2);
  EXPECT_TRUE(writer.post([&] { ++done; }));
  EXPECT_TRUE(writer.wait(long_time));
  EXPECT_EQ(done, 3);
}

TEST(BackgroundWriter, SurvivesWhatATaskThrows) {
  BackgroundWriter writer("test", 10);
  std::atomic<int> done = 0;
  writer.post([] { throw std::runtime_error("no"); });
  writer.post([&] { ++done; });
  EXPECT_TRUE(writer.wait(long_time));
  EXPECT_EQ(done, 1);
  EXPECT_EQ(writer.pending(), 0u);
}

TEST(BackgroundWriter, FinishesWhatWaitsBeforeItEnds) {
  BackgroundWriter writer("test", 100);
  std::atomic<int> done = 0;
  for (int i = 0; i < 20; ++i)
    writer.post([&] { ++done; });
  writer.shut_down(long_time);
  EXPECT_EQ(done, 20);
  EXPECT_FALSE(writer.post([&] { ++done; }));
  EXPECT_TRUE(writer.wait(long_time));
  writer.shut_down(long_time);
}

TEST(BackgroundWriter, DropsWhatHasNotBegunWhenPatienceIsOver) {
  // Both outlive the test: the thread is left to itself.
  static auto &writer = *new BackgroundWriter("test", 100);
  static auto &gate = *new Gate;
  static auto &done = *new std::atomic<int>(0);
  writer.post(gate.task());
  gate.begun.get_future().wait();
  writer.post([&] { ++done; });
  writer.shut_down(10ms);
  gate.opened.set_value();
  EXPECT_EQ(done, 0);
}

TEST(BackgroundWriter, StartsAnewInAForkedChild) {
  BackgroundWriter writer("test", 2);
  Gate gate;
  writer.post(gate.task());
  gate.begun.get_future().wait();
  writer.post([] {});
  EXPECT_EQ(exit_code_of_child([&] {
              if (writer.pending() != 0 || !writer.wait(0s))
                return 1;
              int done = 0;
              if (!writer.post([&] { ++done; }) || !writer.wait(long_time) || done != 1)
                return 2;
              writer.shut_down(long_time);
              return 0;
            }),
            0);
  EXPECT_EQ(exit_code_of_child([&] {
              writer.shut_down(long_time);
              return 0;
            }),
            0);
  gate.opened.set_value();
  EXPECT_TRUE(writer.wait(long_time));
}

TEST(BackgroundWriter, TakesNothingWhereTheSystemRefusesThreads) {
  EXPECT_EQ(exit_code_of_child([] {
              BackgroundWriter writer("test", 100);
              if (!test::forbid_threads())
                return 1;
              if (writer.post([] { _exit(2); }) || writer.pending() != 0)
                return 3;
              return writer.wait(0s) ? 0 : 4;
            }),
            0);
}

} // namespace
} // namespace metalcore
