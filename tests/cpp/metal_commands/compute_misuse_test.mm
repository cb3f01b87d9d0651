#include "fixture.hpp"

#include <string>

using namespace metal_commands;

namespace {

const MTLSize one{1, 1, 1};

/// The error of one compute encoder that is ended.
std::string compute_error(const std::function<void(id<MTLComputeCommandEncoder>)> &encode) {
  return error_of([&](id<MTLCommandBuffer> commands) {
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    encode(encoder);
    [encoder endEncoding];
  });
}

/// Binds `length` bytes from `offset` on to every argument of "add".
void bind_add(id<MTLComputeCommandEncoder> encoder, size_t length = 256) {
  [encoder setComputePipelineState:add_pipeline().get()];
  const BufferPointer buffer = make_buffer(length);
  for (NSUInteger index = 0; index < 3; ++index)
    [encoder setBuffer:buffer.get() offset:0 atIndex:index];
}

TEST(ComputeMisuse, NoPipeline) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setComputePipelineState:absent<id<MTLComputePipelineState>>()];
              }),
              "The compute pipeline state is nil or not of this device.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder dispatchThreads:one threadsPerThreadgroup:one];
              }),
              "A kernel was dispatched before a compute pipeline state was set.");
  }
}

TEST(ComputeMisuse, UnboundBuffer) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                bind_add(encoder);
                [encoder setBuffer:nil offset:0 atIndex:1];
                [encoder dispatchThreads:one threadsPerThreadgroup:one];
              }),
              "Buffer \"b\" at index 1 of kernel \"add\" is not bound.");
  }
}

TEST(ComputeMisuse, ThreadgroupSize) {
  @autoreleasepool {
    const auto error = [](MTLSize size) {
      return compute_error([&](id<MTLComputeCommandEncoder> encoder) {
        bind_add(encoder);
        [encoder dispatchThreads:one threadsPerThreadgroup:size];
      });
    };
    EXPECT_EQ(error({2048, 1, 1}),
              "Threadgroup size (2048 x 1 x 1) is larger than the limit (1024) of kernel \"add\".");
    EXPECT_EQ(error({64, 8, 4}),
              "Threadgroup size (2048) is larger than the limit (1024) of kernel \"add\".");
    EXPECT_EQ(error({NSUIntegerMax, NSUIntegerMax, 1}),
              "Threadgroup size (18446744073709551615 x 18446744073709551615 x 1) is larger than "
              "the limit (1024) of kernel \"add\".");
    EXPECT_EQ(error({8, 0, 1}),
              "The threadgroup size (8 x 0 x 1) for kernel \"add\" has a dimension of 0 threads.");
    // The limit is the pipeline's own.
    EXPECT_EQ(compute_error([&](id<MTLComputeCommandEncoder> encoder) {
                const Scale by{};
                [encoder setComputePipelineState:scale_pipeline().get()];
                [encoder setBuffer:make_buffer(64).get() offset:0 atIndex:0];
                [encoder setBytes:&by length:sizeof by atIndex:1];
                [encoder dispatchThreadgroups:one threadsPerThreadgroup:MTLSizeMake(513, 1, 1)];
              }),
              "Threadgroup size (513 x 1 x 1) is larger than the limit (512) of kernel \"scale\".");
  }
}

TEST(ComputeMisuse, GridTooLarge) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                bind_add(encoder);
                [encoder dispatchThreads:MTLSizeMake(1, 1ull << 32, 1) threadsPerThreadgroup:one];
              }),
              "The grid (1 x 4294967296 x 1 threads) of kernel \"add\" has a dimension larger than "
              "the limit (4294967295).");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                bind_add(encoder);
                [encoder dispatchThreadgroups:MTLSizeMake(NSUIntegerMax, 1, 1)
                        threadsPerThreadgroup:MTLSizeMake(2, 1, 1)];
              }),
              "The grid (18446744073709551615 x 1 x 1 threads) of kernel \"add\" has a dimension "
              "larger than the limit (4294967295).");
  }
}

