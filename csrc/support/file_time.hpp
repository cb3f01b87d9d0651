#pragma once

#include <cstdint>

#include <sys/stat.h>
#include <time.h>

// Times of files: nanoseconds since 1970. The clock may be set back, and file servers have their
// own.

namespace metalcore::file_time {

int64_t nanoseconds(const timespec &time);
int64_t now();
/// When the file was last written, or touched.
int64_t modified(const struct stat &status);

} // namespace metalcore::file_time
