#include "support/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/types.h>

namespace metalcore {

namespace {

// Darwin refuses to move more than INT_MAX bytes in one call, Linux stops a little below that.
constexpr std::size_t most_at_once = 1u << 30;

template <typename Move> bool move_fully(Move move, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t moved = move(done, std::min(size - done, most_at_once));
    if (moved > 0)
      done += static_cast<std::size_t>(moved);
    else if (moved == 0 || errno != EINTR)
      return false;
  }
  return true;
}

} // namespace

bool read_fully(int file, char *bytes, std::size_t size) {
  return move_fully(
      [=](std::size_t offset, std::size_t count) { return ::read(file, bytes + offset, count); },
      size);
}

bool read_fully_at(int file, uint64_t begin, char *bytes, std::size_t size) {
  return move_fully(
      [=](std::size_t offset, std::size_t count) {
        return ::pread(file, bytes + offset, count, static_cast<off_t>(begin + offset));
      },
      size);
}

bool write_fully(int file, const char *bytes, std::size_t size) {
  return move_fully(
      [=](std::size_t offset, std::size_t count) { return ::write(file, bytes + offset, count); },
      size);
}

} // namespace metalcore
