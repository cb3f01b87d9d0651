#include "hostmetal/executor/cpu/worker_pool.hpp"

#include "hostmetal/executor/cpu/thread.hpp"

#include <system_error>

namespace hostmetal::cpu {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_spin_time = 20us;
constexpr auto join_spin_time = 50us;

} // namespace

uint64_t WorkerPool::run(Job &job, Worker &caller, uint32_t helper_count) {
  {
    const std::lock_guard lock(mutex_);
    start_helpers(helper_count);
    jobs_.push_back(&job);
    job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
    wake(2);
  }
  const uint64_t done = job.work(caller);
  {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, &job);
    job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
  }
  // No new helper can come.
  const auto is_alone = [&] { return job.helpers_.load(std::memory_order_acquire) == 0; };
  if (!spin_until(is_alone, join_spin_time)) {
    std::unique_lock lock(mutex_);
    helped_.wait(lock, is_alone);
  }
  return done;
}

void WorkerPool::start_helpers(uint32_t count) {
  while (can_grow_ && helpers_.size() < count) {
    try {
      helpers_.push_back(
          start_thread("hm-worker-" + std::to_string(helpers_.size() + 1), [this] { help(); }));
    } catch (const std::system_error &) {
      // The system allows no more threads; those that there are do all the work.
      can_grow_ = false;
    }
  }
}

/// A job with work left, taken in turn; null when there is none. Called with the lock held.
Job *WorkerPool::pick() {
  std::erase_if(jobs_, [](const Job *job) { return !job->has_work(); });
  job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
  return jobs_.empty() ? nullptr : jobs_[turn_++ % jobs_.size()];
}

/// Wakes as many helpers, which wake others in turn, so that waking many takes no long time for
/// one.
void WorkerPool::wake(uint32_t count) {
  for (count = std::min(count, sleepers_); count > 0; --count)
    listed_.notify_one();
}

void WorkerPool::help() {
  Worker worker;
  for (;;) {
    spin_until([&] { return job_count_.load(std::memory_order_acquire) > 0; }, idle_spin_time);
    std::unique_lock lock(mutex_);
    Job *job = pick();
    while (job == nullptr) {
      ++sleepers_;
      listed_.wait(lock);
      --sleepers_;
      job = pick();
    }
    job->helpers_.fetch_add(1, std::memory_order_relaxed);
    wake(2);
    lock.unlock();

    job->work(worker);

    lock.lock();
    // The owner may destroy the job as soon as it sees zero.
    if (job->helpers_.fetch_sub(1, std::memory_order_release) == 1)
      helped_.notify_all();
  }
}

} // namespace hostmetal::cpu
