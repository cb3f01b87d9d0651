#import "hostmetal/api/compute_encoder.h"

#import "hostmetal/api/buffer.h"
#import "hostmetal/api/function_table.h"
#include "hostmetal/api/own_class.hpp"
#import "hostmetal/api/pipeline.h"
#import "hostmetal/api/sampler.h"
#import "hostmetal/api/texture.h"
#include "hostmetal/api/validation.hpp"

#include <algorithm>
#include <optional>

using hostmetal::Dispatch;
using hostmetal::DispatchIndirect;
using hostmetal::Size3;
using hostmetal::api::BufferBinding;
using hostmetal::api::ComputeBindings;
using hostmetal::api::EncoderTarget;
using hostmetal::api::Extent;
using hostmetal::api::own;
using hostmetal::api::Problem;
using hostmetal::api::TextureBinding;

namespace {

Extent extent(MTLSize size) { return {size.width, size.height, size.depth}; }

/// Of an extent that has been checked.
Size3 size3(const Extent &extent) {
  return {static_cast<uint32_t>(extent[0]), static_cast<uint32_t>(extent[1]),
          static_cast<uint32_t>(extent[2])};
}

/// Groups times their size; the largest value where that is too large to be counted.
Extent all_threads(const Extent &groups, const Extent &size) {
  Extent threads;
  for (size_t axis = 0; axis < threads.size(); ++axis)
    if (__builtin_mul_overflow(groups[axis], size[axis], &threads[axis]))
      threads[axis] = UINT64_MAX;
  return threads;
}

} // namespace

@implementation HMComputeCommandEncoder

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording
                  dispatchType:(MTLDispatchType)dispatchType {
  if ((self = [super initWithDevice:device recording:std::move(recording) kind:"compute"]))
    _dispatchType = dispatchType;
  return self;
}

- (MTLDispatchType)dispatchType {
  return _dispatchType;
}

- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  _pipeline = own<HMComputePipelineState>(state);
  if (!_pipeline)
    return target.fail("The compute pipeline state is nil or not of this device.");
  target.recording.keep(_pipeline);
}

#pragma mark Binding

- (void)hm_bind:(id<MTLBuffer>)buffer
         offset:(NSUInteger)offset
        atIndex:(NSUInteger)index
             to:(const EncoderTarget &)target {
  if (Problem problem = hostmetal::api::check_index("buffer", index))
    return target.fail(std::move(*problem));
  BufferBinding &binding = _bindings.buffers[index];
  binding = {};
  if (!buffer)
    return;
  HMBuffer *const bound = own<HMBuffer>(buffer);
  if (!bound)
    return target.fail("The buffer for index " + std::to_string(index) + " is not of this device.");
  if (Problem problem = hostmetal::api::check_offset(index, offset, [bound length]))
    return target.fail(std::move(*problem));
  target.recording.keep(bound);
  binding = {.address = [bound hm_address], .length = [bound length], .offset = offset};
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  [self hm_bind:buffer offset:offset atIndex:index to:[self hm_targetFor:_cmd]];
}

- (void)setBuffers:(const id<MTLBuffer> *)buffers
           offsets:(const NSUInteger *)offsets
         withRange:(NSRange)range {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (range.length == 0)
    return;
  // The last index first: nothing is read of arrays that cannot all be bound.
  if (range.length > hostmetal::api::max_bindings)
    return target.fail("The number of buffers (" + std::to_string(range.length) +
                       ") is larger than the limit (" +
                       std::to_string(hostmetal::api::max_bindings) + ").");
  if (!buffers || !offsets)
    return target.fail("The buffers or the offsets for " + std::to_string(range.length) +
                       " indices are null.");
  for (NSUInteger at = 0; at < range.length; ++at)
    [self hm_bind:buffers[at] offset:offsets[at] atIndex:range.location + at to:target];
}

- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_index("buffer", index))
    return target.fail(std::move(*problem));
  BufferBinding &binding = _bindings.buffers[index];
  if (!binding.address || binding.is_bytes || binding.table_kernel)
    return target.fail("An offset was set at buffer index " + std::to_string(index) +
                       ", where no buffer is bound.");
  if (Problem problem = hostmetal::api::check_offset(index, offset, binding.length))
    return target.fail(std::move(*problem));
  binding.offset = offset;
}

- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_index("buffer", index))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_bytes(index, bytes, length))
    return target.fail(std::move(*problem));
  _bindings.buffers[index] = {
      .address = static_cast<uint8_t *>(target.recording.copy_bytes(bytes, length)),
      .length = length,
      .is_bytes = true};
}

- (void)hm_bindTable:(id<MTLVisibleFunctionTable>)table
             atIndex:(NSUInteger)index
                  to:(const EncoderTarget &)target {
  if (Problem problem = hostmetal::api::check_index("buffer", index))
    return target.fail(std::move(*problem));
  BufferBinding &binding = _bindings.buffers[index];
  binding = {};
  if (!table)
    return;
  HMVisibleFunctionTable *const bound = own<HMVisibleFunctionTable>(table);
  if (!bound)
    return target.fail("The function table for index " + std::to_string(index) +
                       " is not of this device.");
  target.recording.keep(bound);
  binding = {.address = reinterpret_cast<uint8_t *>([bound hm_table]),
             .length = [bound allocatedSize],
             .table_kernel = [bound hm_kernel].get()};
}

