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

std::string blit_error(const std::function<void(id<MTLBlitCommandEncoder>)> &encode) {
  return error_of([&](id<MTLCommandBuffer> commands) {
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
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

TEST(Misuse, NoPipeline) {
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

TEST(Misuse, UnboundBuffer) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                bind_add(encoder);
                [encoder setBuffer:nil offset:0 atIndex:1];
                [encoder dispatchThreads:one threadsPerThreadgroup:one];
              }),
              "Buffer \"b\" at index 1 of kernel \"add\" is not bound.");
  }
}

TEST(Misuse, ThreadgroupSize) {
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

TEST(Misuse, GridTooLarge) {
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

TEST(Misuse, TooSmallForAReference) {
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

TEST(Misuse, Offset) {
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

TEST(Misuse, Index) {
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

TEST(Misuse, Bytes) {
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

TEST(Misuse, ThreadgroupMemory) {
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

TEST(Misuse, IndirectBuffer) {
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

TEST(Misuse, BlitRanges) {
  @autoreleasepool {
    const BufferPointer buffer = make_buffer(100);
    const auto copy_error = [&](NSUInteger source_offset, NSUInteger target_offset,
                                NSUInteger size) {
      return blit_error([&](id<MTLBlitCommandEncoder> encoder) {
        [encoder copyFromBuffer:buffer.get()
                   sourceOffset:source_offset
                       toBuffer:buffer.get()
              destinationOffset:target_offset
                           size:size];
      });
    };
    EXPECT_EQ(copy_error(90, 0, 11), "The source of a copy of 11 bytes from offset 90 on goes "
                                     "beyond the length (100) of its buffer.");
    EXPECT_EQ(
        copy_error(0, NSUIntegerMax, 2),
        "The destination of a copy of 2 bytes from offset 18446744073709551615 on goes beyond "
        "the length (100) of its buffer.");
    EXPECT_EQ(copy_error(0, 10, 11), "The source and the destination of a copy of 11 bytes "
                                     "overlap: they begin 10 bytes apart.");
    EXPECT_EQ(blit_error([&](id<MTLBlitCommandEncoder> encoder) {
                [encoder fillBuffer:buffer.get() range:NSMakeRange(50, 51) value:1];
              }),
              "A fill of 51 bytes from offset 50 on goes beyond the length (100) of its buffer.");
    EXPECT_EQ(blit_error([&](id<MTLBlitCommandEncoder> encoder) {
                [encoder copyFromBuffer:buffer.get()
                           sourceOffset:0
                               toBuffer:absent<id<MTLBuffer>>()
                      destinationOffset:0
                                   size:1];
              }),
              "The destination buffer of a copy is nil or not of this device.");
  }
}

TEST(Misuse, SynchronizeNeedsManagedStorage) {
  @autoreleasepool {
    EXPECT_EQ(blit_error([](id<MTLBlitCommandEncoder> encoder) {
                [encoder synchronizeResource:make_buffer(4, MTLResourceStorageModePrivate).get()];
              }),
              "The resource to synchronize has storage mode 2; only managed storage (1) has a copy "
              "to synchronize.");
  }
}

TEST(Misuse, NilFencesEventsAndResources) {
  @autoreleasepool {
    EXPECT_EQ(blit_error([](id<MTLBlitCommandEncoder> encoder) {
                [encoder updateFence:absent<id<MTLFence>>()];
              }),
              "The fence to update is nil or not of this device.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder waitForFence:absent<id<MTLFence>>()];
              }),
              "The fence to wait for is nil or not of this device.");
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder useResource:absent<id<MTLResource>>() usage:MTLResourceUsageRead];
              }),
              "A resource to use is nil or not of this device.");
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) {
                [commands encodeSignalEvent:absent<id<MTLEvent>>() value:1];
              }),
              "The event given to encodeSignalEvent:value: is nil or not of this device.");
  }
}

