#include "metalcore/metalcore.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace metalcore {
namespace {

TEST(Device, TheDefaultIsOneObject) {
  std::barrier start(8);
  std::vector<std::optional<Device>> found(8);
  std::vector<std::thread> threads;
  for (auto &slot : found)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      slot = Device::default_device();
    });
  for (auto &thread : threads)
    thread.join();
  for (const auto &device : found)
    EXPECT_EQ(*device, *found[0]);
}

TEST(Device, AllBeginsWithTheDefault) {
  const auto all = Device::all();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0], Device::default_device());
}

TEST(Device, DescribesItself) {
  const Device device = Device::default_device();
  EXPECT_NE(device.name(), "");
  EXPECT_NE(device.registry_id(), 0u);
  EXPECT_GE(device.max_threads_per_threadgroup(), 256u);
  EXPECT_GE(device.max_threadgroup_memory_length(), 16384u);
  EXPECT_GE(device.max_buffer_length(), std::size_t{1} << 28);
  EXPECT_GT(device.recommended_max_working_set_size(), 0u);
}

/// The message of a fresh process's first call, with a variable set. The process has to be fresh:
/// preferences are read once.
std::string first_message(const char *variable, const char *value) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(test::exit_code_of_child([&] {
              dup2(ends[1], STDOUT_FILENO);
              setenv(variable, value, 1);
              execl("/proc/self/exe", "core_test", "--gtest_filter=DeviceProcess.*",
                    "--gtest_also_run_disabled_tests", static_cast<char *>(nullptr));
              return 1;
            }),
            0);
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  const auto begin = text.find("message: ");
  if (begin == std::string::npos)
    return text;
  return text.substr(begin + 9, text.find('\n', begin) - begin - 9);
}

/// The body of the processes that first_message starts.
TEST(DeviceProcess, DISABLED_Opens) {
  try {
    std::printf("message: %s\n", Device::default_device().name().c_str());
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    std::printf("message: %s\n", error.what());
  }
}

TEST(Device, ThePreferenceNamesIt) {
  const std::string name = Device::default_device().name();
  EXPECT_EQ(first_message("METALCORE_DEVICE", name.c_str()), name);
  EXPECT_EQ(first_message("METALCORE_DEVICE", "0"), name);
  std::string devices;
  const auto all = Device::all();
  for (std::size_t i = 0; i < all.size(); ++i)
    devices += (i > 0 ? ", " : "") + std::to_string(i) + " (\"" + all[i].name() + "\")";
  EXPECT_EQ(first_message("METALCORE_DEVICE", "99"),
            "The preference \"device\" is \"99\", but the devices are " + devices + ".");
  EXPECT_EQ(first_message("METALCORE_DEVICE", "no such"),
            "The preference \"device\" is \"no such\", but the devices are " + devices + ".");
}

TEST(Device, MayBeMissing) {
  EXPECT_EQ(first_message("HOSTMETAL_DEVICE", "none"), "No Metal device was found.");
}

} // namespace
} // namespace metalcore
