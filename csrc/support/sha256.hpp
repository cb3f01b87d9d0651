#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace metalcore {

using Digest = std::array<uint8_t, 32>;

/// SHA-256 by the system's library.
Digest sha256(std::string_view bytes);

/// 64 lower-case hexadecimal digits.
std::string to_hex(const Digest &digest);

} // namespace metalcore
