#include "support/thread.hpp"

#include <algorithm>
#include <fstream>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

namespace metalcore::thread {

namespace {

constexpr int background_nice = 10;

/// CPUs by the container's quota (cgroup v2): "max 100000" or "<microseconds> <per microseconds>".
unsigned quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double allowed = 0, period = 0;
  if (file >> allowed >> period && allowed > 0 && period > 0)
    return std::max(1u, static_cast<unsigned>(allowed / period));
  return ~0u;
}

unsigned affinity() {
  // The mask is as long as the kernel's; 8192 CPUs is the most that Linux can be built for.
  constexpr int most_cpus = 8192;
  cpu_set_t *set = CPU_ALLOC(most_cpus);
  const std::size_t size = CPU_ALLOC_SIZE(most_cpus);
  unsigned count = 0;
  if (set && sched_getaffinity(0, size, set) == 0)
    count = static_cast<unsigned>(CPU_COUNT_S(size, set));
  CPU_FREE(set);
  return count > 0 ? count : std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

void set_name(const std::string &name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

void lower_priority() {
  // On Linux a nice value belongs to a thread, and "the process" 0 is the calling thread.
  setpriority(PRIO_PROCESS, 0, background_nice);
}

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

unsigned allowed_cpus() {
  return std::min(affinity(), quota());
}

} // namespace metalcore::thread
