#pragma once

#include "support/fork.hpp"

#include <functional>
#include <mutex>
#include <utility>

namespace metalcore {

/// A value and the lock that guards it: the value is reached only while the lock is held. The lock
/// is never held across a fork of the process. Calls to `with` of one object do not nest.
template <typename T> class Guarded {
public:
  template <typename... Arguments>
  explicit Guarded(Arguments &&...arguments) : value_(std::forward<Arguments>(arguments)...) {}
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  /// Calls `access` with the value and returns its result, by value. Keep it short: no compile, no
  /// wait, no call into code that may come back here.
  template <typename Access> auto with(Access &&access) {
    const fork::Section section;
    const std::lock_guard lock(mutex_);
    return std::invoke(std::forward<Access>(access), value_);
  }
  template <typename Access> auto with(Access &&access) const {
    const fork::Section section;
    const std::lock_guard lock(mutex_);
    return std::invoke(std::forward<Access>(access), value_);
  }

private:
  mutable std::mutex mutex_;
  T value_;
};

} // namespace metalcore
