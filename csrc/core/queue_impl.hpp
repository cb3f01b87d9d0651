#pragma once

#include "core/device_impl.hpp"
#include "core/failure.hpp"
#include "metalcore/queue.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/retained.hpp"
#include "support/fork.hpp"
#include "support/guarded.hpp"
#include "support/trace.hpp"

#import <Metal/Metal.h>

#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace metalcore {

/// A command buffer on its way through the device.
struct Batch {
  explicit Batch(id<MTLCommandBuffer> commands)
      : commands(objc::Retained<id<MTLCommandBuffer>>::retain(commands)) {}

  objc::Retained<id<MTLCommandBuffer>> commands; ///< nil once it has completed
  std::vector<std::string> traced;               ///< names of its commands, while tracing
  std::promise<void> completed;
  const std::shared_future<void> completion = completed.get_future().share();
};

/// The command buffer that commands are appended to, and its encoder.
class OpenBatch {
public:
  bool is_open() const { return batch_ != nullptr; }
  /// Throws Error{device}.
  void open(id<MTLCommandQueue> queue, const KernelLog &log);
  bool logs() const { return logs_; } ///< kernels can
  /// Ends the encoder and gives the batch away.
  std::shared_ptr<Batch> close();
  std::size_t size() const { return size_; } ///< commands

  /// What the next command is, for the timeline.
  void note(std::string_view name) {
    if (trace::is_on())
      batch_->traced.emplace_back(name);
  }
  // One more command: for the encoder of its kind, or for the command buffer itself.
  id<MTLComputeCommandEncoder> compute();
  id<MTLBlitCommandEncoder> blit();
  id<MTLCommandBuffer> commands();

private:
  void end_encoder();

  std::shared_ptr<Batch> batch_;
  objc::Retained<id<MTLComputeCommandEncoder>> compute_;
  objc::Retained<id<MTLBlitCommandEncoder>> blit_;
  std::size_t size_ = 0;
  bool logs_ = false;
};

/// One command queue. A command goes to the open batch, which is committed at once while the device
/// has little to do, and otherwise when an earlier batch completes: the first launch starts without
/// delay, and a chain of small launches becomes a few large command buffers. Whatever is committed
/// keeps the queue alive until it has completed.
struct Queue::Impl : public std::enable_shared_from_this<Queue::Impl> {
  explicit Impl(std::shared_ptr<Device::Impl> device);
  ~Impl();

  const std::shared_ptr<Device::Impl> device;

  /// Calls `encode` with the open batch. Blocks only when far more is queued than the device will
  /// soon have done.
  template <typename Encode> void append(Encode &&encode) {
    wait_for_room();
    const objc::AutoreleasePool pool;
    commit(state_.with([&](State &state) {
      prepare(state);
      encode(state.open);
      return close_if_due(state);
    }));
  }
  /// From here on the open batch has a log, as the device has.
  void begin_logging();
  void synchronize();

private:
  struct State {
    uint64_t generation = fork::generation();
    objc::Retained<id<MTLCommandQueue>> queue;
    OpenBatch open;
    std::deque<std::shared_ptr<Batch>> in_flight; ///< in the order of the queue
    std::optional<Failure> failure;               ///< the first since the last synchronize
  };

  objc::Retained<id<MTLCommandQueue>> make_queue() const;
  void prepare(State &state);
  std::shared_ptr<Batch> close(State &state);
  std::shared_ptr<Batch> close_if_due(State &state);
  void commit(const std::shared_ptr<Batch> &batch);
  void complete(const std::shared_ptr<Batch> &batch, id<MTLCommandBuffer> commands);
  void wait_for_room();

  Guarded<State> state_;
  trace::Track track_; ///< what the device does
};

} // namespace metalcore
