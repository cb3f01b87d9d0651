#include "hostmetal/api/task_queue.hpp"

#include "support/fork.hpp"
#include "support/guarded.hpp"

#include <deque>
#include <pthread.h>
#include <string>
#include <system_error>
#include <thread>

namespace hostmetal::api {

namespace {

struct Work {
  std::deque<TaskQueue::Task> tasks;
  unsigned threads = 0;
  uint64_t generation = 0;

  /// A forked child has none of its parent's threads, and leaves its parent's tasks to it.
  void enter_process() {
    const uint64_t present = metalcore::fork::generation();
    if (generation == present)
      return;
    tasks.clear();
    threads = 0;
    generation = present;
  }
};

} // namespace

struct TaskQueue::State {
  State(const std::string &name, unsigned max_threads) : name(name), max_threads(max_threads) {}

  const std::string name;
  const unsigned max_threads;
  metalcore::Guarded<Work> work;
};

TaskQueue::TaskQueue(const std::string &name, unsigned max_threads)
    : state_(std::make_shared<State>(name, max_threads)) {}

TaskQueue::~TaskQueue() = default;

void TaskQueue::post(Task task) {
  state_->work.with([&](Work &work) {
    work.enter_process();
    work.tasks.push_back(std::move(task));
    if (work.threads == state_->max_threads)
      return;
    // Under the lock: a task that finds a thread counted can rely on it.
    try {
      std::thread([state = state_] { run(state); }).detach();
      ++work.threads;
    } catch (const std::system_error &) {
      if (work.threads > 0)
        return;
      work.tasks.pop_back();
      throw;
    }
  });
}

void TaskQueue::run(const std::shared_ptr<State> &state) {
  pthread_setname_np(pthread_self(), state->name.c_str());
  for (;;) {
    const Task task = state->work.with([](Work &work) {
      Task next;
      if (work.tasks.empty()) {
        --work.threads;
      } else {
        next = std::move(work.tasks.front());
        work.tasks.pop_front();
      }
      return next;
    });
    if (!task)
      return;
    task();
  }
}

} // namespace hostmetal::api