- (void)setVisibleFunctionTable:(id<MTLVisibleFunctionTable>)visibleFunctionTable
                  atBufferIndex:(NSUInteger)bufferIndex {
  [self hm_bindTable:visibleFunctionTable atIndex:bufferIndex to:[self hm_targetFor:_cmd]];
}

- (void)setVisibleFunctionTables:(const id<MTLVisibleFunctionTable> *)visibleFunctionTables
                 withBufferRange:(NSRange)range {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_array("function tables", visibleFunctionTables,
                                                    range.length, hostmetal::api::max_bindings))
    return target.fail(std::move(*problem));
  for (NSUInteger at = 0; at < range.length; ++at)
    [self hm_bindTable:visibleFunctionTables[at] atIndex:range.location + at to:target];
}

- (void)hm_bindTexture:(id<MTLTexture>)texture
               atIndex:(NSUInteger)index
                    to:(const EncoderTarget &)target {
  if (Problem problem = hostmetal::api::check_index("texture", index, hostmetal::api::max_textures))
    return target.fail(std::move(*problem));
  TextureBinding &binding = _bindings.textures[index];
  binding = {};
  if (!texture)
    return;
  HMTexture *const bound = own<HMTexture>(texture);
  if (!bound)
    return target.fail("The texture for index " + std::to_string(index) +
                       " is not of this device.");
  target.recording.keep(bound);
  binding = {.texture = &[bound hm_texture],
             .format = &[bound hm_format],
             .type = static_cast<uint32_t>([bound textureType]),
             .usage = [bound usage]};
}

- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index {
  [self hm_bindTexture:texture atIndex:index to:[self hm_targetFor:_cmd]];
}

- (void)setTextures:(const id<MTLTexture> *)textures withRange:(NSRange)range {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_array("textures", textures, range.length,
                                                    hostmetal::api::max_textures))
    return target.fail(std::move(*problem));
  for (NSUInteger at = 0; at < range.length; ++at)
    [self hm_bindTexture:textures[at] atIndex:range.location + at to:target];
}

/// `clamp` is null where the sampler's own limits stay.
- (void)hm_bindSampler:(id<MTLSamplerState>)sampler
              lodClamp:(const std::pair<float, float> *)clamp
               atIndex:(NSUInteger)index
                    to:(const EncoderTarget &)target {
  if (Problem problem = hostmetal::api::check_index("sampler", index, hostmetal::api::max_samplers))
    return target.fail(std::move(*problem));
  _bindings.samplers[index] = 0;
  if (!sampler)
    return;
  HMSamplerState *const bound = own<HMSamplerState>(sampler);
  if (!bound)
    return target.fail("The sampler for index " + std::to_string(index) +
                       " is not of this device.");
  const uint64_t word = [bound hm_word];
  _bindings.samplers[index] =
      clamp ? hostmetal::api::with_lod_clamp(word, clamp->first, clamp->second) : word;
}

- (void)setSamplerState:(id<MTLSamplerState>)sampler atIndex:(NSUInteger)index {
  [self hm_bindSampler:sampler lodClamp:nullptr atIndex:index to:[self hm_targetFor:_cmd]];
}

- (void)setSamplerState:(id<MTLSamplerState>)sampler
            lodMinClamp:(float)lodMinClamp
            lodMaxClamp:(float)lodMaxClamp
                atIndex:(NSUInteger)index {
  const std::pair<float, float> clamp(lodMinClamp, lodMaxClamp);
  [self hm_bindSampler:sampler lodClamp:&clamp atIndex:index to:[self hm_targetFor:_cmd]];
}

- (void)setSamplerStates:(const id<MTLSamplerState> *)samplers withRange:(NSRange)range {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_array("samplers", samplers, range.length,
                                                    hostmetal::api::max_samplers))
    return target.fail(std::move(*problem));
  for (NSUInteger at = 0; at < range.length; ++at)
    [self hm_bindSampler:samplers[at] lodClamp:nullptr atIndex:range.location + at to:target];
}

- (void)setSamplerStates:(const id<MTLSamplerState> *)samplers
            lodMinClamps:(const float *)lodMinClamps
            lodMaxClamps:(const float *)lodMaxClamps
               withRange:(NSRange)range {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  for (const void *array :
       {static_cast<const void *>(samplers), static_cast<const void *>(lodMinClamps),
        static_cast<const void *>(lodMaxClamps)})
    if (Problem problem = hostmetal::api::check_array("samplers", array, range.length,
                                                      hostmetal::api::max_samplers))
      return target.fail(std::move(*problem));
  for (NSUInteger at = 0; at < range.length; ++at) {
    const std::pair<float, float> clamp(lodMinClamps[at], lodMaxClamps[at]);
    [self hm_bindSampler:samplers[at] lodClamp:&clamp atIndex:range.location + at to:target];
  }
}

- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  if (Problem problem = hostmetal::api::check_index("threadgroup memory", index))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_threadgroup_length(index, length))
    return target.fail(std::move(*problem));
  _bindings.threadgroup_lengths[index] = static_cast<uint32_t>(length);
}

#pragma mark Dispatching

/// A dispatch of what is bound, its grid still open; empty, and a fault, when something is wrong.
- (std::optional<Dispatch>)hm_dispatchWithThreadgroup:(const Extent &)size
                                                   to:(const EncoderTarget &)target {
  if (!_pipeline) {
    target.fail("A kernel was dispatched before a compute pipeline state was set.");
    return std::nullopt;
  }
  const hostmetal::image::Kernel &reflection = [_pipeline hm_reflection];
  Problem problem = hostmetal::api::check_threadgroup_size(
      reflection, size, [_pipeline maxTotalThreadsPerThreadgroup]);
  if (!problem)
    problem = hostmetal::api::check_arguments(reflection, _bindings);
  if (!problem)
    problem =
        hostmetal::api::check_function_tables(reflection, _bindings, [_pipeline hm_kernel].get());
  if (problem) {
    target.fail(std::move(*problem));
    return std::nullopt;
  }
  Dispatch dispatch;
  dispatch.kernel = [_pipeline hm_kernel];
  dispatch.threads_per_threadgroup = size3(size);
  dispatch.log = target.recording.log();
  capture_arguments(_bindings, dispatch);
  return dispatch;
}

- (void)hm_dispatch:(const Extent &)threads
        threadgroup:(const Extent &)size
                 to:(const EncoderTarget &)target {
  std::optional<Dispatch> dispatch = [self hm_dispatchWithThreadgroup:size to:target];
  if (!dispatch)
    return;
  if (Problem problem = hostmetal::api::check_grid([_pipeline hm_reflection], threads))
    return target.fail(std::move(*problem));
  // An empty grid is no mistake: there is nothing to do.
  if (std::ranges::find(threads, 0u) != threads.end())
    return;
  dispatch->threads_per_grid = size3(threads);
  target.recording.add(std::move(*dispatch));
}

- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid
       threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  const Extent size = extent(threadsPerThreadgroup);
  [self hm_dispatch:all_threads(extent(threadgroupsPerGrid), size)
        threadgroup:size
                 to:[self hm_targetFor:_cmd]];
}

- (void)dispatchThreads:(MTLSize)threadsPerGrid
    threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  [self hm_dispatch:extent(threadsPerGrid)
        threadgroup:extent(threadsPerThreadgroup)
                 to:[self hm_targetFor:_cmd]];
}

- (void)dispatchThreadgroupsWithIndirectBuffer:(id<MTLBuffer>)indirectBuffer
                          indirectBufferOffset:(NSUInteger)indirectBufferOffset
                         threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMBuffer *const indirect = own<HMBuffer>(indirectBuffer);
  if (!indirect)
    return target.fail("The indirect buffer of a dispatch is nil or not of this device.");
  if (Problem problem = hostmetal::api::check_range(
          "The indirect argument", indirectBufferOffset,
          sizeof(MTLDispatchThreadgroupsIndirectArguments), [indirect length]))
    return target.fail(std::move(*problem));
  if (indirectBufferOffset % 4 != 0)
    return target.fail("The indirect buffer offset (" + std::to_string(indirectBufferOffset) +
                       ") is not a multiple of 4.");
  std::optional<Dispatch> dispatch = [self hm_dispatchWithThreadgroup:extent(threadsPerThreadgroup)
                                                                   to:target];
  if (!dispatch)
    return;
  target.recording.keep(indirect);
  target.recording.add(
      DispatchIndirect{std::move(*dispatch), [indirect hm_address] + indirectBufferOffset});
}

#pragma mark Resources and barriers

- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  [self useResources:&resource count:1 usage:usage];
}

- (void)useResources:(const id<MTLResource> *)resources
               count:(NSUInteger)count
               usage:(MTLResourceUsage)usage {
  (void)usage;
  const EncoderTarget target = [self hm_targetFor:_cmd];
  for (NSUInteger at = 0; at < count; ++at) {
    HMResource *const resource = own<HMResource>(resources[at]);
    if (!resource)
      return target.fail("A resource to use is nil or not of this device.");
    target.recording.keep(resource);
  }
}

// Dispatches run one after the other and each sees the writes of those before it, so a barrier has
// nothing to add.

- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
  (void)scope;
  [self hm_targetFor:_cmd];
}

- (void)memoryBarrierWithResources:(const id<MTLResource> *)resources count:(NSUInteger)count {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  for (NSUInteger at = 0; at < count; ++at)
    if (!own<HMResource>(resources[at]))
      return target.fail("A resource of a memory barrier is nil or not of this device.");
}

@end
