#pragma once

#include "hostmetal/executor/cpu/worker.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace hostmetal::cpu {

/// A number of units of work that several threads take in batches.
class Job {
public:
  Job(uint64_t unit_count, uint64_t batch) : unit_count_(unit_count), batch_(batch) {}
  virtual ~Job() = default;
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  /// Takes batches until none is left, or one has failed; returns the number of units run.
  uint64_t work(Worker &worker);

  bool has_work() const { return next_.load(std::memory_order_relaxed) < unit_count_; }
  /// Why a batch failed; empty when none did. Call when no thread works on it any more.
  const std::string &error() const { return error_; }

protected:
  /// Runs units [begin, end). Exceptions end the job.
  virtual void run(uint64_t begin, uint64_t end, Worker &worker) = 0;
  /// No batch is taken any more.
  void stop() { next_.store(unit_count_, std::memory_order_relaxed); }

private:
  friend class WorkerPool;

  void fail(std::string error);

  const uint64_t unit_count_; // with all threads' last batches added, below 2^64
  const uint64_t batch_;
  std::atomic<uint32_t> helpers_{0}; // pool threads at work on it
  std::mutex error_mutex_;
  std::string error_;
  alignas(64) std::atomic<uint64_t> next_{0};
};

} // namespace hostmetal::cpu
