#include "core/queue_impl.hpp"

#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/error.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <atomic>

namespace metalcore {

using objc::Retained;

namespace {

// One batch runs and one waits behind it, so that the device never waits for the host.
constexpr std::size_t busy = 2;
// A batch that is never closed would never start; one this large costs nothing to start.
constexpr std::size_t most_commands = 512;
// Beyond this the host is too far ahead: 24576 commands, and the memory that they use.
constexpr std::size_t most_batches = 48;

std::optional<Failure> failure_of(id<MTLCommandBuffer> commands) {
  if ([commands status] != MTLCommandBufferStatusError)
    return std::nullopt;
  return Failure(ErrorKind::launch,
                 "A kernel failed while it ran: " + objc::describe([commands error]) + '.');
}

std::string next_track_name(const Device::Impl &device) {
  static std::atomic<unsigned> queues = 0;
  return "queue " + std::to_string(++queues) + " of " + device.name;
}

/// "scale", "scale and 3 more".
std::string summary(const std::vector<std::string> &names) {
  if (names.empty())
    return "nothing"; // tracing began after the commands
  return names.front() +
         (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

void trace_batch(trace::Track &track, const Batch &batch, id<MTLCommandBuffer> commands) {
  if (!trace::is_on())
    return;
  trace::Arguments arguments;
  arguments.add("commands", uint64_t{batch.traced.size()});
  track.interval("gpu", summary(batch.traced), [commands GPUStartTime], [commands GPUEndTime],
                 arguments);
}

} // namespace

void OpenBatch::open(id<MTLCommandQueue> queue, const KernelLog &log) {
  logs_ = log.is_enabled();
  id<MTLCommandBuffer> commands = log.command_buffer(queue);
  if (!commands)
    throw Error(ErrorKind::device, "The device has no command buffer to give.");
  [commands enqueue]; // its place in the order, whichever thread commits it
  batch_ = std::make_shared<Batch>(commands);
}

std::shared_ptr<Batch> OpenBatch::close() {
  end_encoder();
  size_ = 0;
  return std::exchange(batch_, nullptr);
}

void OpenBatch::end_encoder() {
  [compute_.get() endEncoding];
  [blit_.get() endEncoding];
  compute_ = nullptr;
  blit_ = nullptr;
}

id<MTLComputeCommandEncoder> OpenBatch::compute() {
  ++size_;
  if (!compute_) {
    end_encoder();
    compute_ = Retained<id<MTLComputeCommandEncoder>>::retain(
        [batch_->commands.get() computeCommandEncoder]);
  }
  return compute_.get();
}

id<MTLBlitCommandEncoder> OpenBatch::blit() {
  ++size_;
  if (!blit_) {
    end_encoder();
    blit_ =
        Retained<id<MTLBlitCommandEncoder>>::retain([batch_->commands.get() blitCommandEncoder]);
  }
  return blit_.get();
}

id<MTLCommandBuffer> OpenBatch::commands() {
  ++size_;
  end_encoder();
  return batch_->commands.get();
}

Queue::Impl::Impl(std::shared_ptr<Device::Impl> owner)
    : device(std::move(owner)), track_(next_track_name(*device)) {
  state_.with([&](State &state) { state.queue = make_queue(); });
}

Queue::Impl::~Impl() {
  // Only a failure that nobody asked for can be left: work in flight keeps the queue alive.
  const auto failure = state_.with([](State &state) { return state.failure; });
  if (failure)
    log::error(failure->message());
}

Retained<id<MTLCommandQueue>> Queue::Impl::make_queue() const {
  // Metal waits in -commandBuffer when this many exist; wait_for_room waits earlier.
  auto queue = Retained<id<MTLCommandQueue>>::adopt(
      [device->metal.get() newCommandQueueWithMaxCommandBufferCount:2 * most_batches]);
  if (!queue)
    throw Error(ErrorKind::device, "Device \"" + device->name + "\" cannot make a command queue.");
  return queue;
}

/// Makes sure that there is an open batch of this process.
void Queue::Impl::prepare(State &state) {
  if (state.generation != fork::generation()) {
    // The parent's work. It never completes here, and its objects are in the middle of something.
    new State(std::move(state));
    state = State();
    state.queue = make_queue();
  }
  if (!state.open.is_open())
    state.open.open(state.queue.get(), device->log);
}

std::shared_ptr<Batch> Queue::Impl::close(State &state) {
  if (state.generation != fork::generation() || !state.open.is_open())
    return nullptr;
  state.in_flight.push_back(state.open.close());
  return state.in_flight.back();
}

std::shared_ptr<Batch> Queue::Impl::close_if_due(State &state) {
  const bool is_due = state.in_flight.size() < busy || state.open.size() >= most_commands;
  return is_due ? close(state) : nullptr;
}

/// Outside of the lock: it may take a while, and the batch has its place in the order already.
void Queue::Impl::commit(const std::shared_ptr<Batch> &batch) {
  if (!batch)
    return;
  const fork::Section section;
  const auto commands = batch->commands; // completion may clear the batch's own at any moment
  const auto self = shared_from_this();
  const auto kept = batch;
  [commands.get() addCompletedHandler:^(id<MTLCommandBuffer> completed) {
    const objc::AutoreleasePool pool;
    self->complete(kept, completed);
  }];
  [commands.get() commit];
}

/// On a thread of Metal's.
void Queue::Impl::complete(const std::shared_ptr<Batch> &batch, id<MTLCommandBuffer> commands) {
  auto failure = failure_of(commands);
  trace_batch(track_, *batch, commands);
  const auto next = state_.with([&](State &state) -> std::shared_ptr<Batch> {
    if (state.generation != fork::generation())
      return nullptr;
    std::erase(state.in_flight, batch);
    if (failure && !state.failure)
      state.failure = std::move(failure);
    return state.in_flight.size() < busy ? close(state) : nullptr;
  });
  batch->commands = nullptr; // or batch, command buffer and handler would own each other
  batch->completed.set_value();
  commit(next);
}

void Queue::Impl::wait_for_room() {
  const auto oldest = state_.with([](State &state) -> std::shared_ptr<Batch> {
    const bool is_full =
        state.generation == fork::generation() && state.in_flight.size() >= most_batches;
    return is_full ? state.in_flight.front() : nullptr;
  });
  if (oldest) {
    const trace::Span span("wait", "room in the queue");
    oldest->completion.wait();
  }
}

void Queue::Impl::begin_logging() {
  const objc::AutoreleasePool pool;
  // The log was enabled before the kernel was compiled, so every batch since then has it.
  commit(state_.with([&](State &state) { return state.open.logs() ? nullptr : close(state); }));
}

void Queue::Impl::synchronize() {
  const trace::Span span("wait", "synchronize");
  std::vector<std::shared_future<void>> completions;
  {
    const objc::AutoreleasePool pool;
    commit(state_.with([&](State &state) {
      const auto last = close(state);
      if (state.generation == fork::generation())
        for (const auto &batch : state.in_flight)
          completions.push_back(batch->completion);
      return last;
    }));
  }
  for (const auto &completion : completions)
    completion.wait();
  const auto failure = state_.with([](State &state) {
    // What failed in the parent of a forked process was the parent's.
    auto first = std::exchange(state.failure, std::nullopt);
    return state.generation == fork::generation() ? first : std::nullopt;
  });
  if (failure)
    failure->raise();
}

} // namespace metalcore
