#include "core/warmup.hpp"

#include "core/kernel_builds.hpp"
#include "core/pipeline_store.hpp"
#include "core/platform.hpp"
#include "core/profile_process.hpp"
#include "core/warmup_kernels.hpp"
#include "metalcore/library.hpp"
#include "metalcore/pipeline.hpp"
#include "metalcore/queue.hpp"
#include "objc/attach_thread.hpp"
#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

// The whole end of a process may take half a second.
constexpr auto shutdown_patience = 400ms;
// A short program's kernels are to be kept too.
constexpr auto store_patience = 300ms;
constexpr unsigned most_compile_threads = 8;

/// A program that was here before is left alone before its compiler is opened: what it needs is
/// there, as far as anybody knows.
std::chrono::nanoseconds pause_before_compiler() {
  return has_process_profile() ? 500ms : 0ms;
}

/// The process's warm-up; leaked on purpose: its thread may outlive main.
WarmupThread &process_warmup() {
  const fork::Section section; // the initialisation has a lock
  static auto &warmup = *new WarmupThread(warmup_tasks(), compile_pool(), pause_before_compiler);
  return warmup;
}

bool may_start_by_itself() {
  const char *variable = std::getenv("METALCORE_NO_AUTOSTART");
  return !variable || std::string_view(variable).empty() || std::string_view(variable) == "0";
}

WarmupReport complete(WarmupReport report) {
  describe_replay(report);
  describe_kernel_builds(report);
  return report;
}

std::atomic<bool> is_asked_for = false; ///< by a call, as against loading

Guarded<std::vector<std::string>> &kernels() {
  const fork::Section section; // the initialisation has a lock
  static auto &list = *new Guarded<std::vector<std::string>>;
  return list;
}

/// Whether a caller compiles from source, and nobody asked for the warm-up. He opens what he needs,
/// sooner than the warm-up, and what it did now would be at his cost.
bool is_overtaken() {
  return !is_asked_for && library_counters().misses > 0;
}

/// An empty round through the queue, which dispatches nothing, starts the threads that it has.
void warm_device(const WarmupTask::StopCheck &) {
  if (is_overtaken())
    return;
  const Device device = Device::default_device();
  const Queue queue = Queue::default_queue(device);
  queue.signal(device.make_event(), 1);
  queue.synchronize();
}

void warm_library(const WarmupTask::StopCheck &should_stop) {
  if (is_overtaken())
    return;
  const Library library = builtin_library(Device::default_device());
  for (const std::string &kernel : warmup_kernels()) {
    if (should_stop())
      return;
    build_ahead(library, {kernel, {}});
  }
}

void open_compiler(const WarmupTask::StopCheck &) {
  platform::open_compiler();
}

/// A caller who compiles at once is in the front end meanwhile.
void set_up_codegen(const WarmupTask::StopCheck &) {
  platform::warm_up_compiler();
}

void try_compiler(const WarmupTask::StopCheck &should_stop) {
  if (!is_overtaken())
    exercise_compiler(Device::default_device(), [&] { return should_stop() || is_overtaken(); });
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
  // What takes longest comes first: to open the compiler and to set it up, most of it reading code
  // from the disk. A caller who needs a device meanwhile opens it himself. The trial comes last,
  // and at low priority: no caller waits for it.
  return {{.name = "compiler", .run = open_compiler, .is_after_pause = true},
          {.name = "codegen", .run = set_up_codegen, .is_after_pause = true},
          {.name = "device", .run = warm_device},
          {.name = "library", .run = warm_library},
          {.name = "profile", .run = replay_process_profile},
          {.name = "trial", .run = try_compiler, .on_pool = true, .is_after_pause = true}};
}

CompilePool &compile_pool() {
  const fork::Section section;
  static auto &pool = *new CompilePool(std::min(thread::allowed_cpus(), most_compile_threads));
  return pool;
}

void start_warmup() noexcept {
  try {
    const Preferences::Warmup wish = preferences().warmup;
    const auto values = describe_preferences();
    const auto value = std::ranges::find(values, "warmup", &PreferenceValue::name);
    if (may_start_by_itself())
      process_warmup().start_if_allowed(wish, value->source, thread::allowed_cpus());
    else
      process_warmup().disable("The environment variable METALCORE_NO_AUTOSTART is set.");
    // At the side of the warm-up, or where there is none: loading pays for Foundation, not the
    // first kernel.
    objc::attach_thread();
  } catch (...) {
    // Out of memory: the process has other worries, and everything works without a warm-up.
  }
}

WarmupReport warmup(const WarmupOptions &options) {
  preferences(); // they are handed to Metal before a thread of ours exists
  // Not beyond what the clock can count.
  const auto deadline =
      std::chrono::steady_clock::now() +
      std::min<std::chrono::nanoseconds>(options.timeout.value_or(0ns), 24h * 365);
  is_asked_for = true;
  process_warmup().start();
  const KernelBuilds builds = build_kernels(options.kernels);
  if (!options.blocking)
    return warmup_status();
  process_warmup().wait(options.timeout);
  if (builds.wait(options.timeout ? std::optional(deadline - std::chrono::steady_clock::now())
                                  : std::nullopt))
    builds.check();
  return warmup_status();
}

WarmupReport wait_for_warmup(std::size_t seen, std::chrono::nanoseconds timeout) {
  return complete(process_warmup().wait_for_stage(seen, timeout));
}

WarmupReport warmup_status() {
  return complete(process_warmup().report());
}

void shutdown() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + shutdown_patience;
  const auto patience = [&] {
    return std::max<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now(), 0ns);
  };
  process_warmup().request_stop();
  compile_pool().request_stop();
  save_profile_at_exit();
  process_warmup().shut_down(patience());
  compile_pool().stop_within(patience());
  end_profile();
  shut_down_pipeline_store(std::min<std::chrono::nanoseconds>(patience(), store_patience));
  trace::stop();
}

} // namespace metalcore
