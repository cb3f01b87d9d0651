#pragma once

#include "metalcore/queue.hpp"

#include <span>
#include <string>
#include <vector>

namespace metalcore {

/// Bytes that setBytes takes at the most.
constexpr std::size_t most_bytes = 4096;
/// Threadgroup memory comes in multiples of this.
constexpr std::size_t threadgroup_memory_granule = 16;

/// What a launch is checked against.
struct LaunchLimits {
  std::string kernel;
  std::span<const Argument> arguments;
  std::size_t max_total_threads = 0;         ///< of a threadgroup, by the pipeline
  Size3 max_group_size{};                    ///< by axis, by the device
  std::size_t static_threadgroup_memory = 0; ///< bytes
  std::size_t max_threadgroup_memory = 0;    ///< bytes
};

/// What a caller passes for one argument, without the objects behind it.
struct LaunchValue {
  enum class Kind : uint8_t { buffer, bytes, threadgroup_memory };
  Kind kind = Kind::buffer;
  std::size_t length = 0; ///< bytes: of the whole buffer, or of what is passed
  std::size_t offset = 0; ///< into the buffer
};

/// Bytes of threadgroup memory as they are set.
std::size_t rounded_threadgroup_memory(std::size_t length);

/// Throws what Queue::launch promises unless the kernel can be launched like this.
void check_launch(const LaunchLimits &limits, std::span<const LaunchValue> values,
                  const Size3 &threads, const Size3 &group_size);

/// Throws std::invalid_argument unless `length` bytes from `offset` on lie in a buffer of
/// `buffer_length` bytes; `what` begins the message: "The source of a copy".
void check_range(const std::string &what, std::size_t offset, std::size_t length,
                 std::size_t buffer_length);

} // namespace metalcore
