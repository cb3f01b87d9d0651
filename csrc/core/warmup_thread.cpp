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
    failure.reset();
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

WarmupThread::WarmupThread(std::vector<WarmupTask> tasks, CompilePool &pool, Pause pause)
    : tasks_(std::move(tasks)), pool_(pool), pause_(std::move(pause)) {}

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

void WarmupThread::disable(const std::string &reason) {
  state_.with([&](State &state) {
    if (state.state == WarmupState::disabled)
      state.reason = reason;
  });
}

void WarmupThread::start() {
  state_.with([&](State &state) {
    state.refresh();
    start(state);
    if (!std::exchange(state.is_wanted, true))
      state.changed(); // ends a pause
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
    state.failure.reset();
  } catch (const std::exception &error) {
    state.state = WarmupState::failed;
    state.reason = std::string("The warm-up thread cannot be started: ") + error.what() + '.';
  }
  state.changed();
}

WarmupReport WarmupThread::report() const {
  WarmupReport report = state_.with([](State &state) {
    state.refresh();
    return state.report();
  });
  report.cpu_seconds += pool_.cpu_seconds();
  return report;
}

template <typename Reached>
WarmupReport WarmupThread::wait_until(Reached reached,
                                      std::optional<std::chrono::nanoseconds> timeout) const {
  const auto deadline =
      Clock::now() + std::clamp(timeout.value_or(longest_wait), 0ns, longest_wait);
  for (;;) {
    std::shared_future<void> change;
    state_.with([&](State &state) {
      state.refresh();
      if (state.state == WarmupState::running && !reached(state))
        change = state.next_change;
    });
    if (!change.valid() || change.wait_until(deadline) == std::future_status::timeout)
      return report();
  }
}

WarmupReport WarmupThread::wait(std::optional<std::chrono::nanoseconds> timeout) const {
  return wait_until([](const State &) { return false; }, timeout);
}

WarmupReport WarmupThread::wait_for_stage(std::size_t seen,
                                          std::chrono::nanoseconds timeout) const {
  return wait_until([seen](const State &state) { return state.stages_done() > seen; }, timeout);
}

void WarmupThread::request_stop() noexcept {
  state_.with([](State &state) {
    state.refresh();
    if (!std::exchange(state.is_shut_down, true))
      state.changed(); // ends a pause
  });
}

void WarmupThread::shut_down(std::chrono::nanoseconds patience) noexcept {
  request_stop();
  // The worker leaves the state first: its end takes the lock.
  const auto worker = state_.with([](State &state) { return std::move(state.worker); });
  if (!worker || worker->stop_within(patience))
    return;
  end(WarmupState::cancelled, shut_down_reason);
}

bool WarmupThread::should_stop() const {
  return state_.with([](const State &state) { return state.is_shut_down; });
}

bool WarmupThread::has_failed() const {
  return state_.with([](const State &state) { return state.failure.has_value(); });
}

void WarmupThread::run() {
  run_stages();
  const auto failure = state_.with([](State &state) {
    state.cpu_seconds = thread::cpu_seconds();
    return state.failure;
  });
  if (failure)
    end(WarmupState::failed, *failure);
  else if (state_.with([](const State &state) { return state.is_shut_down || state.is_cut_short; }))
    end(WarmupState::cancelled, shut_down_reason);
  else
    end(WarmupState::done, {});
}

void WarmupThread::run_stages() {
  std::vector<std::future<void>> begun;
  const auto begin_all = [&](const std::vector<const WarmupTask *> &tasks) {
    for (const WarmupTask *task : tasks) {
      if (should_stop() || has_failed())
        break;
      begun.push_back(begin(*task));
    }
    for (const std::future<void> &stage : begun)
      stage.wait();
    begun.clear();
  };
  const auto start = Clock::now();
  const auto length = pause_ ? pause_() : 0ns;
  std::vector<const WarmupTask *> first, later;
  for (const WarmupTask &task : tasks_)
    (task.is_after_pause && length > 0ns ? later : first).push_back(&task);
  begin_all(first);
  if (later.empty() || has_failed())
    return;
  pause_until(start + length);
  begin_all(later);
}

/// The future is kept when the stage has ended.
std::future<void> WarmupThread::begin(const WarmupTask &task) {
  const std::size_t stage = state_.with([&](State &state) {
    state.stages.push_back({task.name, Clock::now(), {}});
    return state.stages.size() - 1;
  });
  auto ended = std::make_shared<std::promise<void>>();
  std::future<void> result = ended->get_future();
  const auto job = [this, &task, stage, ended](bool is_dropped) {
    if (is_dropped)
      state_.with([](State &state) { state.is_cut_short = true; });
    else if (!should_stop())
      run(task, stage);
    ended->set_value();
  };
  if (task.on_pool)
    pool_.post({job});
  else
    job(/*is_dropped=*/false);
  return result;
}

void WarmupThread::run(const WarmupTask &task, std::size_t stage) {
  const trace::Span span("warm-up", task.name);
  try {
    task.run([this] { return should_stop(); });
  } catch (...) {
    if (should_stop()) // what failed may have been taken away by the process's end
      return;
    const std::string message = Failure::current(ErrorKind::unsupported).message();
    const bool is_first = state_.with([&](State &state) {
      if (state.failure)
        return false;
      state.failure = message;
      return true;
    });
    if (is_first)
      log::warning("The warm-up failed in stage \"" + task.name + "\": " + message);
    return;
  }
  if (task.on_pool)
    pool_.count_cpu_time();
  state_.with([&](State &state) {
    state.stages[stage].seconds = seconds_since(state.stages[stage].begin);
    if (!task.on_pool)
      state.cpu_seconds = thread::cpu_seconds();
    state.changed();
  });
}

/// Until the time is over, somebody asks for the warm-up, or the process ends.
void WarmupThread::pause_until(Clock::time_point deadline) const {
  for (;;) {
    const auto change = state_.with([](const State &state) {
      return state.is_wanted || state.is_shut_down ? std::shared_future<void>() : state.next_change;
    });
    if (!change.valid() || change.wait_until(deadline) == std::future_status::timeout)
      return;
  }
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
