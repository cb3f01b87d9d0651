#include "support/worker.hpp"

#include "child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include <pthread.h>

namespace metalcore {
namespace {

using namespace std::chrono_literals;

TEST(Worker, RunsTasksInOrderOnOneNamedThread) {
  std::vector<int> order;
  std::promise<std::string> name;
  {
    Worker worker("mc-test-with-a-long-name");
    for (int i = 0; i < 100; ++i)
      EXPECT_TRUE(worker.post([&order, i] { order.push_back(i); }));
    worker.post([&] {
      char text[16] = {};
      pthread_getname_np(pthread_self(), text, sizeof text);
      name.set_value(text);
    });
    EXPECT_EQ(name.get_future().get(), "mc-test-with-a-");
  }
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i)
    expected[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, expected);
}

TEST(Worker, TheDestructorJoinsAndDropsWhatHasNotBegun) {
  std::promise<void> begun, go;
  std::atomic<int> ran = 0;
  auto dropped = std::make_shared<int>(0);
  auto worker = std::make_unique<Worker>("mc-test");
  worker->post([&] {
    begun.set_value();
    go.get_future().wait();
    ++ran;
  });
  worker->post([&, dropped] { ++ran; });
  begun.get_future().wait();
  worker->request_stop();
  EXPECT_EQ(dropped.use_count(), 1);
  EXPECT_TRUE(worker->stop_requested());
  EXPECT_FALSE(worker->post([&] { ++ran; }));
  go.set_value();
  worker.reset();
  EXPECT_EQ(ran, 1);
}

TEST(Worker, StopWithinIsBounded) {
  struct Shared {
    std::promise<void> go, ended;
  };
  auto shared = std::make_shared<Shared>();
  auto ended = shared->ended.get_future();
  {
    Worker worker("mc-test");
    worker.post([shared] {
      shared->go.get_future().wait();
      shared->ended.set_value();
    });
    const auto start = std::chrono::steady_clock::now();
    // Time for the task to begin, so that it is not dropped.
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(worker.stop_within(50ms));
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    EXPECT_TRUE(worker.stop_within(0ms)); // it is no longer the worker's
  }
  shared->go.set_value();
  ended.wait();
}

TEST(Worker, StopWithinJoinsAThreadThatEnds) {
  Worker worker("mc-test");
  EXPECT_TRUE(worker.stop_within(30s));
  EXPECT_TRUE(worker.stop_within(30s));
  EXPECT_FALSE(worker.post([] {}));
}

TEST(Worker, AForkedChildHasNoThread) {
  auto worker = std::make_unique<Worker>("mc-test");
  EXPECT_EQ(test::exit_code_of_child([&] {
              if (worker->post([] {}) || !worker->stop_requested())
                return 1;
              if (!worker->stop_within(10s))
                return 2;
              worker.reset();
              Worker own("mc-child");
              std::promise<void> ran;
              own.post([&] { ran.set_value(); });
              ran.get_future().wait();
              return 0;
            }),
            0);
  EXPECT_TRUE(worker->post([] {}));
}

} // namespace
} // namespace metalcore
