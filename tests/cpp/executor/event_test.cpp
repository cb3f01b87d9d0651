#include "kernels.hpp"

#include <thread>

namespace hostmetal::test {
namespace {

using namespace std::chrono_literals;

TEST(Event, OnlyGrows) {
  const auto event = cpu_executor()->make_event(3);
  EXPECT_EQ(event->value(), 3u);
  event->signal(5);
  event->signal(4);
  EXPECT_EQ(event->value(), 5u);
}

TEST(Event, WaitsUntilTheValueOrTheTimeout) {
  const auto event = cpu_executor()->make_event(0);
  EXPECT_TRUE(event->wait(0, 0));
  EXPECT_FALSE(event->wait(1, 0));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(event->wait(1, 30));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
  std::thread signaller([&] {
    std::this_thread::sleep_for(10ms);
    event->signal(7);
  });
  EXPECT_TRUE(event->wait(6, UINT64_MAX));
  EXPECT_TRUE(event->wait(7, UINT64_MAX - 1));
  signaller.join();
}

TEST(Event, CallsBackOnceOnAnotherThread) {
  const auto event = cpu_executor()->make_event(1);
  std::promise<std::pair<uint64_t, std::thread::id>> at_once;
  event->notify(1, [&](uint64_t value) { at_once.set_value({value, std::this_thread::get_id()}); });
  const auto first = at_once.get_future().get();
  EXPECT_EQ(first.first, 1u);
  EXPECT_NE(first.second, std::this_thread::get_id());

  std::mutex mutex;
  std::vector<uint64_t> order;
  std::promise<void> last;
  const auto listener = [&](uint64_t wanted) {
    return [&, wanted](uint64_t) {
      const std::lock_guard lock(mutex);
      order.push_back(wanted);
      if (order.size() == 3)
        last.set_value();
    };
  };
  event->notify(30, listener(30));
  event->notify(10, listener(10));
  event->notify(20, listener(20));
  event->signal(9);
  event->signal(25);
  event->signal(40);
  event->signal(50);
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<uint64_t>{10, 20, 30}));
}

TEST(Event, CallbacksMaySignalAndListen) {
  const auto event = cpu_executor()->make_event(0);
  std::promise<uint64_t> done;
  event->notify(1, [&](uint64_t) {
    event->notify(2, [&](uint64_t value) { done.set_value(value); });
    event->signal(2);
  });
  event->signal(1);
  EXPECT_EQ(done.get_future().get(), 2u);
}

TEST(Event, ManyThreadsSignalAndWait) {
  const auto event = cpu_executor()->make_event(0);
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (uint64_t round = 0; round < 500; ++round) {
        const uint64_t turn = round * 8 + i;
        EXPECT_TRUE(event->wait(turn, UINT64_MAX));
        EXPECT_EQ(event->value(), turn);
        event->signal(turn + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(event->value(), 4000u);
}

} // namespace
} // namespace hostmetal::test
