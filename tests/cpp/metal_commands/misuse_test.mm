#include "fixture.hpp"

#include <string>

using namespace metal_commands;

namespace {

/// The error of one compute encoder that is ended.
std::string compute_error(const std::function<void(id<MTLComputeCommandEncoder>)> &encode) {
  return error_of([&](id<MTLCommandBuffer> commands) {
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    encode(encoder);
    [encoder endEncoding];
  });
}

/// The error of one blit encoder that is ended.
std::string blit_error(const std::function<void(id<MTLBlitCommandEncoder>)> &encode) {
  return error_of([&](id<MTLCommandBuffer> commands) {
    id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
    encode(encoder);
    [encoder endEncoding];
  });
}

TEST(BlitMisuse, Ranges) {
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

TEST(BlitMisuse, SynchronizeNeedsManagedStorage) {
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
