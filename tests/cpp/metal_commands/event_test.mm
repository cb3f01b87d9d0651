#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace metal_commands;

namespace {

using SharedEventPointer = Retained<id<MTLSharedEvent>>;

SharedEventPointer make_shared_event() {
  return SharedEventPointer::adopt([device() newSharedEvent]);
}

TEST(Event, OrdersTwoQueues) {
  @autoreleasepool {
    const QueuePointer writer = make_queue(), reader = make_queue();
    const Retained<id<MTLEvent>> event = Retained<id<MTLEvent>>::adopt([device() newEvent]);
    EXPECT_EQ([event.get() device], device());
    const BufferPointer a = make_buffer(5000), b = make_buffer(5000);
    for (uint64_t round = 1; round <= 20; ++round) {
      const auto value = static_cast<uint8_t>(random_between(0, 255));
      id<MTLCommandBuffer> read = [reader.get() commandBuffer];
      [read encodeWaitForEvent:event.get() value:round];
      encode_copy(read, a.get(), b.get());
      [read commit]; // before the writer
      id<MTLCommandBuffer> write = [writer.get() commandBuffer];
      encode_fill(write, a.get(), value);
      [write encodeSignalEvent:event.get() value:round];
      [write commit];
      [read waitUntilCompleted];
      ASSERT_EQ(contents_of<uint8_t>(b.get()), std::vector<uint8_t>(5000, value));
    }
  }
}

TEST(SharedEvent, LetsTheHostHoldAQueueBack) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const SharedEventPointer event = make_shared_event();
    const BufferPointer buffer = make_buffer(64);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    [commands encodeWaitForEvent:event.get() value:3];
    encode_fill(commands, buffer.get(), 9);
    [commands encodeSignalEvent:event.get() value:4];
    [commands commit];
    [event.get() setSignaledValue:2];
    EXPECT_FALSE([event.get() waitUntilSignaledValue:4 timeoutMS:20]);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(64, 0));
    [event.get() setSignaledValue:3];
    EXPECT_TRUE([event.get() waitUntilSignaledValue:4 timeoutMS:60'000]);
    EXPECT_EQ([event.get() signaledValue], 4u);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(64, 9));
    [commands waitUntilCompleted];
  }
}

TEST(SharedEvent, NotifiesOnceOnTheListenersQueue) {
  @autoreleasepool {
    const SharedEventPointer event = make_shared_event();
    const auto listener =
        Retained<MTLSharedEventListener *>::adopt([[MTLSharedEventListener alloc] init]);
    std::mutex mutex;
    std::vector<uint64_t> values;
    const std::thread::id caller = std::this_thread::get_id();
    auto *const seen = &values;
    auto *const guard = &mutex;
    id<MTLSharedEvent> expected = event.get();
    for (const uint64_t at : {2, 5, 1})
      [event.get() notifyListener:listener.get()
                          atValue:at
                            block:^(id<MTLSharedEvent> notified, uint64_t value) {
                              EXPECT_EQ(notified, expected);
                              EXPECT_NE(std::this_thread::get_id(), caller);
                              EXPECT_GE(value, at);
                              std::lock_guard lock(*guard);
                              seen->push_back(at);
                            }];
    const auto seen_count = [&] {
      std::lock_guard lock(mutex);
      return values.size();
    };
    const auto wait_for = [&](size_t count) {
      while (seen_count() < count)
        std::this_thread::yield();
    };
    [event.get() setSignaledValue:1];
    wait_for(1);
    [event.get() setSignaledValue:3];
    wait_for(2);
    [event.get() setSignaledValue:7];
    wait_for(3);
    EXPECT_EQ(values, (std::vector<uint64_t>{1, 2, 5}));
    EXPECT_EQ(reason_of(^{
                [event.get() notifyListener:absent<MTLSharedEventListener *>()
                                    atValue:1
                                      block:^(id<MTLSharedEvent>, uint64_t){
                                      }];
              }),
              "-notifyListener:atValue:block: needs a listener and a block.");
  }
}

TEST(SharedEvent, NotifiesAtOnceWhenTheValueHasBeenReached) {
  @autoreleasepool {
    const SharedEventPointer event = make_shared_event();
    [event.get() setSignaledValue:8];
    const auto queue =
        Retained<dispatch_queue_t>::adopt(dispatch_queue_create("test", DISPATCH_QUEUE_SERIAL));
    const auto listener = Retained<MTLSharedEventListener *>::adopt(
        [[MTLSharedEventListener alloc] initWithDispatchQueue:queue.get()]);
    EXPECT_EQ([listener.get() dispatchQueue], queue.get());
    std::atomic<uint64_t> reached = 0;
    std::atomic<uint64_t> *const result = &reached;
    [event.get() notifyListener:listener.get()
                        atValue:4
                          block:^(id<MTLSharedEvent>, uint64_t value) {
                            *result = value;
                          }];
    while (reached == 0)
      std::this_thread::yield();
    EXPECT_EQ(reached, 8u);
  }
}

