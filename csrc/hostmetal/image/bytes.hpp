#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace hostmetal::image {

/// Appends little-endian values to a string.
class ByteWriter {
public:
  template <typename T> void number(T value) {
    static_assert(std::is_unsigned_v<T>);
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }
  void flag(bool value) { number<uint8_t>(value ? 1 : 0); }
  /// A length and the bytes.
  void text(std::string_view value) {
    number<uint32_t>(static_cast<uint32_t>(value.size()));
    bytes_.append(value);
  }

  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads what ByteWriter wrote. The first read that does not fit marks the reader as failed; from
/// then on it returns zeros, so a caller checks once, at the end.
class ByteReader {
public:
  explicit ByteReader(std::span<const uint8_t> bytes) : rest_(bytes) {}

  template <typename T> T number() {
    static_assert(std::is_unsigned_v<T>);
    uint64_t value = 0;
    if (!require(sizeof(T)))
      return 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      value |= static_cast<uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(sizeof(T));
    return static_cast<T>(value);
  }
  bool flag() { return enumeration<uint8_t>(1) != 0; }
  /// A value that may not be above `last`.
  template <typename T> T enumeration(T last) {
    static_assert(sizeof(T) == 1);
    const auto value = number<uint8_t>();
    if (value > static_cast<uint8_t>(last)) {
      fail();
      return T{};
    }
    return static_cast<T>(value);
  }
  std::string_view text() {
    const auto size = number<uint32_t>();
    if (!require(size))
      return {};
    const std::string_view value(reinterpret_cast<const char *>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  /// A number of elements of at least `element_size` bytes each, so that a broken count cannot make
  /// the caller reserve more than the input is worth.
  uint32_t count(size_t element_size) {
    const auto value = number<uint32_t>();
    if (value > rest_.size() / element_size) {
      fail();
      return 0;
    }
    return value;
  }

  void fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  /// Everything was read, and all of it fitted.
  bool complete() const { return !failed_ && rest_.empty(); }

private:
  bool require(size_t size) {
    if (rest_.size() < size)
      fail();
    return !failed_;
  }

  std::span<const uint8_t> rest_;
  bool failed_ = false;
};

inline std::span<const uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

} // namespace hostmetal::image
