#include "core/delayed_call.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace metalcore {
namespace {

using namespace std::chrono_literals;

TEST(DelayedCall, ComesOnceHoweverOftenItWasAskedFor) {
  std::atomic<int> calls = 0;
  DelayedCall call("test", 30ms, [&] { ++calls; });
  for (int i = 0; i < 5; ++i)
    call.ask();
  EXPECT_EQ(calls, 0);
  while (calls == 0)
    std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(calls, 1);
  call.ask();
  while (calls == 1)
    std::this_thread::sleep_for(1ms);
  call.cancel();
  EXPECT_EQ(calls, 2);
}

TEST(DelayedCall, CancellingIsQuickAndForGood) {
  std::atomic<int> calls = 0;
  DelayedCall call("test", 24h, [&] { ++calls; });
  call.ask();
  call.cancel();
  call.cancel();
  call.ask();
  EXPECT_EQ(calls, 0);
  DelayedCall unused("test", 1ms, [&] { ++calls; });
  unused.cancel();
  EXPECT_EQ(calls, 0);
}

TEST(DelayedCall, AForkedChildHasItsOwn) {
  static auto &calls = *new std::atomic<int>(0);
  static auto &call = *new DelayedCall("test", 50ms, [&] { ++calls; });
  call.ask();
  EXPECT_EQ(test::exit_code_of_child([&] {
              std::this_thread::sleep_for(100ms);
              if (calls != 0)
                return 1;
              call.ask();
              while (calls == 0)
                std::this_thread::sleep_for(1ms);
              call.cancel();
              return 0;
            }),
            0);
  call.cancel();
}

} // namespace
} // namespace metalcore
