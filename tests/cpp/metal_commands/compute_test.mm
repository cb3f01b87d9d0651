#include "fixture.hpp"

#include <cstring>
#include <numeric>

using namespace metal_commands;

namespace {

std::vector<float> sums(const std::vector<float> &a, const std::vector<float> &b) {
  std::vector<float> result(a.size());
  for (size_t at = 0; at < a.size(); ++at)
    result[at] = a[at] + b[at];
  return result;
}

TEST(Compute, RunsExactlyTheThreadsOfAnUnevenGrid) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    for (int round = 0; round < 20; ++round) {
      const size_t count = random_between(1, 5000);
      const auto a = random_floats(count), b = random_floats(count);
      const BufferPointer first = make_buffer(a), second = make_buffer(b);
      // One element more than threads: it must stay as it is.
      const BufferPointer sum = make_buffer((count + 1) * sizeof(float));
      static_cast<float *>([sum.get() contents])[count] = 42;
      id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
      id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
      [encoder setComputePipelineState:add.get()];
      [encoder setBuffer:first.get() offset:0 atIndex:0];
      [encoder setBuffer:second.get() offset:0 atIndex:1];
      [encoder setBuffer:sum.get() offset:0 atIndex:2];
      [encoder dispatchThreads:MTLSizeMake(count, 1, 1)
          threadsPerThreadgroup:MTLSizeMake(random_between(1, 1024), 1, 1)];
      [encoder endEncoding];
      run(commands);
      auto expected = sums(a, b);
      expected.push_back(42);
      ASSERT_EQ(contents_of<float>(sum.get()), expected);
    }
  }
}

TEST(Compute, StartsAtTheOffsetsOfItsBuffers) {
  @autoreleasepool {
    constexpr size_t count = 77;
    const auto a = random_floats(count + 10), b = random_floats(count + 20);
    const id<MTLBuffer> inputs[] = {[make_buffer(a).release() autorelease],
                                    [make_buffer(b).release() autorelease]};
    const NSUInteger offsets[] = {10 * sizeof(float), 20 * sizeof(float)};
    const BufferPointer sum = make_buffer((count + 5) * sizeof(float));
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:add.get()];
    [encoder setBuffers:inputs offsets:offsets withRange:NSMakeRange(0, 2)];
    [encoder setBuffer:sum.get() offset:0 atIndex:2];
    [encoder setBufferOffset:5 * sizeof(float) atIndex:2];
    [encoder dispatchThreadgroups:MTLSizeMake(7, 1, 1) threadsPerThreadgroup:MTLSizeMake(11, 1, 1)];
    [encoder endEncoding];
    run(commands);
    auto expected = sums({a.begin() + 10, a.end()}, {b.begin() + 20, b.end()});
    expected.insert(expected.begin(), 5, 0);
    EXPECT_EQ(contents_of<float>(sum.get()), expected);
  }
}

TEST(Compute, KeepsStateBetweenDispatchesAndCopiesBytes) {
  @autoreleasepool {
    const auto values = random_floats(333);
    const BufferPointer buffer = make_buffer(values);
    const QueuePointer queue = make_queue();
    const PipelinePointer pipeline = scale_pipeline();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline.get()];
    [encoder setBuffer:buffer.get() offset:0 atIndex:0];
    std::vector<float> expected = values;
    // Many constants, so that they fill more than one piece of memory; two dispatches of each.
    for (int round = 0; round < 1000; ++round) {
      Scale by{.factor = round % 2 ? 0.5f : 2.0f, .offset = static_cast<float>(round)};
      [encoder setBytes:&by length:sizeof by atIndex:1];
      for (int dispatch = 0; dispatch < 2; ++dispatch) {
        [encoder dispatchThreads:MTLSizeMake(values.size(), 1, 1)
            threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
        for (float &value : expected)
          value = value * by.factor + by.offset;
      }
      by = {}; // it was copied
    }
    [encoder endEncoding];
    run(commands);
    const auto result = contents_of<float>(buffer.get());
    for (size_t at = 0; at < result.size(); ++at)
      ASSERT_NEAR(result[at], expected[at], 1e-5 * std::abs(expected[at]) + 1e-3) << at;
  }
}

