#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace metalcore {

/// Spells a request as bytes: two requests have the same key only if every part is the same.
class RequestKey {
public:
  RequestKey &text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
    return *this;
  }
  RequestKey &number(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes_.push_back(static_cast<char>(value >> shift));
    return *this;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

} // namespace metalcore
