#include "support/replace_file.hpp"

#include "support/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace metalcore {

namespace {

/// False: errno says why.
bool write_and_close(FileDescriptor file, int folder, const std::string &place,
                     std::initializer_list<std::string_view> parts, const Replacement &how) {
  struct stat before;
  if (how.keeps_mode && fstatat(folder, place.c_str(), &before, 0) == 0 &&
      fchmod(file.get(), before.st_mode & 07777) != 0)
    return false;
  const bool is_written = std::ranges::all_of(parts, [&](std::string_view part) {
    return write_fully(file.get(), part.data(), part.size());
  });
  if (!is_written || (how.is_synchronised && fsync(file.get()) != 0))
    return false;
  // Some file systems report a full disk not before this.
  return ::close(file.release()) == 0 || errno == EINTR;
}

} // namespace

bool replace_file(int folder, const std::string &place,
                  std::initializer_list<std::string_view> parts, const Replacement &how) {
  uint64_t size = 0;
  for (const std::string_view part : parts)
    size += part.size();
  if (!fits_file_limit(size))
    return false;
  const std::string temporary =
      how.temporary.empty() ? place + '.' + unique_name() + ".tmp" : how.temporary;
  FileDescriptor file(openat(folder, temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             static_cast<mode_t>(how.mode)));
  if (!file)
    return false;
  if (write_and_close(std::move(file), folder, place, parts, how) &&
      renameat(folder, temporary.c_str(), folder, place.c_str()) == 0)
    return true;
  const int error = errno;
  unlinkat(folder, temporary.c_str(), 0);
  errno = error;
  return false;
}

bool fits_file_limit(uint64_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      bytes <= limit.rlim_cur)
    return true;
  errno = EFBIG;
  return false;
}

std::string unique_name() {
  std::random_device random;
  return std::to_string(getpid()) + '-' + std::to_string(random()) + '-' + std::to_string(random());
}

} // namespace metalcore