TEST(Compute, TakesBytesUpToTheLimit) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const PipelinePointer pipeline = scale_pipeline();
    const BufferPointer buffer = make_buffer(std::vector<float>{3});
    std::vector<uint8_t> bytes(4096);
    const Scale by{.factor = 2, .offset = 1};
    std::memcpy(bytes.data(), &by, sizeof by);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline.get()];
    [encoder setBuffer:buffer.get() offset:0 atIndex:0];
    [encoder setBytes:bytes.data() length:bytes.size() atIndex:1];
    [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    run(commands);
    EXPECT_EQ(contents_of<float>(buffer.get()), std::vector<float>{7});
  }
}

TEST(Compute, GivesEachThreadgroupItsMemory) {
  @autoreleasepool {
    constexpr size_t group_size = 48;
    const size_t groups = random_between(1, 200);
    std::vector<uint32_t> values(groups * group_size);
    for (uint32_t &value : values)
      value = static_cast<uint32_t>(random_between(0, UINT32_MAX));
    const BufferPointer input = make_buffer(values);
    const BufferPointer output = make_buffer(groups * sizeof(uint32_t));
    const QueuePointer queue = make_queue();
    const PipelinePointer pipeline = group_sum_pipeline();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder =
        [commands computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
    EXPECT_EQ([encoder dispatchType], MTLDispatchTypeConcurrent);
    [encoder setComputePipelineState:pipeline.get()];
    [encoder setBuffer:input.get() offset:0 atIndex:0];
    [encoder setBuffer:output.get() offset:0 atIndex:1];
    [encoder setThreadgroupMemoryLength:group_size * sizeof(uint32_t) atIndex:0];
    [encoder dispatchThreadgroups:MTLSizeMake(groups, 1, 1)
            threadsPerThreadgroup:MTLSizeMake(group_size, 1, 1)];
    [encoder memoryBarrierWithScope:MTLBarrierScopeBuffers];
    [encoder endEncoding];
    run(commands);
    std::vector<uint32_t> expected(groups);
    for (size_t group = 0; group < groups; ++group)
      expected[group] = std::accumulate(values.begin() + group * group_size,
                                        values.begin() + (group + 1) * group_size, 0u);
    EXPECT_EQ(contents_of<uint32_t>(output.get()), expected);
  }
}

TEST(Compute, ReadsIndirectCountsWhenTheCommandRuns) {
  @autoreleasepool {
    constexpr uint32_t groups = 3, group_size = 5;
    const auto a = random_floats(32), b = random_floats(32);
    const BufferPointer first = make_buffer(a), second = make_buffer(b);
    const BufferPointer sum = make_buffer(32 * sizeof(float));
    const BufferPointer counts = make_buffer(std::vector<uint32_t>{groups, 1, 1});
    const BufferPointer indirect = make_buffer(16);
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit copyFromBuffer:counts.get()
             sourceOffset:0
                 toBuffer:indirect.get()
        destinationOffset:4
                     size:12];
    [blit endEncoding];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:add.get()];
    [encoder setBuffer:first.get() offset:0 atIndex:0];
    [encoder setBuffer:second.get() offset:0 atIndex:1];
    [encoder setBuffer:sum.get() offset:0 atIndex:2];
    [encoder dispatchThreadgroupsWithIndirectBuffer:indirect.get()
                               indirectBufferOffset:4
                              threadsPerThreadgroup:MTLSizeMake(group_size, 1, 1)];
    [encoder endEncoding];
    run(commands);
    auto expected = sums(a, b);
    std::fill(expected.begin() + groups * group_size, expected.end(), 0.0f);
    EXPECT_EQ(contents_of<float>(sum.get()), expected);
  }
}

TEST(Compute, DoesNothingForAnEmptyGrid) {
  @autoreleasepool {
    const BufferPointer buffer = make_buffer(std::vector<float>{1, 2, 3});
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:add.get()];
    for (NSUInteger index = 0; index < 3; ++index)
      [encoder setBuffer:buffer.get() offset:0 atIndex:index];
    [encoder dispatchThreads:MTLSizeMake(0, 1, 1) threadsPerThreadgroup:MTLSizeMake(8, 1, 1)];
    [encoder dispatchThreadgroups:MTLSizeMake(4, 0, 1) threadsPerThreadgroup:MTLSizeMake(8, 1, 1)];
    [encoder endEncoding];
    run(commands);
    EXPECT_EQ(contents_of<float>(buffer.get()), (std::vector<float>{1, 2, 3}));
  }
}

TEST(Compute, AcceptsAnEmptyCommandBuffer) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    run([queue.get() commandBuffer]);
  }
}

} // namespace
