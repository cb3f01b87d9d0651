#include "support/log_queue.hpp"

#include "child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace metalcore {
namespace {

using log::Level;

std::vector<std::string> take_all(log::Queue &queue) {
  std::vector<std::string> texts;
  while (const auto message = queue.pop())
    texts.push_back(message->text);
  return texts;
}

TEST(LogQueue, KeepsOrderLevelAndTime) {
  log::Queue queue(10, [] { return true; });
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  EXPECT_TRUE(queue.push(Level::warning, "first"));
  EXPECT_TRUE(queue.push(Level::debug, "second"));
  const auto first = queue.pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->level, Level::warning);
  EXPECT_EQ(first->text, "first");
  EXPECT_GE(first->time, std::chrono::duration<double>(before).count());
  EXPECT_EQ(queue.pop()->level, Level::debug);
  EXPECT_FALSE(queue.pop());
}

TEST(LogQueue, WakesOncePerDelivery) {
  int calls = 0;
  log::Queue queue(10, [&] { return ++calls, true; });
  queue.push(Level::info, "a");
  queue.push(Level::info, "b");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(queue.begin_delivery(), 2u);
  queue.push(Level::info, "c");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(take_all(queue), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(LogQueue, AsksAgainWhereNobodyWillCome) {
  int calls = 0;
  log::Queue queue(10, [&] { return ++calls > 1; });
  for (const char *text : {"a", "b", "c"})
    queue.push(Level::info, text);
  EXPECT_EQ(calls, 2);
}

TEST(LogQueue, RefusesWhatFindsNoRoom) {
  log::Queue queue(2, [] { return true; });
  EXPECT_TRUE(queue.push(Level::info, "a"));
  EXPECT_TRUE(queue.push(Level::info, "b"));
  EXPECT_FALSE(queue.push(Level::info, "c"));
  queue.pop();
  EXPECT_TRUE(queue.push(Level::info, "d"));
  queue.close();
  queue.pop();
  EXPECT_FALSE(queue.push(Level::info, "e"));
  EXPECT_EQ(take_all(queue), std::vector<std::string>{"d"});
}

TEST(LogQueue, AForkedChildStartsWithNone) {
  log::Queue queue(10, [] { return true; });
  queue.push(Level::info, "the parent's");
  const int code = test::exit_code_of_child([&] {
    if (queue.pop() || queue.begin_delivery() != 0)
      return 1;
    queue.push(Level::info, "mine");
    return take_all(queue) == std::vector<std::string>{"mine"} ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(take_all(queue), std::vector<std::string>{"the parent's"});
}

TEST(LogQueue, LosesAndDoublesNothing) {
  constexpr int threads = 4, each = 500;
  std::atomic<int> refused = 0;
  log::Queue queue(100, [] { return true; });
  std::vector<std::thread> writers;
  for (int thread = 0; thread < threads; ++thread)
    writers.emplace_back([&, thread] {
      for (int i = 0; i < each; ++i)
        if (!queue.push(Level::info, std::to_string(thread * each + i)))
          ++refused;
    });
  std::multiset<std::string> seen;
  const auto take = [&] {
    for (auto &text : take_all(queue))
      seen.insert(std::move(text));
  };
  for (int i = 0; i < 1000; ++i)
    take();
  for (auto &writer : writers)
    writer.join();
  take();
  EXPECT_EQ(seen.size() + static_cast<std::size_t>(refused), std::size_t{threads * each});
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), seen.size());
}

} // namespace
} // namespace metalcore
