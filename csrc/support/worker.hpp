#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace metalcore {

/// One thread and a queue of tasks that it runs in order. Thread-safe. Declare it last in its
/// owner. In a forked child the thread does not exist: the object only drops tasks there.
class Worker {
public:
  using Task = std::function<void()>; ///< must not throw

  /// Starts the thread; `name` is what debuggers show. Throws std::system_error.
  explicit Worker(std::string name);
  /// Asks to stop and joins.
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// False, and the task is dropped, once the worker was asked to stop.
  bool post(Task task);
  /// Tasks that have not begun are dropped; a long task looks at stop_requested between its steps.
  void request_stop() noexcept;
  bool stop_requested() const noexcept;
  /// Asks to stop and waits for the thread's end. False when it did not come in time: the thread is
  /// left to itself then, and what its task uses must outlive the process.
  bool stop_within(std::chrono::nanoseconds timeout);

private:
  struct State;
  static void run(State &state);
  void abandon();

  std::shared_ptr<State> state_; // shared with the thread, which may outlive the worker
  std::thread thread_;
};

} // namespace metalcore
