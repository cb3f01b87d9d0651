#include "metalcore/metalcore.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace metalcore {
namespace {

/// Work on a queue, and whether it was done.
bool works(const Device &device, const Queue &queue) {
  const Buffer buffer = device.make_buffer(100);
  for (int i = 0; i < 10; ++i)
    queue.fill({buffer, 0}, 100, static_cast<uint8_t>(i));
  queue.synchronize();
  return static_cast<const uint8_t *>(buffer.contents())[99] == 9;
}

TEST(ForkedProcess, HasDeviceAndQueues) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  ASSERT_TRUE(works(device, queue));
  EXPECT_EQ(test::exit_code_of_child([&] {
              if (!works(device, queue) || !works(device, Queue::default_queue(device)))
                return 1;
              return works(Device::default_device(), device.make_queue()) ? 0 : 2;
            }),
            0);
  EXPECT_TRUE(works(device, queue));
}

TEST(ForkedProcess, LeavesTheParentsWorkBehind) {
  const Device device = Device::default_device();
  const Queue queue = device.make_queue();
  const Event event = device.make_event();
  const Buffer buffer = device.make_buffer(1);
  queue.wait(event, 1);
  for (int i = 0; i < 100; ++i)
    queue.fill({buffer, 0}, 1, 1);
  EXPECT_EQ(test::exit_code_of_child([&] {
              queue.synchronize(); // the parent's work stands still; none of it is the child's
              synchronize();
              return works(device, queue) ? 0 : 1;
            }),
            0);
  event.signal(1);
  queue.synchronize();
  EXPECT_EQ(static_cast<const uint8_t *>(buffer.contents())[0], 1);
}

TEST(ForkedProcess, WorksWhateverOtherThreadsDo) {
  const Device device = Device::default_device();
  std::atomic<bool> is_stopping = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const Queue queue = device.make_queue();
      while (!is_stopping)
        works(device, queue);
    });
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(test::exit_code_of_child(
                  [&] { return works(device, Queue::default_queue(device)) ? 0 : 1; }),
              0);
  is_stopping = true;
  for (auto &thread : threads)
    thread.join();
}

} // namespace
} // namespace metalcore
