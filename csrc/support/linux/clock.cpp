#include "support/trace.hpp"

#include <time.h>

namespace metalcore::trace {

int64_t host_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace metalcore::trace
