#pragma once

#import <Metal/Metal.h>

#import "catch_exception.h"
#include "hostmetal/image/abi.h"
#include "hostmetal/image/reflection.hpp"
#include "objc/retained.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace metal_commands {

using metalcore::objc::Retained;
using DevicePointer = Retained<id<MTLDevice>>;
using QueuePointer = Retained<id<MTLCommandQueue>>;
using BufferPointer = Retained<id<MTLBuffer>>;
using PipelinePointer = Retained<id<MTLComputePipelineState>>;

using metalcore::test::random_between;
using metalcore::test::random_bytes;
using metalcore::test::random_source;
std::vector<float> random_floats(size_t count);

id<MTLDevice> device();
QueuePointer make_queue();
BufferPointer make_buffer(size_t size, MTLResourceOptions options = MTLResourceStorageModeShared);
BufferPointer make_buffer(const void *bytes, size_t size);
template <typename T> BufferPointer make_buffer(const std::vector<T> &values) {
  return make_buffer(values.data(), values.size() * sizeof(T));
}
template <typename T> std::vector<T> contents_of(id<MTLBuffer> buffer) {
  const T *first = static_cast<const T *>([buffer contents]);
  return std::vector<T>(first, first + [buffer length] / sizeof(T));
}

/// A pipeline of a hand-written kernel.
PipelinePointer make_pipeline(hostmetal::image::Kernel reflection, HmRowFunction code);

/// add(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
///     device float *sum [[buffer(2)]]), one element a thread.
PipelinePointer add_pipeline();

/// scale(device float *values [[buffer(0)]], constant Scale &scale [[buffer(1)]]): multiplies, then
/// adds.
struct Scale {
  float factor;
  float offset;
};
PipelinePointer scale_pipeline();

/// group_sum(device const uint *values [[buffer(0)]], device uint *sums [[buffer(1)]],
///           threadgroup uint *scratch [[threadgroup(0)]]), one sum a threadgroup; needs 4 bytes of
/// scratch a thread.
PipelinePointer group_sum_pipeline();

/// hold(): returns when release() has been called.
class Gate {
public:
  static PipelinePointer pipeline();
  static void close();
  static void open();
};

/// Nil, where the compiler would warn of a literal.
template <typename T> T absent() {
  return nil;
}

/// An encoder of its own that fills the whole buffer, or copies all of `from`.
void encode_fill(id<MTLCommandBuffer> commands, id<MTLBuffer> buffer, uint8_t value);
void encode_copy(id<MTLCommandBuffer> commands, id<MTLBuffer> from, id<MTLBuffer> to);

/// Commits and waits; nothing may go wrong.
void run(id<MTLCommandBuffer> commands);
/// Encodes into a new command buffer of a new queue, runs it, and hands out the sentence that says
/// what was wrong with it.
std::string error_of(const std::function<void(id<MTLCommandBuffer>)> &encode);
/// The reason of the exception that the block raises; empty when it raises none.
std::string reason_of(void (^block)(void));

} // namespace metal_commands
