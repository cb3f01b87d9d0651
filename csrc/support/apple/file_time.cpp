#include "support/file_time.hpp"

namespace metalcore::file_time {

int64_t modified(const struct stat &status) {
  return nanoseconds(status.st_mtimespec);
}

} // namespace metalcore::file_time
