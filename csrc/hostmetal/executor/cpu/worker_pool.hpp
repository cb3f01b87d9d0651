#pragma once

#include "hostmetal/executor/cpu/job.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace hostmetal::cpu {

/// Threads that help those who run jobs. Never destroyed: its threads may run until the process
/// ends.
class WorkerPool {
public:
  /// Runs a job to its end on the calling thread, with the help of the pool. The first call starts
  /// the pool's `helper_count` threads. Returns the units that the caller ran. Thread-safe.
  uint64_t run(Job &job, Worker &caller, uint32_t helper_count);

private:
  void start_helpers(uint32_t count);
  [[noreturn]] void help();
  Job *pick();
  void wake(uint32_t count);

  std::mutex mutex_;
  std::condition_variable listed_;     // a job was added to jobs_
  std::condition_variable helped_;     // a job's last helper left it
  std::vector<Job *> jobs_;            // with work left, as far as is known
  std::atomic<uint32_t> job_count_{0}; // of jobs_, for those who spin
  uint32_t sleepers_ = 0;
  uint32_t turn_ = 0; // helpers spread over the jobs
  std::vector<std::thread> helpers_;
  bool can_grow_ = true;
};

} // namespace hostmetal::cpu
