#include "support/worker.hpp"

#include "support/fork.hpp"
#include "support/thread.hpp"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>

namespace metalcore {

// A plain mutex, not a Guarded: the thread waits with it, and a forked child never touches it.
struct Worker::State {
  const uint64_t generation = fork::generation();
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  bool is_stopping = false;
  std::promise<void> ended;

  bool is_inherited() const { return generation != fork::generation(); }
};

Worker::Worker(std::string name) : state_(std::make_shared<State>()) {
  thread_ = std::thread([state = state_, name = std::move(name)] {
    thread::set_name(name);
    run(*state);
    state->ended.set_value();
  });
}

Worker::~Worker() {
  request_stop();
  if (state_->is_inherited())
    abandon();
  else if (thread_.joinable())
    thread_.join();
}

bool Worker::post(Task task) {
  if (state_->is_inherited())
    return false;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->is_stopping)
      return false;
    state_->tasks.push_back(std::move(task));
  }
  state_->changed.notify_one();
  return true;
}

void Worker::request_stop() noexcept {
  if (state_->is_inherited())
    return;
  std::deque<Task> dropped; // outside of the lock: a task's destructor is the caller's code
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
    state_->tasks.swap(dropped);
  }
  state_->changed.notify_one();
}

bool Worker::stop_requested() const noexcept {
  if (state_->is_inherited())
    return true;
  const std::lock_guard lock(state_->mutex);
  return state_->is_stopping;
}

bool Worker::stop_within(std::chrono::nanoseconds timeout) {
  if (!thread_.joinable())
    return true;
  if (state_->is_inherited()) {
    abandon();
    return true;
  }
  request_stop();
  if (state_->ended.get_future().wait_for(timeout) != std::future_status::ready) {
    thread_.detach();
    return false;
  }
  thread_.join();
  return true;
}

void Worker::run(State &state) {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(state.mutex);
      state.changed.wait(lock, [&] { return state.is_stopping || !state.tasks.empty(); });
      if (state.is_stopping)
        return;
      task = std::move(state.tasks.front());
      state.tasks.pop_front();
    }
    task();
  }
}

// The handle names a thread of another process: it can be neither joined nor detached.
void Worker::abandon() {
  new std::shared_ptr<State>(state_);
  new std::thread(std::move(thread_));
}

} // namespace metalcore