TEST(ComputeMisuse, TooSmallForAReference) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                const float factor = 1;
                [encoder setComputePipelineState:scale_pipeline().get()];
                [encoder setBuffer:make_buffer(64).get() offset:0 atIndex:0];
                [encoder setBytes:&factor length:sizeof factor atIndex:1];
                [encoder dispatchThreads:one threadsPerThreadgroup:one];
              }),
              "Buffer \"by\" at index 1 of kernel \"scale\" has 4 bytes from its offset (0) on, "
              "fewer than the size (8) of its type \"Scale\".");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                const BufferPointer buffer = make_buffer(64);
                [encoder setComputePipelineState:scale_pipeline().get()];
                [encoder setBuffer:buffer.get() offset:0 atIndex:0];
                [encoder setBuffer:buffer.get() offset:60 atIndex:1];
                [encoder dispatchThreads:one threadsPerThreadgroup:one];
              }),
              "Buffer \"by\" at index 1 of kernel \"scale\" has 4 bytes from its offset (60) on, "
              "fewer than the size (8) of its type \"Scale\".");
  }
}

TEST(ComputeMisuse, Offset) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBuffer:make_buffer(100).get() offset:101 atIndex:4];
              }),
              "The offset (101) at buffer index 4 is beyond the length (100) of the buffer.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBuffer:make_buffer(100).get() offset:0 atIndex:4];
                [encoder setBufferOffset:200 atIndex:4];
              }),
              "The offset (200) at buffer index 4 is beyond the length (100) of the buffer.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                const uint32_t bytes = 0;
                [encoder setBytes:&bytes length:sizeof bytes atIndex:3];
                [encoder setBufferOffset:0 atIndex:3];
              }),
              "An offset was set at buffer index 3, where no buffer is bound.");
    EXPECT_EQ(
        compute_error([](id<MTLComputeCommandEncoder> encoder) {
          bind_add(encoder);
          [encoder setBufferOffset:6 atIndex:2];
          [encoder dispatchThreads:one threadsPerThreadgroup:one];
        }),
        "Buffer \"sum\" at index 2 of kernel \"add\" has an offset (6) that is not a multiple "
        "of its alignment (4).");
  }
}

TEST(ComputeMisuse, Index) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBuffer:make_buffer(4).get() offset:0 atIndex:31];
              }),
              "The buffer index (31) is larger than the largest (30).");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setThreadgroupMemoryLength:16 atIndex:NSUIntegerMax];
              }),
              "The threadgroup memory index (18446744073709551615) is larger than the largest "
              "(30).");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                const id<MTLBuffer> none[1] = {nil};
                const NSUInteger offsets[1] = {0};
                [encoder setBuffers:none offsets:offsets withRange:NSMakeRange(0, 32)];
              }),
              "The number of buffers (32) is larger than the limit (31).");
  }
}

TEST(ComputeMisuse, Bytes) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                const std::vector<uint8_t> bytes(4097);
                [encoder setBytes:bytes.data() length:bytes.size() atIndex:2];
              }),
              "The length (4097) of the bytes for buffer index 2 is larger than the limit (4096); "
              "use a buffer.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setBytes:"" length:0 atIndex:2];
              }),
              "No bytes were given for buffer index 2.");
  }
}

TEST(ComputeMisuse, ThreadgroupMemory) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setThreadgroupMemoryLength:40 atIndex:0];
              }),
              "The threadgroup memory length (40) at index 0 is not a multiple of 16.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setThreadgroupMemoryLength:32784 atIndex:0];
              }),
              "The threadgroup memory length (32784) at index 0 is larger than the limit (32768).");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder setComputePipelineState:group_sum_pipeline().get()];
                const BufferPointer buffer = make_buffer(64);
                [encoder setBuffer:buffer.get() offset:0 atIndex:0];
                [encoder setBuffer:buffer.get() offset:0 atIndex:1];
                [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
              }),
              "Threadgroup memory \"scratch\" at index 0 of kernel \"group_sum\" has no length.");
  }
}

TEST(ComputeMisuse, IndirectBuffer) {
  @autoreleasepool {
    const auto error = [](size_t length, NSUInteger offset) {
      return compute_error([&](id<MTLComputeCommandEncoder> encoder) {
        bind_add(encoder);
        [encoder dispatchThreadgroupsWithIndirectBuffer:make_buffer(length).get()
                                   indirectBufferOffset:offset
                                  threadsPerThreadgroup:one];
      });
    };
    EXPECT_EQ(error(16, 8), "The indirect argument of 12 bytes from offset 8 on goes beyond the "
                            "length (16) of its buffer.");
    EXPECT_EQ(error(64, 6), "The indirect buffer offset (6) is not a multiple of 4.");
    EXPECT_EQ(error(0, 0), "The indirect buffer of a dispatch is nil or not of this device.");
  }
}

} // namespace
