#include "support/checksum.hpp"

#define XXH_INLINE_ALL // no library is loaded for one function
#include <xxhash.h>

namespace metalcore {

uint64_t checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace metalcore
