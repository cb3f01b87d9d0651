#include "hostmetal/api/log_buffer.hpp"

#include "hostmetal/api/log_format.hpp"

#include <utility>

namespace hostmetal::api {
namespace {

// Apple's limit on the subsystem, the category and the format.
constexpr size_t max_length = 1024;

/// MTLLogLevel for an os_log_type.
int level_of(uint32_t type) {
  switch (type) {
  case 0x01:
    return 2; // info
  case 0x02:
    return 1; // debug
  case 0x10:
    return 4; // error
  case 0x11:
    return 5; // fault
  default:
    return 3; // notice
  }
}

} // namespace

void LogBuffer::write(const KernelMessage &message) noexcept {
  const int level = level_of(message.type);
  if (level < level_)
    return;
  try {
    Message kept{std::string(message.subsystem.substr(0, max_length)),
                 std::string(message.category.substr(0, max_length)), level,
                 format_message(message.format.substr(0, max_length), message.arguments)};
    const size_t size = kept.subsystem.size() + kept.category.size() + kept.text.size();
    contents_.with([&](Contents &contents) {
      if (size > capacity_ - contents.size) {
        ++contents.dropped;
        return;
      }
      contents.messages.push_back(std::move(kept));
      contents.size += size;
    });
  } catch (const std::bad_alloc &) {
    contents_.with([](Contents &contents) { ++contents.dropped; });
  }
}

LogBuffer::Contents LogBuffer::take() {
  return contents_.with([](Contents &contents) { return std::exchange(contents, {}); });
}

} // namespace hostmetal::api
