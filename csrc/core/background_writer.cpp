#include "core/background_writer.hpp"

#include "support/thread.hpp"

#include <algorithm>
#include <future>

namespace metalcore {

using namespace std::chrono_literals;

namespace {

constexpr auto longest_wait = std::chrono::nanoseconds(24h * 365); // keeps deadlines in range

/// Ready once the worker has done all that was posted before.
std::shared_future<void> end_of_tasks(Worker &worker) {
  const auto reached = std::make_shared<std::promise<void>>();
  std::shared_future<void> end = reached->get_future().share();
  if (!worker.post([reached] { reached->set_value(); }))
    reached->set_value();
  return end;
}

} // namespace

/// Takes note of a fork: the thread and its tasks stayed behind in the parent.
void BackgroundWriter::State::refresh() {
  if (generation == fork::generation())
    return;
  generation = fork::generation();
  worker.reset();
  pending = 0;
}

BackgroundWriter::BackgroundWriter(std::string name, std::size_t capacity)
    : name_(std::move(name)), capacity_(capacity) {}

bool BackgroundWriter::post(Task task) {
  return state_.with([&](State &state) {
    state.refresh();
    if (state.is_shut_down || state.pending >= capacity_)
      return false;
    try {
      if (!state.worker) {
        state.worker = std::make_unique<Worker>(name_);
        state.worker->post([] { thread::lower_priority(); });
      }
      state.worker->post([this, task = std::move(task)] { run(task); });
    } catch (const std::exception &) {
      return false; // no thread, no memory: nobody waits for the task
    }
    ++state.pending;
    return true;
  });
}

void BackgroundWriter::run(const Task &task) {
  try {
    task();
  } catch (...) {
    // Nobody waits for it.
  }
  state_.with([](State &state) { --state.pending; });
}

std::size_t BackgroundWriter::pending() const {
  return state_.with([](State &state) {
    state.refresh();
    return state.pending;
  });
}

bool BackgroundWriter::wait(std::chrono::nanoseconds timeout) {
  const auto end = state_.with([](State &state) {
    state.refresh();
    return state.worker ? end_of_tasks(*state.worker) : std::shared_future<void>();
  });
  return !end.valid() ||
         end.wait_for(std::clamp(timeout, 0ns, longest_wait)) == std::future_status::ready;
}

void BackgroundWriter::shut_down(std::chrono::nanoseconds patience) noexcept {
  constexpr auto patience_with_a_task = 50ms;
  // The worker leaves the state first: the end of a task takes the lock.
  const auto worker = state_.with([](State &state) {
    state.refresh();
    state.is_shut_down = true;
    return std::move(state.worker);
  });
  if (!worker)
    return;
  end_of_tasks(*worker).wait_for(std::clamp(patience, 0ns, longest_wait));
  worker->stop_within(patience_with_a_task);
}

} // namespace metalcore
