#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace metalcore {

using Digest = std::array<uint8_t, 32>;

/// SHA-256 by the system's library.
Digest sha256(std::string_view bytes);

/// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::span<const uint8_t> bytes);

} // namespace metalcore
