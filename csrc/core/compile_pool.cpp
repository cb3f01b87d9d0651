#include "core/compile_pool.hpp"

#include "support/thread.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>

namespace metalcore {

namespace {

thread_local double counted = 0; ///< CPU time of the thread that its pool knows of

} // namespace

/// Takes note of a fork: threads and jobs stayed behind in the parent. Their handles name nothing
/// here, and what the jobs hold may be in the middle of something.
void CompilePool::State::refresh() {
  if (generation == fork::generation())
    return;
  const bool was_stopping = is_stopping;
  new State(std::move(*this));
  *this = State();
  is_stopping = was_stopping;
}

CompilePool::CompilePool(unsigned most_threads) : most_threads_(std::max(1u, most_threads)) {}

CompilePool::~CompilePool() {
  stop_within(std::chrono::hours(24));
}

void CompilePool::post(std::vector<Job> jobs, Place place) {
  const bool is_taken = state_.with([&](State &state) {
    state.refresh();
    if (state.is_stopping)
      return false;
    state.jobs.insert(place == Place::next ? state.jobs.begin() : state.jobs.end(),
                      std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
    return true;
  });
  if (is_taken)
    start_threads();
  else
    for (const Job &job : jobs)
      job(/*is_dropped=*/true);
}

void CompilePool::start_threads() {
  std::deque<Job> dropped;
  Threads ended = state_.with([&](State &state) {
    const std::size_t wanted =
        std::min<std::size_t>(most_threads_ - state.running.size(), state.jobs.size());
    for (std::size_t i = 0; i < wanted; ++i) {
      const auto self = state.running.emplace(state.running.end());
      try {
        *self = std::thread([this, self, number = state.started++ % most_threads_ + 1] {
          thread::set_name("mc-compile-" + std::to_string(number));
          thread::lower_priority();
          work(self);
        });
      } catch (const std::system_error &) { // the threads that there are do it all
        state.running.erase(self);
        break;
      }
    }
    if (state.running.empty())
      dropped.swap(state.jobs);
    return std::exchange(state.ended, {});
  });
  join(std::move(ended));
  for (const Job &job : dropped)
    job(/*is_dropped=*/true);
}

void CompilePool::work(Threads::iterator self) {
  for (;;) {
    count_cpu_time();
    std::optional<Job> job = state_.with([&](State &state) -> std::optional<Job> {
      if (!state.jobs.empty()) {
        std::optional<Job> next = std::move(state.jobs.front());
        state.jobs.pop_front();
        return next;
      }
      state.ended.splice(state.ended.end(), state.running, self);
      if (state.running.empty() && state.is_awaited)
        state.idle.set_value();
      return std::nullopt;
    });
    if (!job)
      return;
    (*job)(/*is_dropped=*/false);
  }
}

void CompilePool::count_cpu_time() {
  const double used = thread::cpu_seconds();
  state_.with([&](State &state) { state.cpu_seconds += used - std::exchange(counted, used); });
}

double CompilePool::cpu_seconds() const {
  return state_.with([](State &state) {
    state.refresh();
    return state.cpu_seconds;
  });
}

void CompilePool::request_stop() noexcept {
  const auto dropped = state_.with([](State &state) {
    state.refresh();
    state.is_stopping = true;
    return std::exchange(state.jobs, {});
  });
  for (const Job &job : dropped)
    job(/*is_dropped=*/true);
}

bool CompilePool::stop_within(std::chrono::nanoseconds timeout) noexcept {
  request_stop();
  std::future<void> idle = state_.with([](State &state) {
    if (state.running.empty() || std::exchange(state.is_awaited, true))
      return std::future<void>();
    return state.idle.get_future();
  });
  if (idle.valid())
    idle.wait_for(timeout);
  auto [ended, is_idle] = state_.with([](State &state) {
    for (std::thread &thread : state.running)
      if (thread.joinable())
        thread.detach();
    return std::pair(std::exchange(state.ended, {}), state.running.empty());
  });
  join(std::move(ended));
  return is_idle;
}

void CompilePool::join(Threads threads) {
  for (std::thread &thread : threads)
    if (thread.joinable())
      thread.join();
}

} // namespace metalcore
