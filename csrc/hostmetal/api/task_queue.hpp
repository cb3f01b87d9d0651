#pragma once

#include "support/guarded.hpp"

#include <functional>
#include <memory>
#include <string>

namespace hostmetal::api {

/// Runs tasks on threads of its own, which end when there was no work for a while. Thread-safe.
/// What a process has queued when it forks runs in the parent only.
class TaskQueue {
public:
  using Task = std::function<void()>;

  /// At most `max_threads` tasks run at a time; 1 keeps them in order. `name` (at most 15 bytes) is
  /// what debuggers and `top` show.
  TaskQueue(const std::string &name, unsigned max_threads);
  /// Tasks that were posted still run.
  ~TaskQueue();

  /// A task must not throw. Throws std::system_error when no thread could be started for it.
  void post(Task task);

private:
  struct State;
  static void run(State &state);

  metalcore::Guarded<std::shared_ptr<State>> state_;
};

} // namespace hostmetal::api
