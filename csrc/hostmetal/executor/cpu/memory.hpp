#pragma once

#include "hostmetal/executor/executor.hpp"

#include <atomic>

namespace hostmetal::cpu {

/// Memory of the system's, given out in pages that cost nothing before they are touched.
/// Thread-safe; outlives what it allocates.
class Memory {
public:
  /// `limit` bytes may be in use at a time.
  explicit Memory(uint64_t limit) : limit_(limit) {}

  /// Zero-filled, aligned to a page. Throws std::bad_alloc beyond the limit.
  std::unique_ptr<Allocation> allocate(uint64_t size);
  /// Somebody else's memory.
  static std::unique_ptr<Allocation> wrap(void *host_pointer, uint64_t size);

  uint64_t limit() const { return limit_; }

private:
  class Pages;
  bool reserve(uint64_t size);

  uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

} // namespace hostmetal::cpu
