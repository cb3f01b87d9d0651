#include "core/single_flight.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <stdexcept>
#include <thread>

namespace metalcore {
namespace {

using Cache = SingleFlight<std::shared_ptr<int>>;

std::shared_ptr<int> number(int value) {
  return std::make_shared<int>(value);
}

TEST(SingleFlight, SixtyFourThreadsBuildOneKeyOnce) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::pipeline, counters);
  std::atomic<int> builds = 0;
  std::barrier start(64);
  std::vector<std::shared_ptr<int>> results(64);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 64; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      results[i] = cache.get("key", [&] {
        ++builds;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return number(7);
      });
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(counters.misses, 1u);
  EXPECT_EQ(counters.hits, 63u);
  for (const auto &result : results)
    EXPECT_EQ(result, results[0]);
}

TEST(SingleFlight, DifferentKeysBuildAtTheSameTime) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::pipeline, counters);
  std::barrier both_inside(2); // passes only if two builds are under way together
  std::thread other([&] {
    cache.get("a", [&] {
      both_inside.arrive_and_wait();
      return number(1);
    });
  });
  cache.get("b", [&] {
    both_inside.arrive_and_wait();
    return number(2);
  });
  other.join();
  EXPECT_EQ(cache.size(), 2u);
}

TEST(SingleFlight, ALookUpDoesNotWaitForABuild) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::pipeline, counters);
  cache.get("ready", [] { return number(1); });
  std::promise<void> is_building, may_end;
  std::thread other([&] {
    cache.get("slow", [&] {
      is_building.set_value();
      may_end.get_future().wait();
      return number(2);
    });
  });
  is_building.get_future().wait();
  // Were it to wait, this would never end: the build ends after it.
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(*cache.get("ready", [] { return number(0); }), 1);
  may_end.set_value();
  other.join();
  EXPECT_EQ(counters.hits, 1000u);
}

TEST(SingleFlight, AFailureReachesEveryWaiterAndIsNotKept) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::pipeline, counters);
  std::promise<void> is_building, may_fail;
  std::atomic<int> failures = 0, others_builds = 0;
  const auto ask = [&](auto build) {
    try {
      cache.get("key", build);
    } catch (const std::out_of_range &error) {
      failures += std::string(error.what()) == "no such kernel";
    }
  };
  std::thread builder([&] {
    ask([&]() -> std::shared_ptr<int> {
      is_building.set_value();
      may_fail.get_future().wait();
      throw std::out_of_range("no such kernel");
    });
  });
  is_building.get_future().wait();
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i)
    waiters.emplace_back([&] {
      ask([&]() -> std::shared_ptr<int> {
        ++others_builds;
        throw std::out_of_range("no such kernel");
      });
    });
  while (counters.hits < 8)
    std::this_thread::yield();
  may_fail.set_value();
  builder.join();
  for (auto &waiter : waiters)
    waiter.join();
  EXPECT_EQ(failures, 9);
  EXPECT_EQ(others_builds, 0);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(*cache.get("key", [] { return number(3); }), 3);
}

TEST(SingleFlight, OtherExceptionsBecomeErrorsOfTheCachesKind) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::compile, counters);
  try {
    cache.get("key", []() -> std::shared_ptr<int> { throw std::logic_error("odd"); });
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::compile);
  }
}

TEST(SingleFlight, KeepsTheMostRecentlyUsed) {
  CacheCounters counters;
  Cache cache(2, ErrorKind::pipeline, counters);
  const auto get = [&](const char *key) { return cache.get(key, [] { return number(0); }); };
  const auto first = get("a");
  get("b");
  EXPECT_EQ(get("a"), first);
  get("c"); // b goes
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(get("a"), first);
  EXPECT_EQ(counters.misses, 3u);
  get("b");
  EXPECT_EQ(counters.misses, 4u);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(SingleFlight, AForkedChildKeepsValuesAndBeginsBuildsAnew) {
  CacheCounters counters;
  Cache cache(8, ErrorKind::pipeline, counters);
  const auto ready = cache.get("ready", [] { return number(1); });
  std::atomic<bool> is_stopping = false;
  std::thread builder([&] {
    // Builds of the parent, in every state that a fork may meet.
    for (int i = 0; !is_stopping; ++i)
      try {
        cache.get("slow" + std::to_string(i % 3), []() -> std::shared_ptr<int> {
          std::this_thread::sleep_for(std::chrono::microseconds(300));
          throw std::out_of_range("not kept");
        });
      } catch (const std::out_of_range &) {
      }
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(test::exit_code_of_child([&] {
                if (cache.get("ready", [] { return number(0); }) != ready)
                  return 1;
                for (int key = 0; key < 3; ++key)
                  if (*cache.get("slow" + std::to_string(key), [] { return number(5); }) != 5)
                    return 2;
                return 0;
              }),
              0);
  is_stopping = true;
  builder.join();
}

} // namespace
} // namespace metalcore
