#include "metalcore/metalcore.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace metalcore {
namespace {

using namespace std::chrono_literals;

TEST(Event, OnlyGrows) {
  const Event event = Device::default_device().make_event();
  EXPECT_EQ(event.value(), 0u);
  event.signal(5);
  EXPECT_EQ(event.value(), 5u);
  event.signal(5);
  try {
    event.signal(4);
    FAIL();
  } catch (const std::invalid_argument &error) {
    EXPECT_STREQ(error.what(), "Event value (4) is smaller than the present one (5).");
  }
}

TEST(Event, WaitsOnTheHost) {
  const Event event = Device::default_device().make_event();
  EXPECT_FALSE(event.wait(1, 1ms));
  EXPECT_FALSE(event.wait(1, -1s));
  EXPECT_TRUE(event.wait(0, 0ns));
  std::thread other([&] { event.signal(1); });
  EXPECT_TRUE(event.wait(1));
  other.join();
}

TEST(Event, OrdersQueues) {
  const Device device = Device::default_device();
  const Queue first = device.make_queue(), second = device.make_queue();
  const Event event = device.make_event();
  const Buffer buffer = device.make_buffer(1000), result = device.make_buffer(1000);
  second.wait(event, 1);
  second.copy({result, 0}, {buffer, 0}, 1000);
  first.fill({buffer, 0}, 1000, 42);
  first.signal(event, 1);
  second.synchronize();
  EXPECT_EQ(static_cast<const uint8_t *>(result.contents())[999], 42);
  EXPECT_EQ(event.value(), 1u);
}

TEST(Event, ReleasesAQueueFromTheHost) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Event event = device.make_event(), reached = device.make_event();
  const Buffer buffer = device.make_buffer(16);
  queue.wait(event, 3);
  queue.fill({buffer, 0}, 16, 1);
  queue.signal(reached, 1);
  EXPECT_FALSE(reached.wait(1, 20ms));
  EXPECT_EQ(static_cast<const uint8_t *>(buffer.contents())[0], 0);
  event.signal(3);
  EXPECT_TRUE(reached.wait(1, 30s));
  queue.synchronize();
  EXPECT_EQ(static_cast<const uint8_t *>(buffer.contents())[0], 1);
}

} // namespace
} // namespace metalcore
