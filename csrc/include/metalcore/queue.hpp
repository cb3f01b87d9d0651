#pragma once

#include "metalcore/buffer.hpp"
#include "metalcore/event.hpp"
#include "metalcore/pipeline.hpp"

#include <array>
#include <span>

namespace metalcore {

/// A part of a buffer, from `offset` bytes on.
struct BufferBinding {
  Buffer buffer;
  std::size_t offset = 0;
};
/// Bytes that are copied at launch, at most 4096 of them.
struct Bytes {
  std::vector<std::byte> data;
};
/// Threadgroup memory in bytes; rounded up to a multiple of 16.
struct ThreadgroupMemory {
  std::size_t length = 0;
};
/// One per entry of Pipeline::arguments, in that order.
using LaunchArgument = std::variant<BufferBinding, Bytes, ThreadgroupMemory>;

using Size3 = std::array<std::size_t, 3>;

/// How many threads run. `threads` need not be a multiple of the group size.
struct Grid {
  Size3 threads{1, 1, 1};
  /// Unset: a size that suits the pipeline and the grid.
  std::optional<Size3> group_size;
};

/// An ordered list of work for a device. All calls return at once, but for synchronize.
/// Thread-safe.
class METALCORE_API Queue {
public:
  struct Impl;
  explicit Queue(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  /// The default queue of a device.
  static Queue default_queue(const Device &device);

  /// Runs a kernel after everything before it. Arguments and grid are checked against the pipeline
  /// here: std::invalid_argument, or Error{launch} for a limit of the pipeline. A failure while it
  /// runs is thrown by the next synchronize.
  void launch(const Pipeline &pipeline, std::span<const LaunchArgument> arguments,
              const Grid &grid) const;
  void copy(const BufferBinding &destination, const BufferBinding &source,
            std::size_t length) const;
  void fill(const BufferBinding &destination, std::size_t length, uint8_t value) const;
  void signal(const Event &event, uint64_t value) const;
  void wait(const Event &event, uint64_t value) const;
  /// Blocks until everything before it has ended; throws the first failure since the last call.
  void synchronize() const;

  Device device() const;
  const std::shared_ptr<Impl> &impl() const { return impl_; }

private:
  std::shared_ptr<Impl> impl_;
};

/// Blocks until every queue of every device is idle; throws the first failure.
METALCORE_API void synchronize();

} // namespace metalcore
