#include "core/background_writer.hpp"

#include "support/thread.hpp"

#include <algorithm>

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
  const bool was_shut_down = is_shut_down;
  new State(std::move(*this)); // what the parent's threads were in the middle of
  *this = State();
  is_shut_down = was_shut_down;
}

void BackgroundWriter::State::make_haste() {
  hurry.set_value();
  hurry = std::promise<void>();
  hurried = hurry.get_future().share();
}

BackgroundWriter::BackgroundWriter(std::string name, std::size_t capacity,
                                   std::chrono::nanoseconds delay)
    : name_(std::move(name)), capacity_(capacity), delay_(delay) {}

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
      state.worker->post([this, task = std::move(task), hurried = state.hurried,
                          begin = std::chrono::steady_clock::now() + delay_] {
        hurried.wait_until(begin);
        run(task);
      });
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
    state.make_haste();
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
    state.make_haste();
    return std::move(state.worker);
  });
  if (!worker)
    return;
  end_of_tasks(*worker).wait_for(std::clamp(patience, 0ns, longest_wait));
  worker->stop_within(patience_with_a_task);
}

} // namespace metalcore
