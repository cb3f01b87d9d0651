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
  const Answer<std::pair<uint64_t, std::thread::id>> at_once;
  event->notify(1, [at_once](uint64_t value) { at_once.set({value, std::this_thread::get_id()}); });
  const auto first = at_once.get();
  EXPECT_EQ(first.first, 1u);
  EXPECT_NE(first.second, std::this_thread::get_id());

  // Written by the one thread that runs callbacks, and read after the last of them.
  std::vector<uint64_t> order;
  const Answer<bool> last;
  const auto listener = [&order, last](uint64_t wanted) {
    return [&order, last, wanted](uint64_t) {
      order.push_back(wanted);
      if (order.size() == 3)
        last.set(true);
    };
  };
  event->notify(30, listener(30));
  event->notify(10, listener(10));
  event->notify(20, listener(20));
  event->signal(9);
  event->signal(25);
  event->signal(40);
  event->signal(50);
  last.get();
  EXPECT_EQ(order, (std::vector<uint64_t>{10, 20, 30}));
}

TEST(Event, CallbacksMaySignalAndListen) {
  const auto event = cpu_executor()->make_event(0);
  const Answer<uint64_t> done;
  event->notify(1, [event, done](uint64_t) {
    event->notify(2, [done](uint64_t value) { done.set(value); });
    event->signal(2);
  });
  event->signal(1);
  EXPECT_EQ(done.get(), 2u);
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
