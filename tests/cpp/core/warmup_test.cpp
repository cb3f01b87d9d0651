#include "metalcore/metalcore.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

// The process's own warm-up, in child processes that have not begun theirs.

namespace metalcore {
namespace {

using namespace std::chrono_literals;
using test::exit_code_of_child;

constexpr const char *kernel = "kernel void f(device float *x [[buffer(0)]]) { x[0] = 3; }";

/// Whether a kernel from source runs.
bool runs_a_kernel() {
  const Device device = Device::default_device();
  const Buffer buffer = device.make_buffer(4);
  Queue::default_queue(device).launch(device.compile(kernel).pipeline("f"),
                                      std::vector<LaunchArgument>{BufferBinding{buffer, 0}},
                                      {{1, 1, 1}, {}});
  synchronize();
  return *static_cast<const float *>(buffer.contents()) == 3;
}

TEST(Warmup, RunsThreeStages) {
  EXPECT_EQ(exit_code_of_child([] {
              if (warmup_status().state != WarmupState::disabled)
                return 1;
              const WarmupReport report = warmup();
              if (report.state != WarmupState::done || report.stages.size() != 3)
                return 2;
              if (report.stages[0].name != "device" || report.stages[1].name != "library" ||
                  report.stages[2].name != "compiler")
                return 3;
              if (report.pipelines_built < 1 || report.cpu_seconds <= 0)
                return 4;
              shutdown();
              return runs_a_kernel() ? 0 : 5;
            }),
            0);
}

TEST(Warmup, ACallerNeedsNotWaitForIt) {
  EXPECT_EQ(exit_code_of_child([] {
              warmup({.blocking = false, .timeout = {}});
              return runs_a_kernel() ? 0 : 1;
            }),
            0);
}

TEST(Warmup, AProcessMayEndAtAnyMoment) {
  for (int i = 0; i < 40; ++i) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(exit_code_of_child([i]() -> int {
                warmup({.blocking = false, .timeout = {}});
                std::this_thread::sleep_for(i * 2ms);
                const auto begin = std::chrono::steady_clock::now();
                shutdown();
                if (std::chrono::steady_clock::now() - begin > 2s)
                  return 1;
                std::exit(0); // with destructors and all
              }),
              0)
        << i;
    // Sanitizers may have their own words to say of a child's threads.
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("metalcore"), std::string::npos) << said;
  }
}

TEST(Warmup, AProcessMayForkAtAnyMoment) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(exit_code_of_child([i] {
                warmup({.blocking = false, .timeout = {}});
                std::this_thread::sleep_for(i * 4ms);
                const int child = exit_code_of_child([] {
                  if (!runs_a_kernel())
                    return 1;
                  const WarmupState state = warmup({.blocking = true, .timeout = 30s}).state;
                  shutdown();
                  return state == WarmupState::done ? 0 : 2;
                });
                if (child != 0)
                  return 10 + child;
                if (!runs_a_kernel())
                  return 1;
                return warmup().state == WarmupState::done ? 0 : 2;
              }),
              0)
        << i;
}

} // namespace
} // namespace metalcore
