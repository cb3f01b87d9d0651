#include "fixture.hpp"

#include <atomic>
#include <mutex>
#include <thread>

using namespace metal_commands;

namespace {

/// What handlers saw, in order.
class Log {
public:
  void add(std::string line) {
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST(Handlers, RunInOrderOnAnotherThread) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    Log log;
    Log *const lines = &log;
    const std::thread::id caller = std::this_thread::get_id();
    const auto add_handlers = [&](const char *scheduled, const char *completed) {
      [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
        EXPECT_NE(std::this_thread::get_id(), caller);
        EXPECT_EQ([buffer status], MTLCommandBufferStatusCompleted);
        lines->add(completed);
      }];
      [commands addScheduledHandler:^(id<MTLCommandBuffer> buffer) {
        EXPECT_NE(std::this_thread::get_id(), caller);
        EXPECT_GE([buffer status], MTLCommandBufferStatusScheduled);
        lines->add(scheduled);
      }];
    };
    add_handlers("scheduled 1", "completed 1");
    add_handlers("scheduled 2", "completed 2");
    run(commands);
    EXPECT_EQ(log.lines(), (std::vector<std::string>{"scheduled 1", "scheduled 2", "completed 1",
                                                     "completed 2"}));
  }
}

TEST(Handlers, SeeTheErrorOfAFaultyCommandBuffer) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit fillBuffer:absent<id<MTLBuffer>>() range:NSMakeRange(0, 1) value:0];
    [blit endEncoding];
    Log log;
    Log *const lines = &log;
    [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
      EXPECT_EQ([buffer status], MTLCommandBufferStatusError);
      lines->add([[[buffer error] localizedDescription] UTF8String]);
    }];
    [commands commit];
    [commands waitUntilCompleted];
    EXPECT_EQ(log.lines(),
              (std::vector<std::string>{"The buffer to fill is nil or not of this device."}));
  }
}

TEST(Handlers, MayUseTheQueueAndWait) {
  @autoreleasepool {
    const QueuePointer queue =
        QueuePointer::adopt([device() newCommandQueueWithMaxCommandBufferCount:1]);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    std::atomic<int> inner = 0;
    std::atomic<int> *const ran = &inner;
    [commands addCompletedHandler:^(id<MTLCommandBuffer> buffer) {
      id<MTLCommandBuffer> next = [[buffer commandQueue] commandBuffer];
      [next addCompletedHandler:^(id<MTLCommandBuffer>) {
        ++*ran;
      }];
      [next commit];
      [buffer waitUntilCompleted];
      [next waitUntilCompleted];
      EXPECT_EQ([next status], MTLCommandBufferStatusCompleted);
      ++*ran;
    }];
    [commands commit];
    [commands waitUntilCompleted];
    while (inner < 2)
      std::this_thread::yield();
  }
}

TEST(Handlers, WaitUntilScheduledReturnsBeforeTheEnd) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const PipelinePointer gate = Gate::pipeline();
    Gate::close();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:gate.get()];
    [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilScheduled];
    EXPECT_EQ([commands status], MTLCommandBufferStatusScheduled);
    EXPECT_EQ([commands GPUEndTime], 0);
    Gate::open();
    [commands waitUntilCompleted];
    EXPECT_GT([commands kernelStartTime], 0);
    EXPECT_LE([commands kernelStartTime], [commands kernelEndTime]);
    EXPECT_LE([commands kernelEndTime], [commands GPUEndTime]);
    EXPECT_LE([commands GPUStartTime], [commands GPUEndTime]);
  }
}

TEST(CommandBuffer, ReportsHowItWasMade) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    [queue.get() setLabel:@"main"];
    EXPECT_TRUE([[queue.get() label] isEqual:@"main"]);
    EXPECT_EQ([queue.get() device], device());
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    EXPECT_EQ([commands commandQueue], queue.get());
    EXPECT_EQ([commands device], device());
    EXPECT_TRUE([commands retainedReferences]);
    EXPECT_FALSE([[queue.get() commandBufferWithUnretainedReferences] retainedReferences]);
    MTLCommandBufferDescriptor *const descriptor =
        [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    EXPECT_TRUE([descriptor retainedReferences]);
    [descriptor setRetainedReferences:NO];
    [descriptor setErrorOptions:MTLCommandBufferErrorOptionEncoderExecutionStatus];
    MTLCommandBufferDescriptor *const copy = [[descriptor copy] autorelease];
    commands = [queue.get() commandBufferWithDescriptor:copy];
    EXPECT_FALSE([commands retainedReferences]);
    EXPECT_EQ([commands errorOptions], MTLCommandBufferErrorOptionEncoderExecutionStatus);
    EXPECT_EQ(reason_of(^{
                [queue.get() commandBufferWithDescriptor:absent<MTLCommandBufferDescriptor *>()];
              }),
              "-commandBufferWithDescriptor: needs a descriptor.");
  }
}

TEST(CommandBuffer, TellsTheStateOfEachEncoderWhenAsked) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    MTLCommandBufferDescriptor *const descriptor =
        [[[MTLCommandBufferDescriptor alloc] init] autorelease];
    [descriptor setErrorOptions:MTLCommandBufferErrorOptionEncoderExecutionStatus];
    id<MTLCommandBuffer> commands = [queue.get() commandBufferWithDescriptor:descriptor];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit setLabel:@"copies"];
    [blit endEncoding];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setLabel:@"kernels"];
    [encoder insertDebugSignpost:@"here"];
    [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    NSArray<id<MTLCommandBufferEncoderInfo>> *const infos =
        [[[commands error] userInfo] objectForKey:MTLCommandBufferEncoderInfoErrorKey];
    ASSERT_EQ([infos count], 2u);
    EXPECT_TRUE([[[infos objectAtIndex:0] label] isEqual:@"copies"]);
    EXPECT_EQ([[infos objectAtIndex:0] errorState], MTLCommandEncoderErrorStatePending);
    EXPECT_TRUE([[[infos objectAtIndex:1] label] isEqual:@"kernels"]);
    EXPECT_EQ([[infos objectAtIndex:1] errorState], MTLCommandEncoderErrorStateFaulted);
    EXPECT_TRUE([[[infos objectAtIndex:1] debugSignposts] isEqual:@[ @"here" ]]);
  }
}

} // namespace
