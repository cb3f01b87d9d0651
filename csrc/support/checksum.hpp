#pragma once

#include <cstdint>
#include <span>

namespace metalcore {

/// The 64-bit XXH3 of the bytes: finds damage, not forgery.
uint64_t checksum(std::span<const uint8_t> bytes);

} // namespace metalcore
