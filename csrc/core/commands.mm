#include "core/buffer_impl.hpp"
#include "core/event_impl.hpp"
#include "core/group_size.hpp"
#include "core/launch_check.hpp"
#include "core/pipeline_impl.hpp"
#include "core/platform.hpp"
#include "core/queue_impl.hpp"
#include "metalcore/error.hpp"

#include <exception>
#include <stdexcept>

// What a queue can be told to do: each call checks its arguments, then appends one command.

namespace metalcore {

namespace {

LaunchValue value_of(const LaunchArgument &argument) {
  if (const auto *binding = std::get_if<BufferBinding>(&argument))
    return {LaunchValue::Kind::buffer, binding->buffer.length(), binding->offset};
  if (const auto *bytes = std::get_if<Bytes>(&argument))
    return {LaunchValue::Kind::bytes, bytes->data.size(), 0};
  return {LaunchValue::Kind::threadgroup_memory, std::get<ThreadgroupMemory>(argument).length, 0};
}

void check_device(const Queue::Impl &queue, const std::shared_ptr<Device::Impl> &device,
                  const char *what) {
  if (device != queue.device)
    throw std::invalid_argument(std::string(what) + " belongs to device \"" + device->name +
                                "\", but the queue to \"" + queue.device->name + "\".");
}

void bind(id<MTLComputeCommandEncoder> encoder, const LaunchArgument &argument, std::size_t index) {
  if (const auto *binding = std::get_if<BufferBinding>(&argument)) {
    const Buffer::Impl &buffer = *binding->buffer.impl();
    // Metal wants an offset inside of the buffer, which the end of it is not.
    const bool is_empty = binding->offset >= buffer.length;
    [encoder setBuffer:is_empty ? buffer.device->nothing.get() : buffer.metal.get()
                offset:is_empty ? 0 : binding->offset
               atIndex:index];
  } else if (const auto *bytes = std::get_if<Bytes>(&argument)) {
    [encoder setBytes:bytes->data.data() length:bytes->data.size() atIndex:index];
  } else {
    [encoder setThreadgroupMemoryLength:rounded_threadgroup_memory(
                                            std::get<ThreadgroupMemory>(argument).length)
                                atIndex:index];
  }
}

MTLSize metal_size(const Size3 &size) { return MTLSizeMake(size[0], size[1], size[2]); }

} // namespace

Queue Queue::default_queue(const Device &device) {
  platform::check_process();
  const auto &impl = device.impl();
  return Queue(impl->first_queue.get("default", [&] { return impl->make_queue(); }));
}

void Queue::launch(const Pipeline &pipeline, std::span<const LaunchArgument> arguments,
                   const Grid &grid) const {
  platform::check_process();
  const Pipeline::Impl &kernel = *pipeline.impl();
  const trace::Span span("launch", kernel.name);
  check_device(*impl_, kernel.device, "The pipeline");
  std::vector<LaunchValue> values;
  values.reserve(arguments.size());
  for (const LaunchArgument &argument : arguments) {
    if (const auto *binding = std::get_if<BufferBinding>(&argument))
      check_device(*impl_, binding->buffer.impl()->device, "A buffer");
    values.push_back(value_of(argument));
  }
  const Size3 group = grid.group_size ? *grid.group_size
                                      : choose_group_size(grid.threads, kernel.width,
                                                          kernel.limits.max_total_threads);
  check_launch(kernel.limits, values, grid.threads, group);
  if (grid.threads[0] == 0 || grid.threads[1] == 0 || grid.threads[2] == 0)
    return;
  if (kernel.logs)
    impl_->begin_logging();
  impl_->append([&](OpenBatch &batch) {
    batch.note(kernel.name);
    id<MTLComputeCommandEncoder> encoder = batch.compute();
    [encoder setComputePipelineState:kernel.metal.get()];
    for (std::size_t i = 0; i < arguments.size(); ++i)
      bind(encoder, arguments[i], kernel.arguments[i].index);
    [encoder dispatchThreads:metal_size(grid.threads) threadsPerThreadgroup:metal_size(group)];
  });
}

void Queue::copy(const BufferBinding &destination, const BufferBinding &source,
                 std::size_t length) const {
  platform::check_process();
  const Buffer::Impl &to = *destination.buffer.impl();
  const Buffer::Impl &from = *source.buffer.impl();
  check_device(*impl_, to.device, "The destination of a copy");
  check_device(*impl_, from.device, "The source of a copy");
  check_range("The source of a copy", source.offset, length, from.length);
  check_range("The destination of a copy", destination.offset, length, to.length);
  if (&to == &from && source.offset < destination.offset + length &&
      destination.offset < source.offset + length)
    throw std::invalid_argument("The source (from offset " + std::to_string(source.offset) +
                                " on) and the destination (from offset " +
                                std::to_string(destination.offset) + " on) of a copy of " +
                                std::to_string(length) + " bytes overlap.");
  if (length == 0)
    return;
  const trace::Span span("launch", "copy");
  impl_->append([&](OpenBatch &batch) {
    batch.note("copy");
    [batch.blit() copyFromBuffer:from.metal.get()
                    sourceOffset:source.offset
                        toBuffer:to.metal.get()
               destinationOffset:destination.offset
                            size:length];
  });
}

void Queue::fill(const BufferBinding &destination, std::size_t length, uint8_t value) const {
  platform::check_process();
  const Buffer::Impl &to = *destination.buffer.impl();
  check_device(*impl_, to.device, "The destination of a fill");
  check_range("The destination of a fill", destination.offset, length, to.length);
  if (length == 0)
    return;
  const trace::Span span("launch", "fill");
  impl_->append([&](OpenBatch &batch) {
    batch.note("fill");
    [batch.blit() fillBuffer:to.metal.get()
                       range:NSMakeRange(destination.offset, length)
                       value:value];
  });
}

void Queue::signal(const Event &event, uint64_t value) const {
  platform::check_process();
  check_device(*impl_, event.impl()->device, "The event");
  impl_->append([&](OpenBatch &batch) {
    batch.note("signal");
    [batch.commands() encodeSignalEvent:event.impl()->metal.get() value:value];
  });
}

void Queue::wait(const Event &event, uint64_t value) const {
  platform::check_process();
  check_device(*impl_, event.impl()->device, "The event");
  impl_->append([&](OpenBatch &batch) {
    batch.note("wait for event");
    [batch.commands() encodeWaitForEvent:event.impl()->metal.get() value:value];
  });
}

void Queue::synchronize() const {
  platform::check_process();
  impl_->synchronize();
}

Device Queue::device() const { return Device(impl_->device); }

void synchronize() {
  platform::check_process();
  std::exception_ptr first;
  for (const auto &device : open_devices()) {
    const auto queues = device->queues.with([](const auto &known) {
      std::vector<std::shared_ptr<Queue::Impl>> alive;
      for (const auto &entry : known)
        if (auto queue = entry.lock())
          alive.push_back(std::move(queue));
      return alive;
    });
    for (const auto &queue : queues) {
      try {
        queue->synchronize();
      } catch (...) {
        if (!first)
          first = std::current_exception();
      }
    }
  }
  if (first)
    std::rethrow_exception(first);
}

} // namespace metalcore