TEST(Misuse, OpenEncoders) {
  @autoreleasepool {
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) { [commands computeCommandEncoder]; }),
              "The command buffer was committed while one of its command encoders was open.");
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) {
                id<MTLComputeCommandEncoder> first = [commands computeCommandEncoder];
                [[commands blitCommandEncoder] endEncoding];
                [first endEncoding];
              }),
              "A blit command encoder was opened while another encoder of the command buffer was "
              "open.");
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) {
                @autoreleasepool {
                  [commands computeCommandEncoder];
                }
              }),
              "A compute command encoder was released before its encoding was ended.");
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) {
                id<MTLBlitCommandEncoder> open = [commands blitCommandEncoder];
                const auto event = Retained<id<MTLEvent>>::adopt([device() newEvent]);
                [commands encodeWaitForEvent:event.get() value:1];
                [open endEncoding];
              }),
              "The method encodeWaitForEvent:value: was called while a command encoder was open.");
  }
}

TEST(Misuse, DebugGroups) {
  @autoreleasepool {
    EXPECT_EQ(compute_error([](id<MTLComputeCommandEncoder> encoder) {
                [encoder pushDebugGroup:@"a"];
                [encoder popDebugGroup];
                [encoder popDebugGroup];
              }),
              "A debug group of a compute command encoder was popped but none was pushed.");
    EXPECT_EQ(error_of([](id<MTLCommandBuffer> commands) {
                [commands pushDebugGroup:@"a"];
                [commands popDebugGroup];
                [commands popDebugGroup];
              }),
              "A debug group of the command buffer was popped but none was pushed.");
  }
}

TEST(Misuse, OfACommandBufferRaises) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    EXPECT_EQ(reason_of(^{
                [commands waitUntilCompleted];
              }),
              "-waitUntilCompleted was called before the command buffer was committed.");
    [commands enqueue];
    EXPECT_EQ(reason_of(^{
                [commands enqueue];
              }),
              "-enqueue was called on a command buffer that was already enqueued.");
    EXPECT_EQ(reason_of(^{
                [commands addCompletedHandler:absent<MTLCommandBufferHandler>()];
              }),
              "-addCompletedHandler: was given no block.");
    run(commands);
    EXPECT_EQ(reason_of(^{
                [commands commit];
              }),
              "-commit was called on a command buffer that was already committed.");
    EXPECT_EQ(reason_of(^{
                [commands enqueue];
              }),
              "-enqueue was called on a command buffer that was already committed.");
    EXPECT_EQ(reason_of(^{
                [commands computeCommandEncoder];
              }),
              "-computeCommandEncoderWithDispatchType: was called after the command buffer was "
              "committed.");
    EXPECT_EQ(reason_of(^{
                [commands addScheduledHandler:^(id<MTLCommandBuffer>){
                }];
              }),
              "-addScheduledHandler: was called after the command buffer was committed.");
  }
}

TEST(Misuse, OfAnEndedEncoderRaises) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder endEncoding];
    EXPECT_EQ(reason_of(^{
                [encoder setBuffer:nil offset:0 atIndex:0];
              }),
              "-setBuffer:offset:atIndex: was called on a compute command encoder after its "
              "encoding was ended.");
    EXPECT_EQ(reason_of(^{
                [encoder endEncoding];
              }),
              "-endEncoding was called on a compute command encoder after its encoding was ended.");
    id<MTLBlitCommandEncoder> open = [commands blitCommandEncoder];
    [commands commit];
    EXPECT_EQ(reason_of(^{
                [open endEncoding];
              }),
              "-endEncoding was called on a blit command encoder after its command buffer was "
              "committed.");
    [commands waitUntilCompleted];
  }
}

TEST(Misuse, RunsNoCommandAndSparesTheNextCommandBuffer) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const BufferPointer buffer = make_buffer(8);
    id<MTLCommandBuffer> faulty = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [faulty blitCommandEncoder];
    [blit fillBuffer:buffer.get() range:NSMakeRange(0, 8) value:1];
    [blit fillBuffer:buffer.get() range:NSMakeRange(0, 9) value:2];
    [blit endEncoding];
    id<MTLCommandBuffer> next = [queue.get() commandBuffer];
    blit = [next blitCommandEncoder];
    [blit fillBuffer:buffer.get() range:NSMakeRange(4, 4) value:3];
    [blit endEncoding];
    [faulty commit];
    [next commit];
    [next waitUntilCompleted];
    EXPECT_EQ([faulty status], MTLCommandBufferStatusError);
    EXPECT_EQ([next status], MTLCommandBufferStatusCompleted);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), (std::vector<uint8_t>{0, 0, 0, 0, 3, 3, 3, 3}));
  }
}

} // namespace
