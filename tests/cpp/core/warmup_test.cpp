#include "metalcore/metalcore.hpp"

#include "support/child.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
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

std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Before main, when this program's libraries are loaded.
const std::size_t threads_at_start = threads_of_process();

TEST(Warmup, LoadingTheLibraryStartsNothing) {
  EXPECT_EQ(threads_at_start, 1u);
}

TEST(Warmup, StartsByItselfUnlessTheEmbedderMindsIt) {
  EXPECT_EQ(exit_code_of_child([] {
              setenv("METALCORE_WARMUP", "true", 1);
              setenv("METALCORE_NO_AUTOSTART", "1", 1);
              const std::size_t before = threads_of_process();
              start_warmup();
              if (threads_of_process() != before)
                return 1;
              const WarmupReport report = warmup_status();
              if (report.state != WarmupState::disabled ||
                  report.reason != "The environment variable METALCORE_NO_AUTOSTART is set.")
                return 2;
              unsetenv("METALCORE_NO_AUTOSTART");
              start_warmup();
              return warmup_status().state == WarmupState::disabled ? 3 : 0;
            }),
            0);
}

WarmupKernel from_source(const std::string &source, const std::string &name) {
  return {name, {}, {}, source, {}};
}

TEST(Warmup, BuildsKernels) {
  EXPECT_EQ(exit_code_of_child([] {
              const Library library = Device::default_device().compile(
                  "constant int c [[function_constant(0)]];"
                  "kernel void g(device int *x [[buffer(0)]]) { x[0] = c; }");
              const WarmupReport report =
                  warmup({.timeout = {},
                          .kernels = {from_source(kernel, "f"),
                                      {"g", {{"c", int64_t{3}}}, library, {}, {}}}});
              if (report.kernels_wanted != 2 || report.kernels_done != 2)
                return 1;
              const uint64_t built = report.pipelines_built;
              library.pipeline("g", {{{"c", int64_t{3}}}});
              if (!runs_a_kernel())
                return 2;
              return warmup_status().pipelines_built == built ? 0 : 3;
            }),
            0);
}

TEST(Warmup, AKernelThatFailsIsThrownAfterTheOthers) {
  EXPECT_EQ(exit_code_of_child([] {
              try {
                warmup({.timeout = {},
                        .kernels = {from_source("nonsense;", "f"), from_source(kernel, "f"),
                                    from_source(kernel, "missing")}});
              } catch (const Error &error) {
                const WarmupReport report = warmup_status();
                if (error.kind() != ErrorKind::compile || report.kernels_done != 3)
                  return 1;
                const KernelBuilds builds = build_kernels({from_source(kernel, "missing")});
                if (!builds.wait() || builds.done() != 1 || builds.failures().size() != 1)
                  return 2;
                try {
                  builds.check();
                } catch (const std::out_of_range &) {
                  return 0;
                }
              }
              return 3;
            }),
            0);
}

TEST(Warmup, AForkEndsTheWaitForKernels) {
  EXPECT_EQ(exit_code_of_child([] {
              std::vector<WarmupKernel> kernels;
              for (int i = 0; i < 20; ++i)
                kernels.push_back(from_source(kernel + ("// " + std::to_string(i)), "f"));
              const KernelBuilds builds = build_kernels(std::move(kernels));
              const int child = exit_code_of_child([&] {
                builds.wait();
                if (builds.done() == builds.wanted())
                  return 0;
                try {
                  builds.check();
                } catch (const Error &) {
                  return runs_a_kernel() ? 0 : 1;
                }
                return 2;
              });
              return child != 0 ? child : builds.wait(30s) ? 0 : 9;
            }),
            0);
}

TEST(Warmup, AProgramHasAProfileByItsName) {
  EXPECT_EQ(exit_code_of_child([] {
              std::string folder = "/tmp/metalcore-warmup-XXXXXX";
              setenv("XDG_CACHE_HOME", mkdtemp(folder.data()), 1);
              unsetenv("METALCORE_CACHE_DIR");
              setenv("METALCORE_WARMUP_PROFILE", "true", 1);
              const int first = exit_code_of_child([] {
                const auto by_executable = warmup_profile_path();
                set_program("mine");
                const auto named = warmup_profile_path();
                set_program("");
                if (!warmup_profile_path().empty() || named.empty() || named == by_executable)
                  return 1;
                set_program("mine");
                if (!runs_a_kernel())
                  return 2;
                shutdown();
                return std::filesystem::exists(named) ? 0 : 3;
              });
              const int second = exit_code_of_child([] {
                set_program("mine");
                if (warmup().profile_built != 1)
                  return 4;
                const auto kernels = read_warmup_profile(warmup_profile_path());
                return kernels.size() == 1 && kernels[0].source == kernel ? 0 : 5;
              });
              std::filesystem::remove_all(folder);
              return first != 0 ? first : second;
            }),
            0);
}

TEST(Warmup, RunsItsStages) {
  EXPECT_EQ(exit_code_of_child([] {
              if (warmup_status().state != WarmupState::disabled)
                return 1;
              const WarmupReport report = warmup();
              if (report.state != WarmupState::done)
                return 2;
              std::vector<std::string> names;
              for (const WarmupStage &stage : report.stages)
                names.push_back(stage.name);
              if (names != std::vector<std::string>{"compiler", "codegen", "device", "library",
                                                    "profile", "trial"})
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

TEST(Warmup, KernelsAreRefusedAfterTheEnd) {
  EXPECT_EQ(exit_code_of_child([] {
              shutdown();
              try {
                warmup({.kernels = {{"f", {}, {}, kernel, {}}}});
                return 1;
              } catch (const Error &error) {
                return std::string_view(error.what()) == "The process ends." ? 0 : 2;
              }
            }),
            0);
}

} // namespace
} // namespace metalcore
