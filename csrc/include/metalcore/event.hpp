#pragma once

#include "metalcore/device.hpp"

#include <chrono>

namespace metalcore {

/// A 64-bit value that only grows, signalled and waited on by queues and by the host. Thread-safe.
class METALCORE_API Event {
public:
  struct Impl;
  explicit Event(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  uint64_t value() const;
  void
  signal(uint64_t value) const; ///< from the host; std::invalid_argument below the present value
  /// Blocks until the value is reached; false when `timeout` passed first.
  bool wait(uint64_t value, std::optional<std::chrono::nanoseconds> timeout = {}) const;

  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

} // namespace metalcore
