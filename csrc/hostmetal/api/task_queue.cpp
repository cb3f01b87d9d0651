#include "hostmetal/api/task_queue.hpp"

#include "support/fork.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>

namespace hostmetal::api {

namespace {

using namespace std::chrono_literals;

// A thread costs as much to start as a small command buffer to run.
constexpr auto idle_time = 5s;

} // namespace

/// What the threads of one process share. A plain mutex, as they wait with it: a forked child, for
/// which it may be locked for ever, makes a State of its own.
struct TaskQueue::State {
  State(const std::string &name, unsigned max_threads) : name(name), max_threads(max_threads) {}

  bool is_inherited() const { return generation != metalcore::fork::generation(); }

  const std::string name;
  const unsigned max_threads;
  const uint64_t generation = metalcore::fork::generation();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<TaskQueue::Task> tasks;
  unsigned threads = 0, idle_threads = 0;
  bool is_closed = false; ///< no task will come
};

TaskQueue::TaskQueue(const std::string &name, unsigned max_threads)
    : state_(std::make_shared<State>(name, max_threads)) {}

TaskQueue::~TaskQueue() {
  const auto state = state_.with([](const auto &state) { return state; });
  if (state->is_inherited()) { // its parent's threads would have to let go of it
    new std::shared_ptr<State>(state);
    return;
  }
  const metalcore::fork::Section section;
  const std::lock_guard lock(state->mutex);
  state->is_closed = true;
  state->changed.notify_all();
}

void TaskQueue::post(Task task) {
  const auto state = state_.with([](std::shared_ptr<State> &state) {
    if (state->is_inherited()) {
      new std::shared_ptr<State>(state);
      state = std::make_shared<State>(state->name, state->max_threads);
    }
    return state;
  });
  const metalcore::fork::Section section;
  const std::lock_guard lock(state->mutex);
  state->tasks.push_back(std::move(task));
  if (state->tasks.size() <= state->idle_threads) {
    state->changed.notify_one();
    return;
  }
  if (state->threads == state->max_threads)
    return;
  try {
    std::thread([state] { run(*state); }).detach();
    ++state->threads;
  } catch (const std::system_error &) {
    if (state->threads > 0)
      return;
    state->tasks.pop_back();
    throw;
  }
}

void TaskQueue::run(State &state) {
  pthread_setname_np(pthread_self(), state.name.c_str());
  std::unique_lock lock(state.mutex);
  for (;;) {
    ++state.idle_threads;
    state.changed.wait_for(lock, idle_time,
                           [&] { return !state.tasks.empty() || state.is_closed; });
    --state.idle_threads;
    if (state.tasks.empty())
      break;
    {
      const Task task = std::move(state.tasks.front());
      state.tasks.pop_front();
      lock.unlock();
      task();
    }
    if (state.is_inherited()) { // the task forked, and this is the child
      lock.release();
      return;
    }
    lock.lock();
  }
  --state.threads;
}

} // namespace hostmetal::api
