// Foundation hides its allocation counters from release builds, though it has them.
#undef NDEBUG
#include "fixture.hpp"

#import <Foundation/NSDebug.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <unistd.h>

using namespace metal_commands;

namespace {

/// Live objects of the classes that command buffers make.
std::vector<int> live_objects() {
  std::vector<int> counts;
  @autoreleasepool {
    for (NSString *name in @[
           @"HMCommandBuffer", @"HMComputeCommandEncoder", @"HMBlitCommandEncoder", @"HMBuffer",
           @"HMCommandQueue", @"HMEvent", @"HMSharedEvent", @"HMFence", @"HandWrittenPipeline",
           @"HMDispatchQueue"
         ])
      counts.push_back(GSDebugAllocationCount(NSClassFromString(name)));
  }
  return counts;
}

/// Whether the live objects come down to `expected`; the last callbacks may be on their way.
testing::AssertionResult settles_at(const std::vector<int> &expected) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (live_objects() != expected) {
    if (std::chrono::steady_clock::now() > deadline)
      return testing::AssertionFailure() << testing::PrintToString(live_objects()) << " instead of "
                                         << testing::PrintToString(expected);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return testing::AssertionSuccess();
}

TEST(Lifetime, TenThousandCommandBuffersLeaveNothingBehind) {
  @autoreleasepool {
    [device() name];
    GSDebugAllocationActive(YES);
  }
  const std::vector<int> before = live_objects();
  std::atomic<int> handled = 0;
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    const PipelinePointer scale = scale_pipeline();
    const auto event = Retained<id<MTLSharedEvent>>::adopt([device() newSharedEvent]);
    const auto fence = Retained<id<MTLFence>>::adopt([device() newFence]);
    std::atomic<int> *const count = &handled;
    for (int number = 1; number <= 10'000; ++number) {
      @autoreleasepool {
        const BufferPointer buffer = make_buffer(64);
        id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
        id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
        [encoder setComputePipelineState:add.get()];
        for (NSUInteger index = 0; index < 3; ++index)
          [encoder setBuffer:buffer.get() offset:0 atIndex:index];
        [encoder dispatchThreads:MTLSizeMake(16, 1, 1) threadsPerThreadgroup:MTLSizeMake(16, 1, 1)];
        const Scale by{};
        [encoder setComputePipelineState:scale.get()];
        [encoder setBytes:&by length:sizeof by atIndex:1];
        [encoder dispatchThreads:MTLSizeMake(16, 1, 1) threadsPerThreadgroup:MTLSizeMake(16, 1, 1)];
        [encoder updateFence:fence.get()];
        [encoder endEncoding];
        [commands encodeSignalEvent:event.get() value:number];
        if (number % 3 == 0)
          [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
            ++*count;
          }];
        if (number % 7 == 0)
          [[commands blitCommandEncoder] fillBuffer:absent<id<MTLBuffer>>()
                                              range:NSMakeRange(0, 0)
                                              value:0]; // faulty, and never ended
        if (number % 11 != 0)                           // some are never committed
          [commands commit];
      }
    }
  }
  EXPECT_TRUE(settles_at(before));
  EXPECT_EQ(handled, 10'000 / 3 - 10'000 / 33);
  GSDebugAllocationActive(NO);
}

TEST(Lifetime, ACommandBufferKeepsWhatItUsesUntilItIsDone) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const auto event = Retained<id<MTLSharedEvent>>::adopt([device() newSharedEvent]);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *const memory = std::aligned_alloc(page, page);
    std::atomic<bool> is_freed = false;
    std::atomic<bool> *const freed = &is_freed;
    id<MTLCommandBuffer> commands = nil;
    @autoreleasepool {
      const BufferPointer buffer = BufferPointer::adopt([device()
          newBufferWithBytesNoCopy:memory
                            length:page
                           options:MTLResourceStorageModeShared
                       deallocator:^(void *pointer, NSUInteger) {
                         EXPECT_EQ(static_cast<uint8_t *>(pointer)[0], 77);
                         std::free(pointer);
                         *freed = true;
                       }]);
      commands = [[queue.get() commandBuffer] retain];
      [commands encodeWaitForEvent:event.get() value:1];
      id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
      [blit fillBuffer:buffer.get() range:NSMakeRange(0, page) value:77];
      [blit endEncoding];
      [commands commit];
    }
    EXPECT_FALSE(is_freed);
    [event.get() setSignaledValue:1];
    [commands waitUntilCompleted];
    EXPECT_TRUE(is_freed);
    [commands release];
  }
}

TEST(Lifetime, AQueueMayGoWithWorkUnderWay) {
  @autoreleasepool {
    const BufferPointer buffer = make_buffer(1000);
    const auto event = Retained<id<MTLSharedEvent>>::adopt([device() newSharedEvent]);
    for (int round = 1; round <= 50; ++round) {
      @autoreleasepool {
        const QueuePointer queue = make_queue();
        id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
        id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
        [blit fillBuffer:buffer.get() range:NSMakeRange(0, 1000) value:static_cast<uint8_t>(round)];
        [blit endEncoding];
        [commands encodeSignalEvent:event.get() value:round];
        if (round % 2)
          [commands addCompletedHandler:^(id<MTLCommandBuffer>){
          }];
        [commands commit];
      }
      ASSERT_TRUE([event.get() waitUntilSignaledValue:round timeoutMS:60'000]);
      ASSERT_EQ(contents_of<uint8_t>(buffer.get()),
                std::vector<uint8_t>(1000, static_cast<uint8_t>(round)));
    }
  }
}

} // namespace