TEST(SharedEvent, HandlesShareTheEvent) {
  @autoreleasepool {
    const SharedEventPointer event = make_shared_event();
    [event.get() setLabel:@"step"];
    const auto handle = Retained<MTLSharedEventHandle *>::adopt([event.get() newSharedEventHandle]);
    EXPECT_TRUE([[handle.get() label] isEqual:@"step"]);
    const SharedEventPointer other =
        SharedEventPointer::adopt([device() newSharedEventWithHandle:handle.get()]);
    EXPECT_TRUE([[other.get() label] isEqual:@"step"]);
    [other.get() setSignaledValue:11];
    EXPECT_EQ([event.get() signaledValue], 11u);
    const auto empty = Retained<MTLSharedEventHandle *>::adopt([[MTLSharedEventHandle alloc] init]);
    EXPECT_EQ([device() newSharedEventWithHandle:empty.get()], nil);
    const auto archiver = Retained<NSKeyedArchiver *>::adopt(
        [[NSKeyedArchiver alloc] initForWritingWithMutableData:[NSMutableData data]]);
    EXPECT_EQ(
        reason_of(^{
          [handle.get() encodeWithCoder:archiver.get()];
        }),
        "A shared event handle cannot be encoded by NSKeyedArchiver: it means nothing outside "
        "of its process.");
    [archiver.get() finishEncoding];
  }
}

TEST(Fence, OrdersEncodersOfTwoQueues) {
  @autoreleasepool {
    const QueuePointer first = make_queue(), second = make_queue();
    const SharedEventPointer start = make_shared_event();
    const Retained<id<MTLFence>> fence = Retained<id<MTLFence>>::adopt([device() newFence]);
    EXPECT_EQ([fence.get() device], device());
    const BufferPointer a = make_buffer(300), b = make_buffer(300);
    for (uint64_t round = 1; round <= 20; ++round) {
      const auto value = static_cast<uint8_t>(round);
      id<MTLCommandBuffer> write = [first.get() commandBuffer];
      [write encodeWaitForEvent:start.get() value:round];
      id<MTLBlitCommandEncoder> fill = [write blitCommandEncoder];
      [fill fillBuffer:a.get() range:NSMakeRange(0, 300) value:value];
      [fill updateFence:fence.get()];
      [fill endEncoding];
      [write commit];
      id<MTLCommandBuffer> read = [second.get() commandBuffer];
      id<MTLBlitCommandEncoder> copy = [read blitCommandEncoder];
      [copy waitForFence:fence.get()];
      [copy copyFromBuffer:a.get() sourceOffset:0 toBuffer:b.get() destinationOffset:0 size:300];
      [copy endEncoding];
      [read commit];
      [start.get() setSignaledValue:round];
      [read waitUntilCompleted];
      ASSERT_EQ(contents_of<uint8_t>(b.get()), std::vector<uint8_t>(300, value));
    }
  }
}

TEST(Fence, WithoutAnUpdateHoldsNobody) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const Retained<id<MTLFence>> fence = Retained<id<MTLFence>>::adopt([device() newFence]);
    // An update that is encoded and never committed does not count.
    id<MTLComputeCommandEncoder> lost = [[queue.get() commandBuffer] computeCommandEncoder];
    [lost updateFence:fence.get()];
    [lost endEncoding];
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder waitForFence:fence.get()];
    [encoder endEncoding];
    run(commands);
  }
}

TEST(Event, OfAFaultyCommandBufferIsStillSignalled) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    const SharedEventPointer event = make_shared_event();
    const BufferPointer buffer = make_buffer(16);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    encode_fill(commands, buffer.get(), 5);
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit fillBuffer:buffer.get() range:NSMakeRange(16, 1) value:6];
    [blit endEncoding];
    [commands encodeSignalEvent:event.get() value:1];
    [commands commit];
    EXPECT_TRUE([event.get() waitUntilSignaledValue:1 timeoutMS:60'000]);
    [commands waitUntilCompleted];
    EXPECT_EQ([commands status], MTLCommandBufferStatusError);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(16, 0));
  }
}

} // namespace
