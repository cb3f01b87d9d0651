#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace metal_commands;

namespace {

/// Runs `body` in a forked child and hands out its result; -1 when the child was lost or took too
/// long.
int run_in_child(const std::function<int()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    @autoreleasepool {
      _exit(body());
    }
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

bool fills(id<MTLCommandQueue> queue) {
  const BufferPointer buffer = make_buffer(100);
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
  [blit fillBuffer:buffer.get() range:NSMakeRange(0, 100) value:3];
  [blit endEncoding];
  [commands addCompletedHandler:^(id<MTLCommandBuffer>){
  }];
  [commands commit];
  [commands waitUntilCompleted];
  return [commands status] == MTLCommandBufferStatusCompleted &&
         contents_of<uint8_t>(buffer.get()) == std::vector<uint8_t>(100, 3);
}

TEST(Fork, TheChildUsesItsParentsQueue) {
  @autoreleasepool {
    const QueuePointer queue =
        QueuePointer::adopt([device() newCommandQueueWithMaxCommandBufferCount:2]);
    const auto event = Retained<id<MTLSharedEvent>>::adopt([device() newSharedEvent]);
    ASSERT_TRUE(fills(queue.get()));
    // The parent's work under way takes all of the queue's room, and a place that is still open.
    id<MTLCommandBuffer> waiting = [queue.get() commandBuffer];
    [waiting encodeWaitForEvent:event.get() value:1];
    [waiting commit];
    id<MTLCommandBuffer> open = [queue.get() commandBuffer];
    [open enqueue];
    EXPECT_EQ(run_in_child([&] { return fills(queue.get()) ? 42 : 1; }), 42);
    [open commit];
    [event.get() setSignaledValue:1];
    [open waitUntilCompleted];
    EXPECT_EQ([open status], MTLCommandBufferStatusCompleted);
  }
}

TEST(Fork, TheChildLearnsThatItsParentsWorkIsNotItsOwn) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const auto event = Retained<id<MTLSharedEvent>>::adopt([device() newSharedEvent]);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    [commands encodeWaitForEvent:event.get() value:1];
    [commands commit];
    [commands waitUntilScheduled];
    const int result = run_in_child([&] {
      [commands waitUntilCompleted];
      NSString *const expected = @"The command buffer was committed before the process forked, and "
                                 @"runs in the parent only.";
      return [commands status] == MTLCommandBufferStatusError &&
                     [[[commands error] localizedDescription] isEqual:expected]
                 ? 42
                 : 1;
    });
    EXPECT_EQ(result, 42);
    [event.get() setSignaledValue:1];
    [commands waitUntilCompleted];
    EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
  }
}

TEST(Fork, AtAnyMomentTheChildRuns) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    std::atomic<bool> ends = false;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread)
      threads.emplace_back([&] {
        while (!ends) {
          @autoreleasepool {
            EXPECT_TRUE(fills(queue.get()));
          }
        }
      });
    for (int round = 0; round < 20; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_between(0, 3000)));
      EXPECT_EQ(run_in_child([&] { return fills(queue.get()) ? 42 : 1; }), 42);
    }
    ends = true;
    for (std::thread &thread : threads)
      thread.join();
  }
}

} // namespace
