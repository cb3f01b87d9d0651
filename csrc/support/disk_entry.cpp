#include "support/disk_entry.hpp"

#include "support/checksum.hpp"

#include <algorithm>

namespace metalcore {

namespace {

// Magic, version, kind with trailing zeros, key, length, checksum.
constexpr std::string_view magic = "\x89MCS\r\n\x1a\n"; // text-mode copies damage it
constexpr uint64_t version = 1;
constexpr std::size_t kind_field = DiskEntry::longest_kind + 1;
constexpr std::size_t length_offset = 8 + 8 + kind_field + sizeof(Digest);
constexpr std::size_t checksum_offset = length_offset + 8;
static_assert(magic.size() == 8 && checksum_offset + 8 == DiskEntry::header_size);

void append(std::string &bytes, uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<char>(number >> shift));
}

uint64_t number_at(std::string_view bytes, std::size_t offset) {
  uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i)
    number |= uint64_t{static_cast<uint8_t>(bytes[offset + i])} << (8 * i);
  return number;
}

uint64_t checksum_of(std::string_view content) {
  return checksum({reinterpret_cast<const uint8_t *>(content.data()), content.size()});
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// All that does not depend on the content.
std::string fixed_part(const DiskEntry &entry) {
  std::string bytes(magic);
  append(bytes, version);
  bytes.append(entry.kind).append(kind_field - entry.kind.size(), '\0');
  bytes.append(reinterpret_cast<const char *>(entry.key.data()), entry.key.size());
  return bytes;
}

} // namespace

bool DiskEntry::is_kind(std::string_view text) {
  return !text.empty() && text.size() <= longest_kind &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c); });
}

bool DiskEntry::is_file_name(std::string_view name) {
  constexpr std::size_t digits = 2 * sizeof(Digest);
  return name.size() > digits && name[digits] == '.' && is_kind(name.substr(digits + 1)) &&
         std::ranges::all_of(name.substr(0, digits),
                             [](char c) { return (c >= 'a' && c <= 'f') || is_digit(c); });
}

std::string DiskEntry::header(std::string_view content) const {
  std::string bytes = fixed_part(*this);
  append(bytes, content.size());
  append(bytes, checksum_of(content));
  return bytes;
}

std::optional<uint64_t> DiskEntry::content_size(std::string_view header) const {
  if (header.size() != header_size || !header.starts_with(fixed_part(*this)))
    return std::nullopt;
  return number_at(header, length_offset);
}

bool DiskEntry::matches(std::string_view header, std::string_view content) {
  return number_at(header, length_offset) == content.size() &&
         number_at(header, checksum_offset) == checksum_of(content);
}

} // namespace metalcore
