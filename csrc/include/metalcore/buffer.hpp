#pragma once

#include "metalcore/device.hpp"

namespace metalcore {

/// Device memory. Copies of the handle share it; it is freed when the last handle and the last work
/// that uses it are gone.
class METALCORE_API Buffer {
public:
  struct Impl;
  explicit Buffer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::size_t length() const; ///< bytes
  StorageMode storage_mode() const;
  /// The host's view; null for private storage. The caller waits for work that writes it.
  void *contents() const;
  Device device() const;

  bool operator==(const Buffer &other) const { return impl_ == other.impl_; }
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace metalcore
