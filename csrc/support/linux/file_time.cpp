#include "support/file_time.hpp"

#include <time.h>

namespace metalcore::file_time {

namespace {

int64_t nanoseconds(const timespec &time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

} // namespace

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return nanoseconds(time);
}

int64_t modified(const struct stat &status) {
  return nanoseconds(status.st_mtim);
}

} // namespace metalcore::file_time
