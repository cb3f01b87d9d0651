#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <unistd.h>

namespace metalcore {

/// Owns a POSIX file descriptor; -1 is none.
class FileDescriptor {
public:
  explicit FileDescriptor(int value = -1) : value_(value) {}
  FileDescriptor(FileDescriptor &&other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() {
    if (value_ >= 0)
      ::close(value_);
  }

  explicit operator bool() const { return value_ >= 0; }
  int get() const { return value_; }
  /// Gives the descriptor up without closing it.
  int release() { return std::exchange(value_, -1); }

private:
  int value_;
};

/// Reads `size` bytes, however many calls it takes. False: the file ended, or errno says why.
bool read_fully(int file, char *bytes, std::size_t size);
/// The same from a place in the file, which need not be where it is read from otherwise.
bool read_fully_at(int file, uint64_t offset, char *bytes, std::size_t size);
/// Writes `size` bytes, however many calls it takes. False: errno says why.
bool write_fully(int file, const char *bytes, std::size_t size);

} // namespace metalcore
