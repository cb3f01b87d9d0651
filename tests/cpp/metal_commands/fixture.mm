#include "fixture.hpp"

#import "hostmetal/api/device.h"
#import "hostmetal/api/pipeline.h"

#include <condition_variable>
#include <iostream>
#include <mutex>

using hostmetal::image::Access;
using hostmetal::image::Argument;
using hostmetal::image::ArgumentKind;

/// A pipeline whose kernel did not come out of a library.
@interface HandWrittenPipeline : HMComputePipelineState {
@private
  std::shared_ptr<const hostmetal::Kernel> _handWritten;
}
- (instancetype)initWithKernel:(std::shared_ptr<const hostmetal::Kernel>)kernel;
@end

@implementation HandWrittenPipeline

- (instancetype)initWithKernel:(std::shared_ptr<const hostmetal::Kernel>)kernel {
  if ((self = [super init]))
    _handWritten = std::move(kernel);
  return self;
}

- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel {
  return _handWritten;
}

- (const hostmetal::image::Kernel &)hm_reflection {
  return _handWritten->reflection();
}

- (NSUInteger)maxTotalThreadsPerThreadgroup {
  return _handWritten->reflection().max_total_threads_per_threadgroup;
}

@end

namespace metal_commands {

std::vector<float> random_floats(size_t count) {
  std::uniform_real_distribution<float> distribution(-1000, 1000);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random_source());
  return values;
}

id<MTLDevice> device() { return [HMDevice hm_device]; }

QueuePointer make_queue() { return QueuePointer::adopt([device() newCommandQueue]); }

BufferPointer make_buffer(size_t size, MTLResourceOptions options) {
  return BufferPointer::adopt([device() newBufferWithLength:size options:options]);
}

BufferPointer make_buffer(const void *bytes, size_t size) {
  return BufferPointer::adopt([device() newBufferWithBytes:bytes
                                                    length:size
                                                   options:MTLResourceStorageModeShared]);
}

PipelinePointer make_pipeline(hostmetal::image::Kernel reflection, HmRowFunction code) {
  auto kernel = [[HMDevice hm_device] hm_executor]->load(std::move(reflection),
                                                         HmKernelCode{code, nullptr}, nullptr);
  return PipelinePointer::adopt([[HandWrittenPipeline alloc] initWithKernel:std::move(kernel)]);
}

namespace {

Argument buffer_argument(std::string name, uint32_t index, Access access, std::string type,
                         MTLDataType data_type) {
  Argument argument;
  argument.name = std::move(name);
  argument.access = access;
  argument.index = index;
  argument.type_name = std::move(type);
  argument.data_type = static_cast<hostmetal::image::DataType>(data_type);
  argument.type_size = 4;
  argument.type_alignment = 4;
  return argument;
}

hostmetal::image::Kernel named_kernel(std::string name) {
  hostmetal::image::Kernel kernel;
  kernel.name = std::move(name);
  return kernel;
}

template <typename T> T *argument(const HmGroup *group, size_t slot) {
  return static_cast<T *>(group->grid->arguments[slot]);
}

/// Calls with the position in the grid of each thread of the group, along x.
template <typename Body> void for_each_thread(const HmGroup *group, Body body) {
  for (uint32_t x = 0; x < group->size[0]; ++x)
    body(group->origin[0] + x);
}

void add(const HmGroup *group, uint32_t, uint32_t) {
  for_each_thread(group, [&](uint32_t x) {
    argument<float>(group, 2)[x] = argument<float>(group, 0)[x] + argument<float>(group, 1)[x];
  });
}

void scale(const HmGroup *group, uint32_t, uint32_t) {
  const Scale by = *argument<Scale>(group, 1);
  for_each_thread(group, [&](uint32_t x) {
    float &value = argument<float>(group, 0)[x];
    value = value * by.factor + by.offset;
  });
}

void group_sum(const HmGroup *group, uint32_t, uint32_t) {
  auto *scratch = reinterpret_cast<uint32_t *>(
      group->threadgroup_memory + reinterpret_cast<uintptr_t>(group->grid->arguments[2]));
  for_each_thread(
      group, [&](uint32_t x) { scratch[x - group->origin[0]] = argument<uint32_t>(group, 0)[x]; });
  uint32_t sum = 0;
  for (uint32_t x = 0; x < group->size[0]; ++x)
    sum += scratch[x];
  argument<uint32_t>(group, 1)[group->position[0]] = sum;
}

std::mutex gate_mutex;
std::condition_variable gate_changed;
bool gate_is_open = true;

void pass_gate(const HmGroup *, uint32_t, uint32_t) {
  std::unique_lock lock(gate_mutex);
  gate_changed.wait(lock, [] { return gate_is_open; });
}

void set_gate(bool is_open) {
  std::lock_guard lock(gate_mutex);
  gate_is_open = is_open;
  gate_changed.notify_all();
}

} // namespace

