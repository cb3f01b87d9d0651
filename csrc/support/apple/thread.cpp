#include "support/thread.hpp"

#include <algorithm>
#include <thread>

#include <pthread.h>
#include <pthread/qos.h>
#include <time.h>

namespace metalcore::thread {

void set_name(const std::string &name) {
  pthread_setname_np(name.substr(0, 15).c_str());
}

void lower_priority() {
  pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
}

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

unsigned allowed_cpus() {
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace metalcore::thread
