#pragma once

#include "support/fork.hpp"
#include "support/guarded.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <list>
#include <thread>
#include <vector>

namespace metalcore {

/// Threads of low priority for compiles that nobody waits for yet. They exist only while there is
/// work. Thread-safe. In a forked child, work that was posted before is gone. Must not be destroyed
/// while a thread runs that stop_within gave up.
class CompilePool {
public:
  /// Called once: with false to do the work, with true where it will never be done. Must not throw.
  using Job = std::function<void(bool is_dropped)>;
  enum class Place : uint8_t { next, last };

  explicit CompilePool(unsigned most_threads);
  /// Stops and waits.
  ~CompilePool();
  CompilePool(const CompilePool &) = delete;
  CompilePool &operator=(const CompilePool &) = delete;

  /// Queues jobs, in their order, before or behind those that wait.
  void post(std::vector<Job> jobs, Place place = Place::last);
  /// CPU time of all its threads so far; of jobs under way, as far as they counted it.
  double cpu_seconds() const;
  /// Adds what the calling thread used. A job calls it before it tells others that it is done.
  void count_cpu_time();
  /// Drops what waits, and takes no more.
  void request_stop() noexcept;
  /// Stops, and waits for the jobs under way. False when they did not end in time: their threads
  /// are left to themselves then, and what they use must outlive the process.
  bool stop_within(std::chrono::nanoseconds timeout) noexcept;

private:
  using Threads = std::list<std::thread>;

  struct State {
    uint64_t generation = fork::generation();
    std::deque<Job> jobs;
    Threads running;
    Threads ended; ///< to be joined
    unsigned started = 0;
    double cpu_seconds = 0;
    bool is_stopping = false;
    std::promise<void> idle; ///< kept by the last thread once it is stopping
    bool is_awaited = false;

    void refresh();
  };

  void start_threads();
  void work(Threads::iterator self);
  static void join(Threads threads);

  const unsigned most_threads_;
  mutable Guarded<State> state_;
};

} // namespace metalcore