PipelinePointer add_pipeline() {
  hostmetal::image::Kernel kernel = named_kernel("add");
  kernel.arguments = {
      buffer_argument("a", 0, Access::read_only, "float", MTLDataTypeFloat),
      buffer_argument("b", 1, Access::read_only, "float", MTLDataTypeFloat),
      buffer_argument("sum", 2, Access::write_only, "float", MTLDataTypeFloat),
  };
  return make_pipeline(std::move(kernel), add);
}

PipelinePointer scale_pipeline() {
  hostmetal::image::Kernel kernel = named_kernel("scale");
  kernel.max_total_threads_per_threadgroup = 512;
  Argument by = buffer_argument("by", 1, Access::read_only, "Scale", MTLDataTypeStruct);
  by.type_size = sizeof(Scale);
  by.is_constant = true;
  by.is_reference = true;
  kernel.arguments = {buffer_argument("values", 0, Access::read_write, "float", MTLDataTypeFloat),
                      std::move(by)};
  return make_pipeline(std::move(kernel), scale);
}

PipelinePointer group_sum_pipeline() {
  hostmetal::image::Kernel kernel = named_kernel("group_sum");
  Argument scratch = buffer_argument("scratch", 0, Access::read_write, "uint", MTLDataTypeUInt);
  scratch.kind = ArgumentKind::threadgroup_memory;
  kernel.arguments = {buffer_argument("values", 0, Access::read_only, "uint", MTLDataTypeUInt),
                      buffer_argument("sums", 1, Access::write_only, "uint", MTLDataTypeUInt),
                      std::move(scratch)};
  return make_pipeline(std::move(kernel), group_sum);
}

PipelinePointer Gate::pipeline() { return make_pipeline(named_kernel("gate"), pass_gate); }
void Gate::close() { set_gate(false); }
void Gate::open() { set_gate(true); }

void encode_fill(id<MTLCommandBuffer> commands, id<MTLBuffer> buffer, uint8_t value) {
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit fillBuffer:buffer range:NSMakeRange(0, [buffer length]) value:value];
  [blit endEncoding];
}

void encode_copy(id<MTLCommandBuffer> commands, id<MTLBuffer> from, id<MTLBuffer> to) {
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit copyFromBuffer:from sourceOffset:0 toBuffer:to destinationOffset:0 size:[from length]];
  [blit endEncoding];
}

void run(id<MTLCommandBuffer> commands) {
  [commands commit];
  [commands waitUntilCompleted];
  ASSERT_EQ([commands status], MTLCommandBufferStatusCompleted)
      << [[[commands error] localizedDescription] UTF8String];
  ASSERT_EQ([commands error], nil);
}

std::string error_of(const std::function<void(id<MTLCommandBuffer>)> &encode) {
  const QueuePointer queue = make_queue();
  id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
  encode(commands);
  [commands commit];
  [commands waitUntilCompleted];
  EXPECT_EQ([commands status], MTLCommandBufferStatusError);
  NSError *const error = [commands error];
  if (!error)
    return "";
  EXPECT_TRUE([[error domain] isEqual:MTLCommandBufferErrorDomain]);
  EXPECT_EQ([error code], MTLCommandBufferErrorInvalidResource);
  return [[error localizedDescription] UTF8String];
}

std::string reason_of(void (^block)(void)) {
  NSString *const reason = reason_of_exception(block);
  return reason ? [reason UTF8String] : "";
}

} // namespace metal_commands
