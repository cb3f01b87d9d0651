#include "hostmetal/executor/cpu/job.hpp"

#include <exception>
#include <new>

namespace hostmetal::cpu {

uint64_t Job::work(Worker &worker) {
  uint64_t done = 0;
  while (has_work()) {
    const uint64_t begin = next_.fetch_add(batch_, std::memory_order_relaxed);
    if (begin >= unit_count_)
      break;
    const uint64_t end = begin + std::min(batch_, unit_count_ - begin);
    try {
      run(begin, end, worker);
    } catch (const std::bad_alloc &) {
      fail("There was not enough memory to run the kernel.");
    } catch (const std::exception &exception) {
      fail(exception.what());
    }
    done += end - begin;
  }
  return done;
}

void Job::fail(std::string error) {
  stop();
  const std::lock_guard lock(error_mutex_);
  if (error_.empty())
    error_ = std::move(error);
}

} // namespace hostmetal::cpu
