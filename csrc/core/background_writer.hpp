#pragma once

#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/worker.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>

namespace metalcore {

/// One thread of low priority, started by the first task, for what nobody waits for. Any thread.
/// In a forked child the parent's tasks do not exist, and the first task starts a thread anew. Must
/// not be destroyed while a thread runs that shut_down gave up.
class BackgroundWriter {
public:
  using Task = std::function<void()>; ///< what it throws is dropped

  /// At most `capacity` tasks wait. A task begins no sooner than `delay` after it was posted,
  /// unless somebody waits for the end: whoever posted it has better use for the machine.
  BackgroundWriter(std::string name, std::size_t capacity, std::chrono::nanoseconds delay = {});

  /// False, and the task is dropped, when too many wait or after shut_down.
  bool post(Task task);
  /// Tasks that wait or run.
  std::size_t pending() const;
  /// Waits for the end of the tasks posted so far. False when `timeout` was over before.
  bool wait(std::chrono::nanoseconds timeout);
  /// Goes on with what waits for as long as `patience`, drops the rest and joins the thread; one
  /// whose task does not end is left to itself. No task is taken any more.
  void shut_down(std::chrono::nanoseconds patience) noexcept;

private:
  struct State {
    uint64_t generation = fork::generation();
    std::unique_ptr<Worker> worker;
    std::size_t pending = 0;
    bool is_shut_down = false;
    std::promise<void> hurry; ///< kept once somebody waits
    std::shared_future<void> hurried = hurry.get_future().share();

    void refresh();
    void make_haste();
  };

  void run(const Task &task);

  const std::string name_;
  const std::size_t capacity_;
  const std::chrono::nanoseconds delay_;
  mutable Guarded<State> state_;
};

} // namespace metalcore
