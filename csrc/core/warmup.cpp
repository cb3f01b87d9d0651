#include "core/warmup.hpp"

#include "core/pipeline_store.hpp"
#include "core/warmup_kernels.hpp"
#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"
#include "metalcore/queue.hpp"
#include "objc/attach_thread.hpp"
#include "support/guarded.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

#include <algorithm>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

// The whole end of a process may take half a second.
constexpr auto shutdown_patience = 400ms;
// A short program's kernels are to be kept too.
constexpr auto store_patience = 300ms;

/// The process's warm-up; leaked on purpose: its thread may outlive main.
WarmupThread &process_warmup() {
  static auto &warmup = *new WarmupThread(warmup_tasks());
  return warmup;
}

Guarded<std::vector<std::string>> &kernels() {
  static auto &list = *new Guarded<std::vector<std::string>>;
  return list;
}

void warm_device(const WarmupTask::StopCheck &) {
  Queue::default_queue(Device::default_device());
}

void warm_library(const WarmupTask::StopCheck &should_stop) {
  const Library library = builtin_library(Device::default_device());
  for (const std::string &kernel : warmup_kernels()) {
    if (should_stop())
      return;
    library.pipeline(kernel);
  }
}

void warm_compiler(const WarmupTask::StopCheck &) {
  exercise_compiler(Device::default_device());
}

} // namespace

bool add_warmup_kernels(std::initializer_list<std::string> added) {
  kernels().with([&](std::vector<std::string> &list) { list.insert(list.end(), added); });
  return true;
}

std::vector<std::string> warmup_kernels() {
  return kernels().with([](const std::vector<std::string> &list) { return list; });
}

std::vector<WarmupTask> warmup_tasks() {
  return {{"device", warm_device, /*at_low_priority=*/false},
          {"library", warm_library},
          {"compiler", warm_compiler}};
}

void start_warmup() noexcept {
  try {
    const Preferences::Warmup wish = preferences().warmup;
    const auto values = describe_preferences();
    const auto value = std::ranges::find(values, "warmup", &PreferenceValue::name);
    process_warmup().start_if_allowed(wish, value->source, thread::allowed_cpus());
    // With no thread to set Foundation up in the background, loading pays for it, not the first
    // kernel.
    if (process_warmup().report().state != WarmupState::running)
      objc::attach_thread();
  } catch (...) {
    // Out of memory: the process has other worries, and everything works without a warm-up.
  }
}

WarmupReport warmup(const WarmupOptions &options) {
  preferences(); // they are handed to Metal before a thread of ours exists
  process_warmup().start();
  return options.blocking ? process_warmup().wait(options.timeout) : warmup_status();
}

WarmupReport wait_for_warmup(std::size_t seen, std::chrono::nanoseconds timeout) {
  return process_warmup().wait_for_stage(seen, timeout);
}

WarmupReport warmup_status() {
  return process_warmup().report();
}

void shutdown() noexcept {
  const auto begin = std::chrono::steady_clock::now();
  process_warmup().shut_down(shutdown_patience);
  const auto left = shutdown_patience - (std::chrono::steady_clock::now() - begin);
  shut_down_pipeline_store(std::clamp<std::chrono::nanoseconds>(left, 0ns, store_patience));
  trace::stop();
}

} // namespace metalcore
