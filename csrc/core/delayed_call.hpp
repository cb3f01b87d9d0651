#pragma once

#include "support/guarded.hpp"
#include "support/worker.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

namespace metalcore {

/// Calls a function some time after it was asked for, once however often it was asked meanwhile, on
/// a thread that is not there before the first time and never wakes without need. Thread-safe. Must
/// not be destroyed before cancel. In a forked child, what was asked for before is forgotten.
class DelayedCall {
public:
  /// `call` must not throw.
  DelayedCall(std::string name, std::chrono::nanoseconds delay, std::function<void()> call)
      : name_(std::move(name)), delay_(delay), call_(std::move(call)) {}

  /// Throws std::system_error when there is no thread to be had.
  void ask();
  /// Nothing is called from here on, except what is being called at this moment.
  void cancel() noexcept;

private:
  struct State {
    uint64_t generation = fork::generation();
    std::unique_ptr<Worker> worker;
    std::promise<void> cancelled;
    std::shared_future<void> cancellation = cancelled.get_future().share();
    bool is_asked = false;
    bool is_cancelled = false;

    void refresh();
  };

  const std::string name_;
  const std::chrono::nanoseconds delay_;
  const std::function<void()> call_;
  Guarded<State> state_;
};

} // namespace metalcore
