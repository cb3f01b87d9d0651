#include "metalcore/metalcore.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

#include <sys/mman.h>
#include <unistd.h>

namespace metalcore {
namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// Pages of the system's.
struct Pages {
  explicit Pages(std::size_t length)
      : length(length), data(static_cast<uint8_t *>(mmap(nullptr, length, PROT_READ | PROT_WRITE,
                                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(data, length); }
  std::size_t length;
  uint8_t *data;
};

std::string message(const std::function<void()> &call) {
  try {
    call();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

TEST(Buffer, SharedMemoryBeginsAsZeros) {
  const Device device = Device::default_device();
  const Buffer buffer = device.make_buffer(12345);
  EXPECT_EQ(buffer.length(), 12345u);
  EXPECT_EQ(buffer.storage_mode(), StorageMode::shared);
  EXPECT_EQ(buffer.device(), device);
  const auto *bytes = static_cast<const uint8_t *>(buffer.contents());
  for (std::size_t i = 0; i < buffer.length(); ++i)
    ASSERT_EQ(bytes[i], 0);
}

TEST(Buffer, MayBeEmpty) {
  const Device device = Device::default_device();
  const Buffer buffer = device.make_buffer(0);
  EXPECT_EQ(buffer.length(), 0u);
  const Queue queue = device.make_queue();
  queue.fill({buffer, 0}, 0, 1);
  queue.copy({buffer, 0}, {buffer, 0}, 0);
  EXPECT_NO_THROW(queue.synchronize());
}

TEST(Buffer, PrivateMemoryIsReachedByCopies) {
  const Device device = Device::default_device();
  const Buffer hidden = device.make_buffer(100, StorageMode::private_);
  const Buffer seen = device.make_buffer(100);
  EXPECT_EQ(hidden.contents(), nullptr);
  const Queue queue = device.make_queue();
  queue.fill({hidden, 0}, 100, 7);
  queue.copy({seen, 0}, {hidden, 0}, 100);
  queue.synchronize();
  EXPECT_EQ(static_cast<const uint8_t *>(seen.contents())[99], 7);
}

TEST(Buffer, TooLargeAOneIsAnError) {
  const Device device = Device::default_device();
  try {
    device.make_buffer(device.max_buffer_length() + 1);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_EQ(std::string(error.what()), "Buffer length (" +
                                             std::to_string(device.max_buffer_length() + 1) +
                                             " bytes) is larger than the limit (" +
                                             std::to_string(device.max_buffer_length()) +
                                             " bytes) of device \"" + device.name() + "\".");
  }
}

TEST(Buffer, CountsWhatIsAllocated) {
  const Device device = Device::default_device();
  const std::size_t before = device.current_allocated_size();
  {
    const Buffer buffer = device.make_buffer(1 << 20);
    EXPECT_GE(device.current_allocated_size(), before + (1 << 20));
  }
  EXPECT_EQ(device.current_allocated_size(), before);
}

TEST(Buffer, WrapsPagesWithoutACopy) {
  const Device device = Device::default_device();
  Pages pages(2 * page);
  std::atomic<int> releases = 0;
  {
    const Buffer buffer = device.wrap(pages.data, pages.length, [&] { ++releases; });
    EXPECT_EQ(buffer.contents(), pages.data);
    const Queue queue = device.make_queue();
    queue.fill({buffer, page}, page, 9);
    queue.synchronize();
    EXPECT_EQ(pages.data[page - 1], 0);
    EXPECT_EQ(pages.data[page], 9);
    EXPECT_EQ(releases, 0);
  }
  EXPECT_EQ(releases, 1);
  {
    const Buffer without = device.wrap(pages.data, pages.length, {});
  }
}

TEST(Buffer, WrappedPagesAreKeptWhileWorkUsesThem) {
  const Device device = Device::default_device();
  Pages pages(page);
  std::atomic<int> releases = 0;
  const Queue queue = device.make_queue();
  const Event event = device.make_event();
  queue.wait(event, 1);
  {
    const Buffer buffer = device.wrap(pages.data, pages.length, [&] { ++releases; });
    queue.fill({buffer, 0}, page, 3);
  }
  EXPECT_EQ(releases, 0);
  event.signal(1);
  queue.synchronize();
  EXPECT_EQ(pages.data[0], 3);
  // Metal lets go of a command buffer's resources some time after its completion.
  for (int i = 0; i < 5000 && releases == 0; ++i)
    usleep(1000);
  EXPECT_EQ(releases, 1);
}

TEST(Buffer, WrapsWholePagesOnly) {
  const Device device = Device::default_device();
  Pages pages(2 * page);
  const std::string size = std::to_string(page);
  EXPECT_EQ(message([&] { device.wrap(pages.data + 8, page, {}); }),
            "Memory to wrap must begin on a page of " + size +
                " bytes, but begins 8 bytes after one.");
  EXPECT_EQ(message([&] { device.wrap(pages.data, page + 1, {}); }),
            "Length (" + std::to_string(page + 1) +
                " bytes) of memory to wrap is not a multiple of the page size (" + size +
                " bytes).");
  EXPECT_THROW(device.wrap(pages.data, 0, {}), std::invalid_argument);
  EXPECT_THROW(device.wrap(nullptr, page, {}), std::invalid_argument);
}

} // namespace
} // namespace metalcore
