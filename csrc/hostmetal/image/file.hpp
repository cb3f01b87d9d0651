#pragma once

#include "support/file_descriptor.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace hostmetal::image {

/// A file opened for reading.
class File {
public:
  explicit File(const std::string &path);

  bool is_open() const { return static_cast<bool>(descriptor_); }
  bool is_regular() const { return is_regular_; }
  /// Bytes; 0 unless it is regular.
  uint64_t size() const { return size_; }

  /// False unless all of `bytes` could be read.
  bool read(uint64_t offset, std::span<uint8_t> bytes) const;

private:
  metalcore::FileDescriptor descriptor_;
  bool is_regular_ = false;
  uint64_t size_ = 0;
};

} // namespace hostmetal::image
