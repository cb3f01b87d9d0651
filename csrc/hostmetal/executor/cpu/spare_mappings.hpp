#pragma once

#include "support/guarded.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace hostmetal::cpu {

/// Mapped memory that was given back, for the next request of its size: the system clears huge
/// pages slowly, and at times looks for some for milliseconds. Only sizes that come back again and
/// again are kept. Thread-safe.
class SpareMappings {
public:
  /// A size's mappings are kept from so many on.
  static constexpr unsigned recurrence = 5;

  /// Keeps `limit` bytes at the most.
  explicit SpareMappings(uint64_t limit) : limit_(limit) {}
  ~SpareMappings() { drop(); }
  SpareMappings(const SpareMappings &) = delete;
  SpareMappings &operator=(const SpareMappings &) = delete;

  /// Zero-filled; null when there is none of that size.
  std::byte *take(uint64_t size);
  /// Takes the mapping over. What has been here longest makes room for it.
  void give(std::byte *address, uint64_t size);
  /// Gives all back to the system.
  void drop();

private:
  struct Mapping {
    std::byte *address;
    uint64_t size;
  };
  struct Size {
    uint64_t size;
    unsigned returns; ///< mappings of this size that were given back
  };
  struct Kept {
    std::deque<Mapping> mappings; ///< the oldest first
    uint64_t size = 0;
    std::deque<Size> sizes; ///< the last few, the oldest first
    bool recurs(uint64_t size);
  };
  static void unmap(const std::deque<Mapping> &mappings);

  const uint64_t limit_;
  metalcore::Guarded<Kept> kept_;
};

} // namespace hostmetal::cpu
