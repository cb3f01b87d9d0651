#include "fixture.hpp"

#include <algorithm>

using namespace metal_commands;

namespace {

TEST(Blit, CopiesAsMemcpyDoes) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    for (int round = 0; round < 50; ++round) {
      const auto source = random_bytes(random_between(1, 5000));
      auto expected = random_bytes(random_between(1, 5000));
      const BufferPointer from = make_buffer(source);
      const BufferPointer to = make_buffer(expected);
      id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
      id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
      for (int copy = 0; copy < 8; ++copy) {
        const size_t size = random_between(0, std::min(source.size(), expected.size()));
        const size_t source_offset = random_between(0, source.size() - size);
        const size_t target_offset = random_between(0, expected.size() - size);
        [blit copyFromBuffer:from.get()
                 sourceOffset:source_offset
                     toBuffer:to.get()
            destinationOffset:target_offset
                         size:size];
        std::copy_n(source.begin() + source_offset, size, expected.begin() + target_offset);
      }
      [blit endEncoding];
      run(commands);
      ASSERT_EQ(contents_of<uint8_t>(to.get()), expected);
    }
  }
}

TEST(Blit, CopiesBetweenApartRangesOfOneBuffer) {
  @autoreleasepool {
    auto expected = random_bytes(200);
    const BufferPointer buffer = make_buffer(expected);
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    [blit copyFromBuffer:buffer.get()
             sourceOffset:100
                 toBuffer:buffer.get()
        destinationOffset:0
                     size:100];
    [blit endEncoding];
    run(commands);
    std::copy_n(expected.begin() + 100, 100, expected.begin());
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), expected);
  }
}

TEST(Blit, FillsAsMemsetDoes) {
  @autoreleasepool {
    const QueuePointer queue = make_queue();
    auto expected = random_bytes(random_between(1000, 100'000));
    const BufferPointer buffer = make_buffer(expected);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    for (int fill = 0; fill < 30; ++fill) {
      const size_t begin = random_between(0, expected.size());
      const size_t size = random_between(0, expected.size() - begin);
      const auto value = static_cast<uint8_t>(random_between(0, 255));
      [blit fillBuffer:buffer.get() range:NSMakeRange(begin, size) value:value];
      std::fill_n(expected.begin() + begin, size, value);
    }
    [blit endEncoding];
    run(commands);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), expected);
  }
}

TEST(Blit, BringsPrivateMemoryBack) {
  @autoreleasepool {
    const auto values = random_bytes(12'345);
    const BufferPointer from = make_buffer(values);
    const BufferPointer hidden = make_buffer(values.size(), MTLResourceStorageModePrivate);
    const BufferPointer to = make_buffer(values.size(), MTLResourceStorageModeManaged);
    const QueuePointer queue = make_queue();
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLBlitCommandEncoder> blit = [commands blitCommandEncoder];
    const auto copy = [&](id<MTLBuffer> source, id<MTLBuffer> target) {
      [blit copyFromBuffer:source
               sourceOffset:0
                   toBuffer:target
          destinationOffset:0
                       size:values.size()];
    };
    copy(from.get(), hidden.get());
    copy(hidden.get(), to.get());
    [blit synchronizeResource:to.get()];
    [blit endEncoding];
    run(commands);
    EXPECT_EQ(contents_of<uint8_t>(to.get()), values);
  }
}

} // namespace
