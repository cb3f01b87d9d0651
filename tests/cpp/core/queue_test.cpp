#include "metalcore/metalcore.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace metalcore {
namespace {

using namespace std::chrono_literals;

const uint8_t *bytes(const Buffer &buffer) {
  return static_cast<const uint8_t *>(buffer.contents());
}

TEST(Queue, RunsInOrder) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Buffer a = device.make_buffer(4096), b = device.make_buffer(4096);
  for (int round = 1; round <= 200; ++round) {
    queue.fill({a, 0}, 4096, static_cast<uint8_t>(round));
    queue.copy({b, 1}, {a, 0}, 4095);
    queue.fill({a, 0}, 4096, 0);
  }
  queue.synchronize();
  EXPECT_EQ(bytes(b)[0], 0);
  EXPECT_EQ(bytes(b)[1], 200);
  EXPECT_EQ(bytes(b)[4095], 200);
  EXPECT_EQ(bytes(a)[0], 0);
}

TEST(Queue, TheDefaultOneIsOneObject) {
  const Device device = Device::default_device();
  EXPECT_EQ(Queue::default_queue(device).impl(), Queue::default_queue(device).impl());
  EXPECT_NE(device.make_queue().impl(), Queue::default_queue(device).impl());
  EXPECT_EQ(device.make_queue().device(), device);
}

TEST(Queue, TakesFarMoreThanACommandBufferHolds) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Event go = device.make_event();
  const Buffer buffer = device.make_buffer(20'000);
  queue.wait(go, 1);
  // None of these may block: the queue stands still until the event.
  for (std::size_t i = 0; i < 20'000; ++i)
    queue.fill({buffer, i}, 1, static_cast<uint8_t>(i));
  go.signal(1);
  queue.synchronize();
  for (std::size_t i = 0; i < 20'000; ++i)
    ASSERT_EQ(bytes(buffer)[i], static_cast<uint8_t>(i));
}

TEST(Queue, HoldsBackAHostThatIsTooFarAhead) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Event go = device.make_event();
  const Buffer buffer = device.make_buffer(1);
  queue.wait(go, 1);
  std::thread later([&] {
    std::this_thread::sleep_for(200ms);
    go.signal(1);
  });
  for (int i = 0; i < 60'000; ++i)
    queue.fill({buffer, 0}, 1, static_cast<uint8_t>(i));
  queue.synchronize();
  later.join();
  EXPECT_EQ(bytes(buffer)[0], static_cast<uint8_t>(59'999));
}

TEST(Queue, WorkOutlivesItsHandle) {
  const Device device = Device::default_device();
  const Event go = device.make_event(), end = device.make_event();
  const Buffer buffer = device.make_buffer(1);
  {
    const Queue queue = device.make_queue();
    queue.wait(go, 1);
    for (int i = 0; i < 5000; ++i)
      queue.fill({buffer, 0}, 1, static_cast<uint8_t>(i));
    queue.signal(end, 1);
  }
  go.signal(1);
  EXPECT_TRUE(end.wait(1, 60s));
  EXPECT_EQ(bytes(buffer)[0], static_cast<uint8_t>(4999));
}

TEST(Queue, ServesManyThreads) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Buffer buffer = device.make_buffer(8 * 1000);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 1000; ++i) {
        queue.fill({buffer, t * 1000 + i}, 1, static_cast<uint8_t>(t + 1));
        if (i % 100 == 99)
          queue.synchronize();
      }
    });
  for (auto &thread : threads)
    thread.join();
  queue.synchronize();
  for (std::size_t i = 0; i < 8000; ++i)
    ASSERT_EQ(bytes(buffer)[i], i / 1000 + 1);
}

TEST(Queue, SynchronizesAllQueues) {
  const Device device = Device::default_device();
  const Buffer buffer = device.make_buffer(10);
  std::vector<Queue> queues;
  for (std::size_t i = 0; i < 10; ++i) {
    queues.push_back(device.make_queue());
    queues.back().fill({buffer, i}, 1, 5);
  }
  synchronize();
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(bytes(buffer)[i], 5);
}

TEST(Queue, ChecksRanges) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Buffer a = device.make_buffer(10), b = device.make_buffer(20);
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      message([&] { queue.copy({b, 0}, {a, 4}, 7); }),
      "The source of a copy (7 bytes from offset 4 on) reaches beyond its buffer (10 bytes).");
  EXPECT_EQ(message([&] { queue.copy({a, 0}, {b, 0}, 11); }),
            "The destination of a copy (11 bytes from offset 0 on) reaches beyond its buffer (10 "
            "bytes).");
  EXPECT_EQ(message([&] { queue.copy({b, 0}, {b, 5}, 6); }),
            "The source (from offset 5 on) and the destination (from offset 0 on) of a copy of 6 "
            "bytes overlap.");
  EXPECT_EQ(message([&] { queue.copy({b, 0}, {b, 5}, 5); }), "");
  EXPECT_EQ(message([&] { queue.fill({a, 11}, 0, 1); }),
            "The destination of a fill (0 bytes from offset 11 on) reaches beyond its buffer (10 "
            "bytes).");
  queue.synchronize();
}

} // namespace
} // namespace metalcore
