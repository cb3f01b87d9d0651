#include "core/compile_pool.hpp"

#include "support/child.hpp"
#include "support/thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <sys/resource.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;

/// Waits until `count` jobs were called.
class Count {
public:
  explicit Count(int count) : left_(count) {}
  void down() {
    if (--left_ == 0)
      done_.set_value();
  }
  void wait() { future_.wait(); }

private:
  std::atomic<int> left_;
  std::promise<void> done_;
  std::shared_future<void> future_ = done_.get_future().share();
};

std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(CompilePool, RunsEveryJobOnce) {
  constexpr int jobs = 500;
  CompilePool pool(3);
  Count count(jobs);
  std::vector<std::atomic<int>> runs(jobs);
  std::thread others[4];
  for (int t = 0; t < 4; ++t)
    others[t] = std::thread([&, t] {
      for (int i = t; i < jobs; i += 4)
        pool.post({[&, i](bool is_dropped) {
          runs[static_cast<std::size_t>(i)] += is_dropped ? 1000 : 1;
          count.down();
        }});
    });
  for (std::thread &thread : others)
    thread.join();
  count.wait();
  EXPECT_TRUE(pool.stop_within(60s));
  for (const auto &run : runs)
    EXPECT_EQ(run, 1);
}

TEST(CompilePool, RunsJobsAtTheSameTimeOnSoManyThreads) {
  CompilePool pool(2);
  std::atomic<int> inside = 0, most = 0;
  Count count(20);
  std::vector<CompilePool::Job> jobs(20, [&](bool) {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(5ms);
    --inside;
    count.down();
  });
  pool.post(std::move(jobs));
  count.wait();
  EXPECT_EQ(most, 2);
}

TEST(CompilePool, KeepsTheOrderAndLetsUrgentJobsPass) {
  CompilePool pool(1);
  std::promise<void> go;
  std::string order;
  Count count(6);
  const auto job = [&](char name) {
    return [&, name](bool) {
      order += name;
      count.down();
    };
  };
  pool.post({[open = go.get_future().share(), &count](bool) {
    open.wait();
    count.down();
  }});
  pool.post({job('a'), job('b')});
  pool.post({job('c')});
  pool.post({job('x'), job('y')}, CompilePool::Place::next);
  go.set_value();
  count.wait();
  EXPECT_EQ(order, "xyabc");
}

TEST(CompilePool, ItsThreadsHaveLowPriorityAndAName) {
  CompilePool pool(1);
  std::promise<std::pair<int, std::string>> seen;
  pool.post({[&](bool) {
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    seen.set_value({getpriority(PRIO_PROCESS, 0), name});
  }});
  const auto [nice, name] = seen.get_future().get();
  EXPECT_GT(nice, getpriority(PRIO_PROCESS, 0));
  EXPECT_EQ(name, "mc-compile-1");
}

TEST(CompilePool, HasNoThreadWithoutWork) {
  EXPECT_EQ(test::exit_code_of_child([] {
              static auto &pool = *new CompilePool(2);
              std::thread([] {}).join(); // with the first thread comes ThreadSanitizer's own
              const std::size_t before = threads_of_process();
              for (int round = 0; round < 3; ++round) {
                if (threads_of_process() != before)
                  return 1;
                Count count(4);
                pool.post(std::vector<CompilePool::Job>(4, [&](bool) { count.down(); }));
                count.wait();
                while (threads_of_process() > before) // the last steps of its threads
                  std::this_thread::sleep_for(1ms);
              }
              return 0;
            }),
            0);
}

TEST(CompilePool, CountsItsCpuTime) {
  CompilePool pool(2);
  Count count(2);
  const auto spin = [&](bool) {
    for (const double end = thread::cpu_seconds() + 0.02; thread::cpu_seconds() < end;) {
    }
    count.down();
  };
  pool.post({spin, spin});
  count.wait();
  EXPECT_TRUE(pool.stop_within(60s));
  EXPECT_GE(pool.cpu_seconds(), 0.04);
}

TEST(CompilePool, StoppingDropsWhatWaits) {
  CompilePool pool(1);
  std::promise<void> entered, go;
  std::atomic<int> dropped = 0, ran = 0;
  pool.post({[&, open = go.get_future().share()](bool) {
    entered.set_value();
    open.wait();
    ++ran;
  }});
  entered.get_future().wait();
  const auto note = [&](bool is_dropped) { ++(is_dropped ? dropped : ran); };
  pool.post({note, note});
  pool.request_stop();
  EXPECT_EQ(dropped, 2);
  pool.post({note});
  EXPECT_EQ(dropped, 3);
  EXPECT_EQ(ran, 0);
  go.set_value();
  EXPECT_TRUE(pool.stop_within(60s));
  EXPECT_EQ(ran, 1);
}

TEST(CompilePool, StoppingIsBounded) {
  static auto &pool = *new CompilePool(1); // its thread is given up
  static auto &go = *new std::promise<void>;
  std::promise<void> entered;
  pool.post({[&, open = go.get_future().share()](bool) {
    entered.set_value();
    open.wait();
  }});
  entered.get_future().wait();
  EXPECT_FALSE(pool.stop_within(20ms));
  EXPECT_FALSE(pool.stop_within(0s));
  go.set_value();
}

TEST(CompilePool, AForkedChildHasAPoolOfItsOwn) {
  static auto &pool = *new CompilePool(2);
  static auto &go = *new std::promise<void>;
  const auto open = go.get_future().share();
  std::promise<void> entered;
  pool.post({[&entered, open](bool) {
               entered.set_value();
               open.wait();
             },
             [open](bool) { open.wait(); }, [](bool) {}});
  entered.get_future().wait();
  EXPECT_EQ(test::exit_code_of_child([&] {
              Count count(8);
              pool.post(std::vector<CompilePool::Job>(8, [&](bool is_dropped) {
                if (!is_dropped)
                  count.down();
              }));
              count.wait();
              return pool.stop_within(60s) ? 0 : 1;
            }),
            0);
  go.set_value();
  EXPECT_TRUE(pool.stop_within(60s));
}

TEST(CompilePool, AChildOfAStoppedPoolDropsToo) {
  CompilePool pool(1);
  pool.request_stop();
  EXPECT_EQ(test::exit_code_of_child([&] {
              int dropped = 0;
              pool.post({[&](bool is_dropped) { dropped += is_dropped; }});
              return dropped == 1 ? 0 : 1;
            }),
            0);
}

TEST(CompilePool, DropsJobsWhereTheSystemRefusesThreads) {
  EXPECT_EQ(test::exit_code_of_child([] {
              CompilePool pool(2);
              if (!test::forbid_threads())
                return 1;
              int dropped = 0;
              const auto job = [&](bool is_dropped) { dropped += is_dropped ? 1 : 100; };
              pool.post({job, job, job});
              return dropped == 3 ? 0 : 2;
            }),
            0);
}

TEST(CompilePool, DropsWhatIsPostedAfterItsEnd) {
  CompilePool pool(2);
  pool.request_stop();
  int dropped = 0;
  pool.post({[&](bool is_dropped) { dropped += is_dropped ? 1 : 100; }});
  EXPECT_EQ(dropped, 1);
}

} // namespace
} // namespace metalcore
