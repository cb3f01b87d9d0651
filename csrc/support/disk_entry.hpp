#pragma once

#include "support/sha256.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// One file of a DiskStore: 80 bytes of header, then the content. Every byte of the header is either
// compared with what it must be or covered by a comparison with the file, so no bit of a file can
// change without notice.

namespace metalcore {

struct DiskEntry {
  Digest key;
  std::string_view kind;

  static constexpr std::size_t header_size = 80;
  static constexpr std::size_t longest_kind = 15;

  /// Lower-case letters and digits, 1 to 15.
  static bool is_kind(std::string_view text);
  /// "<64 hexadecimal digits>.<kind>", for such a name only.
  static bool is_file_name(std::string_view name);
  std::string file_name() const { return to_hex(key) + '.' + std::string(kind); }

  std::string header(std::string_view content) const;
  /// How many bytes follow the header; empty unless it is one of this entry and this version.
  std::optional<uint64_t> content_size(std::string_view header) const;
  /// Whether `content` is what the header, which content_size accepted, was made for.
  static bool matches(std::string_view header, std::string_view content);
};

} // namespace metalcore
