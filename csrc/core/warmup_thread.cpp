#include "core/warmup_thread.hpp"

#include "core/failure.hpp"
#include "core/pipeline_cache.hpp"
#include "support/log.hpp"
#include "support/thread.hpp"
#include "support/trace.hpp"

#include <algorithm>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

constexpr auto longest_wait = std::chrono::nanoseconds(24h * 365); // keeps deadlines in range
constexpr const char *shut_down_reason = "The process ends.";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

/// Takes note of a fork: the thread stayed behind in the parent.
void WarmupThread::State::refresh() {
  if (generation == fork::generation())
    return;
  generation = fork::generation();
  worker.reset();
  change = {};
  next_change = change.get_future().share();
  if (state == WarmupState::running) {
    state = WarmupState::cancelled;
    reason = "The process was forked during the warm-up.";
    stages.clear();
    cpu_seconds = 0;
  }
}

void WarmupThread::State::changed() {
  change.set_value();
  change = {};
  next_change = change.get_future().share();
}

std::size_t WarmupThread::State::stages_done() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(stages, [](const Stage &stage) { return stage.seconds.has_value(); }));
}

WarmupReport WarmupThread::State::report() const {
  WarmupReport report;
  report.state = state;
  report.reason = reason;
  for (const Stage &stage : stages)
    report.stages.push_back({stage.name,
                             stage.seconds ? *stage.seconds : seconds_since(stage.begin),
                             stage.seconds.has_value()});
  report.cpu_seconds = cpu_seconds;
  report.pipelines_built = pipelines_built();
  report.cache_hits = pipeline_counters().hits;
  report.cache_misses = pipeline_counters().misses;
  return report;
}

WarmupThread::WarmupThread(std::vector<WarmupTask> tasks) : tasks_(std::move(tasks)) {}

void WarmupThread::start_if_allowed(Preferences::Warmup wish, const std::string &source,
                                    unsigned cpus) noexcept {
  state_.with([&](State &state) {
    state.refresh();
    if (std::exchange(state.was_asked, true))
      return;
    if (wish == Preferences::Warmup::off)
      state.reason = "The preference \"warmup\" is false (" + source + ").";
    else if (wish == Preferences::Warmup::automatic && cpus < 2) {
      state.state = WarmupState::skipped;
      state.reason = "The process may use only one CPU.";
    } else {
      start(state);
    }
  });
}

void WarmupThread::start() {
  state_.with([&](State &state) {
    state.refresh();
    start(state);
  });
}

void WarmupThread::start(State &state) {
  const bool can_start = state.state == WarmupState::disabled ||
                         state.state == WarmupState::skipped ||
                         state.state == WarmupState::cancelled;
  if (!can_start || state.is_shut_down)
    return;
  try {
    state.worker = std::make_unique<Worker>("mc-warm-up");
    state.worker->post([this] { run(); });
    state.state = WarmupState::running;
    state.reason.clear();
    state.stages.clear();
  } catch (const std::exception &error) {
    state.state = WarmupState::failed;
    state.reason = std::string("The warm-up thread cannot be started: ") + error.what() + '.';
  }
  state.changed();
}

WarmupReport WarmupThread::report() const {
  return state_.with([](State &state) {
    state.refresh();
    return state.report();
  });
}

template <typename Reached>
WarmupReport WarmupThread::wait_until(Reached reached,
                                      std::optional<std::chrono::nanoseconds> timeout) const {
  const auto deadline =
      Clock::now() + std::clamp(timeout.value_or(longest_wait), 0ns, longest_wait);
  for (;;) {
    std::shared_future<void> change;
    WarmupReport report = state_.with([&](State &state) {
      state.refresh();
      if (state.state == WarmupState::running && !reached(state))
        change = state.next_change;
      return state.report();
    });
    if (!change.valid() || change.wait_until(deadline) == std::future_status::timeout)
      return change.valid() ? this->report() : report;
  }
}

WarmupReport WarmupThread::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  return wait_until([](const State &) { return false; }, timeout);
}

WarmupReport WarmupThread::wait_for_stage(std::size_t seen,
                                          std::chrono::nanoseconds timeout) const {
  return wait_until([seen](const State &state) { return state.stages_done() > seen; }, timeout);
}

void WarmupThread::shut_down(std::chrono::nanoseconds patience) noexcept {
  // The worker leaves the state first: its end takes the lock.
  const auto worker = state_.with([](State &state) {
    state.refresh();
    state.is_shut_down = true;
    return std::move(state.worker);
  });
  if (!worker || worker->stop_within(patience))
    return;
  end(WarmupState::cancelled, shut_down_reason);
}

bool WarmupThread::should_stop() const {
  return state_.with([](const State &state) { return state.is_shut_down; });
}

void WarmupThread::run() {
  bool is_lowered = false;
  for (const WarmupTask &task : tasks_) {
    if (should_stop()) {
      end(WarmupState::cancelled, shut_down_reason);
      return;
    }
    if (task.at_low_priority && !std::exchange(is_lowered, true))
      thread::lower_priority();
    if (!run(task))
      return;
  }
  if (should_stop())
    end(WarmupState::cancelled, shut_down_reason);
  else
    end(WarmupState::done, {});
}

/// False when the task failed.
bool WarmupThread::run(const WarmupTask &task) {
  const trace::Span span("warm-up", task.name);
  state_.with([&](State &state) { state.stages.push_back({task.name, Clock::now(), {}}); });
  try {
    task.run([this] { return should_stop(); });
  } catch (...) {
    if (should_stop()) { // what failed may have been taken away by the process's end
      end(WarmupState::cancelled, shut_down_reason);
      return false;
    }
    const std::string message = Failure::current(ErrorKind::unsupported).message();
    log::warning("The warm-up failed in stage \"" + task.name + "\": " + message);
    end(WarmupState::failed, message);
    return false;
  }
  state_.with([](State &state) {
    state.stages.back().seconds = seconds_since(state.stages.back().begin);
    state.cpu_seconds = thread::cpu_seconds();
    state.changed();
  });
  return true;
}

/// Of the two that may call it, the thread and shut_down, the first one counts.
void WarmupThread::end(WarmupState how, const std::string &reason) {
  state_.with([&](State &state) {
    if (state.state != WarmupState::running)
      return;
    state.state = how;
    state.reason = reason;
    if (state.worker)
      state.worker->request_stop(); // the thread has nothing left to do
    state.changed();
  });
}

} // namespace metalcore
