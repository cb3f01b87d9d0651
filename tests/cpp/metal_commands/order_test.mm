#include "fixture.hpp"

#include <atomic>
#include <mutex>
#include <thread>

using namespace metal_commands;

namespace {

void encode_gate(id<MTLCommandBuffer> commands, id<MTLComputePipelineState> gate) {
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:gate];
  [encoder dispatchThreads:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
}

TEST(Order, OneQueueRunsInTheOrderOfCommits) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const size_t size = random_between(1, 3000);
    const BufferPointer a = make_buffer(size), b = make_buffer(size);
    id<MTLCommandBuffer> last = nil;
    for (int step = 1; step <= 100; ++step) {
      id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
      if (step % 2)
        encode_fill(commands, a.get(), static_cast<uint8_t>(step));
      else
        encode_copy(commands, a.get(), b.get());
      [commands commit];
      last = commands;
    }
    [last waitUntilCompleted];
    EXPECT_EQ(contents_of<uint8_t>(b.get()), std::vector<uint8_t>(size, 99));
  }
}

TEST(Order, EnqueueReservesAPlace) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const BufferPointer buffer = make_buffer(16);
    id<MTLCommandBuffer> first = [queue.get() commandBuffer];
    id<MTLCommandBuffer> second = [queue.get() commandBuffer];
    encode_fill(first, buffer.get(), 1);
    encode_fill(second, buffer.get(), 2);
    EXPECT_EQ([first status], MTLCommandBufferStatusNotEnqueued);
    [first enqueue];
    EXPECT_EQ([first status], MTLCommandBufferStatusEnqueued);
    [second commit];
    EXPECT_EQ([second status], MTLCommandBufferStatusCommitted);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(16, 0));
    [first commit];
    [second waitUntilCompleted];
    EXPECT_EQ([first status], MTLCommandBufferStatusCompleted);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(16, 2));
  }
}

TEST(Order, AReleasedCommandBufferGivesItsPlaceUp) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> later = nil;
    @autoreleasepool {
      [[queue.get() commandBuffer] enqueue];
      later = [[queue.get() commandBuffer] retain];
      [later commit];
    }
    [later waitUntilCompleted];
    EXPECT_EQ([later status], MTLCommandBufferStatusCompleted);
    [later release];
  }
}

TEST(Order, ThreadsCommitConcurrentlyWhatTheyEnqueued) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    constexpr int count = 60;
    const BufferPointer buffer = make_buffer(16);
    std::mutex mutex;
    std::vector<int> completed;
    std::vector<Retained<id<MTLCommandBuffer>>> list;
    for (int number = 0; number < count; ++number) {
      id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
      encode_fill(commands, buffer.get(), static_cast<uint8_t>(number));
      auto *order = &completed;
      auto *order_mutex = &mutex;
      [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
        std::lock_guard lock(*order_mutex);
        order->push_back(number);
      }];
      [commands enqueue];
      list.push_back(Retained<id<MTLCommandBuffer>>::retain(commands));
    }
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        @autoreleasepool {
          for (int number = count - 1 - thread; number >= 0; number -= 4)
            [list[number].get() commit];
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    [list.back().get() waitUntilCompleted];
    std::vector<int> expected(count);
    for (int number = 0; number < count; ++number)
      expected[number] = number;
    std::lock_guard lock(mutex);
    EXPECT_EQ(completed, expected);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(16, count - 1));
  }
}

TEST(Order, QueuesRunConcurrently) {
  @autoreleasepool {
    const QueuePointer held = make_queue(), free = make_queue();
    const PipelinePointer gate = Gate::pipeline();
    Gate::close();
    id<MTLCommandBuffer> waiting = [held.get() commandBuffer];
    encode_gate(waiting, gate.get());
    [waiting commit];
    // A host copy needs no worker that the gate could be holding.
    const BufferPointer buffer = make_buffer(100);
    id<MTLCommandBuffer> passing = [free.get() commandBuffer];
    encode_fill(passing, buffer.get(), 7);
    run(passing);
    EXPECT_LT([waiting status], MTLCommandBufferStatusCompleted);
    Gate::open();
    [waiting waitUntilCompleted];
    EXPECT_EQ([waiting status], MTLCommandBufferStatusCompleted);
  }
}

TEST(Order, ManyThreadsShareOneQueue) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const PipelinePointer add = add_pipeline();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back([&, seed = random_source()()] {
        std::mt19937 source(static_cast<unsigned>(seed));
        for (int round = 0; round < 50; ++round) {
          @autoreleasepool {
            const size_t count = 1 + source() % 500;
            std::vector<float> a(count), b(count), expected(count);
            for (size_t at = 0; at < count; ++at) {
              a[at] = static_cast<float>(source() % 1000);
              b[at] = static_cast<float>(source() % 1000);
              expected[at] = a[at] + b[at];
            }
            const BufferPointer first = make_buffer(a), second = make_buffer(b);
            const BufferPointer sum = make_buffer(count * sizeof(float));
            id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
            id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
            [encoder setComputePipelineState:add.get()];
            [encoder setBuffer:first.get() offset:0 atIndex:0];
            [encoder setBuffer:second.get() offset:0 atIndex:1];
            [encoder setBuffer:sum.get() offset:0 atIndex:2];
            [encoder dispatchThreads:MTLSizeMake(count, 1, 1)
                threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
            [encoder endEncoding];
            run(commands);
            EXPECT_EQ(contents_of<float>(sum.get()), expected);
          }
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(Order, AQueueBlocksAtItsMaximumOfCommandBuffers) {
  @autoreleasepool {
    const QueuePointer queue =
        QueuePointer::adopt([device() newCommandQueueWithMaxCommandBufferCount:2]);
    const PipelinePointer gate = Gate::pipeline();
    Gate::close();
    id<MTLCommandBuffer> first = [queue.get() commandBuffer];
    encode_gate(first, gate.get());
    [first commit];
    [[queue.get() commandBuffer] commit];
    std::atomic<bool> is_through = false;
    std::thread third([&] {
      @autoreleasepool {
        [[queue.get() commandBuffer] commit];
        is_through = true;
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(is_through);
    Gate::open();
    third.join();
    EXPECT_TRUE(is_through);
    EXPECT_EQ([device() newCommandQueueWithMaxCommandBufferCount:0], nil);
  }
}

TEST(Order, UncommittedCommandBuffersGiveTheirShareBack) {
  @autoreleasepool {
    const QueuePointer queue =
        QueuePointer::adopt([device() newCommandQueueWithMaxCommandBufferCount:1]);
    for (int round = 0; round < 10; ++round) {
      @autoreleasepool {
        EXPECT_NE([queue.get() commandBuffer], nil);
      }
    }
  }
}

} // namespace
