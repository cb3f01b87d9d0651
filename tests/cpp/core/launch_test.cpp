#include "metalcore/metalcore.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

namespace metalcore {
namespace {

constexpr const char *source = R"(#include <metal_stdlib>
using namespace metal;

kernel void saxpy(device float *y [[buffer(0)]], const device float *x [[buffer(1)]],
                  constant float &a [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  y[i] = a * x[i] + y[i];
}
kernel void count(device atomic_uint *total [[buffer(0)]], uint3 p [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(total, 1 + p.x - p.x, memory_order_relaxed);
}
kernel void group_sum(const device float *in [[buffer(0)]], device float *out [[buffer(1)]],
                      threadgroup float *scratch [[threadgroup(0)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint g [[threadgroup_position_in_grid]], uint n [[threads_per_threadgroup]]) {
  scratch[t] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) {
    float sum = 0;
    for (uint k = 0; k < n; ++k)
      sum += scratch[k];
    out[g] = sum;
  }
}
)";

template <typename T> Bytes bytes_of(T value) {
  Bytes bytes{std::vector<std::byte>(sizeof value)};
  std::memcpy(bytes.data.data(), &value, sizeof value);
  return bytes;
}

class Launch : public testing::Test {
protected:
  Device device = Device::default_device();
  Library library = device.compile(source);
  Queue queue = device.make_queue();

  template <typename T> static T *data(const Buffer &buffer) {
    return static_cast<T *>(buffer.contents());
  }
};

TEST_F(Launch, SaxpyIsRightAtAnySize) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const Pipeline saxpy = library.pipeline("saxpy");
  for (std::size_t n : {1u, 2u, 31u, 257u, 1000u, 99'991u}) {
    const Buffer x = device.make_buffer(4 * n), y = device.make_buffer(4 * n);
    std::vector<double> expected(n);
    const float a = normal(random);
    for (std::size_t i = 0; i < n; ++i) {
      data<float>(x)[i] = normal(random);
      data<float>(y)[i] = normal(random);
      expected[i] = static_cast<double>(a) * data<float>(x)[i] + data<float>(y)[i];
    }
    const std::vector<LaunchArgument> arguments = {BufferBinding{y, 0}, BufferBinding{x, 0},
                                                   bytes_of(a)};
    queue.launch(saxpy, arguments, {{n, 1, 1}, {}});
    queue.synchronize();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_NEAR(data<float>(y)[i], expected[i], 1e-5) << i << " of " << n << ", seed " << seed;
  }
}

TEST_F(Launch, OffsetsAndEmptyGrids) {
  const Buffer y = device.make_buffer(40), x = device.make_buffer(40);
  data<float>(x)[9] = 2;
  const Pipeline saxpy = library.pipeline("saxpy");
  const std::vector<LaunchArgument> arguments = {BufferBinding{y, 36}, BufferBinding{x, 36},
                                                 bytes_of(3.0f)};
  queue.launch(saxpy, arguments, {{1, 1, 1}, {}});
  queue.launch(saxpy, arguments, {{0, 1, 1}, {}});
  queue.launch(
      saxpy,
      std::vector<LaunchArgument>{BufferBinding{y, 40}, BufferBinding{x, 40}, bytes_of(1.0f)},
      {{0, 1, 1}, {}});
  queue.synchronize();
  EXPECT_EQ(data<float>(y)[9], 6);
}

TEST_F(Launch, EveryThreadOfAGridRunsOnce) {
  const Pipeline count = library.pipeline("count");
  const Buffer total = device.make_buffer(4);
  const std::vector<LaunchArgument> arguments = {BufferBinding{total, 0}};
  std::size_t expected = 0;
  for (const auto &[threads, group] :
       std::vector<std::pair<Size3, std::optional<Size3>>>{{{1000, 1, 1}, {}},
                                                           {{17, 13, 5}, {}},
                                                           {{17, 13, 5}, Size3{4, 4, 4}},
                                                           {{1, 1, 77}, {}}}) {
    queue.launch(count, arguments, {threads, group});
    expected += threads[0] * threads[1] * threads[2];
  }
  queue.synchronize();
  EXPECT_EQ(*data<uint32_t>(total), expected);
}

TEST_F(Launch, ThreadgroupMemory) {
  const Buffer in = device.make_buffer(4 * 256), out = device.make_buffer(4 * 4);
  for (int i = 0; i < 256; ++i)
    data<float>(in)[i] = static_cast<float>(i);
  const std::vector<LaunchArgument> arguments = {BufferBinding{in, 0}, BufferBinding{out, 0},
                                                 ThreadgroupMemory{4 * 64}};
  queue.launch(library.pipeline("group_sum"), arguments, {{256, 1, 1}, Size3{64, 1, 1}});
  queue.synchronize();
  for (int g = 0; g < 4; ++g)
    EXPECT_EQ(data<float>(out)[g], 64 * (64 * g) + 63 * 64 / 2);
}

TEST_F(Launch, ChainsOfSmallLaunchesKeepTheirOrder) {
  const Pipeline saxpy = library.pipeline("saxpy");
  const Buffer a = device.make_buffer(4), b = device.make_buffer(4);
  *data<float>(a) = 1;
  // Fibonacci modulo what a float holds exactly: order matters at every step.
  const std::vector<LaunchArgument> to_b = {BufferBinding{b, 0}, BufferBinding{a, 0},
                                            bytes_of(1.f)};
  const std::vector<LaunchArgument> to_a = {BufferBinding{a, 0}, BufferBinding{b, 0},
                                            bytes_of(-1.f)};
  float x = 1, y = 0;
  for (int i = 0; i < 5000; ++i) {
    queue.launch(saxpy, to_b, {{1, 1, 1}, {}});
    queue.launch(saxpy, to_a, {{1, 1, 1}, {}});
    y = x + y;
    x = -y + x;
  }
  queue.synchronize();
  EXPECT_EQ(*data<float>(a), x);
  EXPECT_EQ(*data<float>(b), y);
}

TEST_F(Launch, ManyThreadsLaunch) {
  const Pipeline count = library.pipeline("count");
  const Buffer total = device.make_buffer(4);
  const std::vector<LaunchArgument> arguments = {BufferBinding{total, 0}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        queue.launch(count, arguments, {{3, 1, 1}, {}});
    });
  for (auto &thread : threads)
    thread.join();
  queue.synchronize();
  EXPECT_EQ(*data<uint32_t>(total), 8u * 500 * 3);
}

TEST_F(Launch, WrongLaunchesAreRefused) {
  const Pipeline saxpy = library.pipeline("saxpy");
  const Buffer buffer = device.make_buffer(4096 * 4);
  const std::vector<LaunchArgument> arguments = {BufferBinding{buffer, 0}, BufferBinding{buffer, 0},
                                                 bytes_of(1.0f)};
  try {
    queue.launch(saxpy, arguments, {{4096, 1, 1}, Size3{2048, 1, 1}});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::launch);
    EXPECT_EQ(std::string(error.what()),
              "Threadgroup size (2048) is larger than the limit (" +
                  std::to_string(saxpy.max_total_threads_per_threadgroup()) +
                  ") of pipeline \"saxpy\".");
  }
  const auto message = [&](std::vector<LaunchArgument> wrong) -> std::string {
    try {
      queue.launch(saxpy, wrong, {{1, 1, 1}, {}});
    } catch (const std::invalid_argument &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({arguments[0]}), "Kernel \"saxpy\" takes 3 arguments, but 1 was given.");
  EXPECT_EQ(
      message({bytes_of(1.0f), arguments[1], arguments[2]}),
      "Argument \"y\" (1 of 3) of kernel \"saxpy\" is written to by the kernel, so it takes a "
      "buffer, not a value.");
  EXPECT_EQ(
      message({arguments[0], arguments[1], BufferBinding{buffer, 4096 * 4}}),
      "Argument \"a\" (3 of 3) of kernel \"saxpy\" needs 4 bytes, but its buffer holds 0 bytes "
      "from the offset on.");
  EXPECT_NO_THROW(queue.synchronize());
}

} // namespace
} // namespace metalcore
