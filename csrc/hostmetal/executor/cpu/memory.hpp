#pragma once

#include "hostmetal/executor/cpu/spare_mappings.hpp"
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
  std::byte *map(uint64_t size);
  void unmap(std::byte *address, uint64_t size);

  // Enough for the intermediate results of a chain of operations.
  static constexpr uint64_t spare_limit = 64 * 1024 * 1024;

  uint64_t limit_;
  SpareMappings spare_{spare_limit};
  std::atomic<uint64_t> used_{0};
};

} // namespace hostmetal::cpu
