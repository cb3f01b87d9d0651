#include "fixture.hpp"

#include <cstdlib>
#include <cstring>

#include <unistd.h>

using namespace metal_commands;

namespace {

const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
std::unique_ptr<void, FreeMemory> make_pages(size_t count) {
  return std::unique_ptr<void, FreeMemory>(std::aligned_alloc(page, count * page));
}

TEST(Buffer, IsZeroedAndKnowsItsLength) {
  @autoreleasepool {
    const size_t size = random_between(1, 100'000);
    const BufferPointer buffer = make_buffer(size);
    ASSERT_TRUE(buffer);
    EXPECT_EQ([buffer.get() length], size);
    EXPECT_GE([buffer.get() allocatedSize], size);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), std::vector<uint8_t>(size));
    EXPECT_EQ([buffer.get() gpuAddress], reinterpret_cast<uintptr_t>([buffer.get() contents]));
    EXPECT_EQ([buffer.get() device], device());
  }
}

TEST(Buffer, CopiesTheBytesThatItIsMadeOf) {
  @autoreleasepool {
    std::vector<uint8_t> bytes = random_bytes(random_between(1, 10'000));
    const std::vector<uint8_t> expected = bytes;
    const BufferPointer buffer = make_buffer(bytes);
    std::fill(bytes.begin(), bytes.end(), 0);
    EXPECT_EQ(contents_of<uint8_t>(buffer.get()), expected);
  }
}

TEST(Buffer, HasNoContentsInPrivateStorage) {
  @autoreleasepool {
    EXPECT_EQ([make_buffer(64, MTLResourceStorageModePrivate).get() contents], nullptr);
    EXPECT_NE([make_buffer(64, MTLResourceStorageModeManaged).get() contents], nullptr);
  }
}

TEST(Buffer, ReportsItsOptions) {
  @autoreleasepool {
    const MTLResourceOptions options = MTLResourceStorageModeManaged |
                                       MTLResourceCPUCacheModeWriteCombined |
                                       MTLResourceHazardTrackingModeUntracked;
    const BufferPointer buffer = make_buffer(16, options);
    EXPECT_EQ([buffer.get() resourceOptions], options);
    EXPECT_EQ([buffer.get() storageMode], MTLStorageModeManaged);
    EXPECT_EQ([buffer.get() cpuCacheMode], MTLCPUCacheModeWriteCombined);
    EXPECT_EQ([buffer.get() hazardTrackingMode], MTLHazardTrackingModeUntracked);
    EXPECT_EQ([make_buffer(16).get() hazardTrackingMode], MTLHazardTrackingModeTracked);
  }
}

TEST(Buffer, IsNilWithoutALengthOrBeyondTheLimit) {
  @autoreleasepool {
    EXPECT_FALSE(make_buffer(0));
    EXPECT_FALSE(make_buffer([device() maxBufferLength] + 1));
    EXPECT_FALSE(make_buffer(NSUIntegerMax));
  }
}

TEST(Buffer, IsNilWithOptionsThatNoBufferHas) {
  @autoreleasepool {
    EXPECT_FALSE(make_buffer(16, MTLResourceStorageModeMemoryless));
    EXPECT_FALSE(make_buffer(16, static_cast<MTLResourceOptions>(1) << 20));
    EXPECT_FALSE(make_buffer(16, static_cast<MTLResourceOptions>(2)));
  }
}

TEST(Buffer, UsesTheCallersPages) {
  @autoreleasepool {
    const auto memory = make_pages(3);
    __block int calls = 0;
    __block void *freed = nullptr;
    __block NSUInteger freed_length = 0;
    BufferPointer buffer = BufferPointer::adopt([device()
        newBufferWithBytesNoCopy:memory.get()
                          length:3 * page
                         options:MTLResourceStorageModeShared
                     deallocator:^(void *pointer, NSUInteger length) {
                       ++calls;
                       freed = pointer;
                       freed_length = length;
                     }]);
    ASSERT_TRUE(buffer);
    EXPECT_EQ([buffer.get() contents], memory.get());
    EXPECT_EQ(calls, 0);
    buffer = nullptr;
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(freed, memory.get());
    EXPECT_EQ(freed_length, 3 * page);
  }
}

TEST(Buffer, TakesOnlyWholePagesOfTheCaller) {
  @autoreleasepool {
    const auto memory = make_pages(2);
    int calls = 0;
    int *const count = &calls;
    const auto wrap = [&](size_t offset, size_t length, MTLResourceOptions options) {
      return BufferPointer::adopt([device()
          newBufferWithBytesNoCopy:static_cast<uint8_t *>(memory.get()) + offset
                            length:length
                           options:options
                       deallocator:^(void *, NSUInteger) {
                         ++*count;
                       }]);
    };
    EXPECT_FALSE(wrap(16, page, MTLResourceStorageModeShared));
    EXPECT_FALSE(wrap(0, page + 1, MTLResourceStorageModeShared));
    EXPECT_FALSE(wrap(0, 0, MTLResourceStorageModeShared));
    EXPECT_FALSE(wrap(0, page, MTLResourceStorageModePrivate));
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(wrap(page, page, MTLResourceStorageModeManaged));
    EXPECT_EQ(calls, 1);
  }
}

TEST(Buffer, CountsInTheDevicesAllocatedSize) {
  @autoreleasepool {
    const NSUInteger before = [device() currentAllocatedSize];
    BufferPointer buffer = make_buffer(random_between(1, 1'000'000));
    EXPECT_EQ([device() currentAllocatedSize], before + [buffer.get() allocatedSize]);
    buffer = nullptr;
    EXPECT_EQ([device() currentAllocatedSize], before);
  }
}

TEST(Buffer, RemembersItsPurgeableState) {
  @autoreleasepool {
    const BufferPointer buffer = make_buffer(16);
    const auto set = [&](MTLPurgeableState state) {
      return [buffer.get() setPurgeableState:state];
    };
    EXPECT_EQ(set(MTLPurgeableStateKeepCurrent), MTLPurgeableStateNonVolatile);
    EXPECT_EQ(set(MTLPurgeableStateVolatile), MTLPurgeableStateNonVolatile);
    EXPECT_EQ(set(MTLPurgeableStateKeepCurrent), MTLPurgeableStateVolatile);
    EXPECT_EQ(reason_of(^{
                [buffer.get() setPurgeableState:static_cast<MTLPurgeableState>(9)];
              }),
              "The purgeable state (9) is none of MTLPurgeableState.");
  }
}

TEST(Buffer, ChecksTheRangesThatTheHostNames) {
  @autoreleasepool {
    const BufferPointer managed = make_buffer(100, MTLResourceStorageModeManaged);
    [managed.get() didModifyRange:NSMakeRange(0, 100)];
    [managed.get() didModifyRange:NSMakeRange(100, 0)];
    EXPECT_EQ(reason_of(^{
                [managed.get() didModifyRange:NSMakeRange(60, 41)];
              }),
              "-didModifyRange: was given 41 bytes from offset 60 on, beyond the buffer's 100 "
              "bytes.");
    EXPECT_EQ(
        reason_of(^{
          [managed.get() addDebugMarker:@"x" range:NSRange{NSUIntegerMax, 2}];
        }),
        "-addDebugMarker:range: was given 2 bytes from offset 18446744073709551615 on, beyond "
        "the buffer's 100 bytes.");
    const BufferPointer shared = make_buffer(100);
    EXPECT_EQ(reason_of(^{
                [shared.get() didModifyRange:NSMakeRange(0, 1)];
              }),
              "-didModifyRange: needs a buffer with managed storage, not mode 0.");
  }
}

TEST(Buffer, DescribesItsDebugMarkers) {
  @autoreleasepool {
    const BufferPointer buffer = make_buffer(100);
    NSMutableString *label = [NSMutableString stringWithString:@"weights"];
    [buffer.get() setLabel:label];
    [label appendString:@" changed"];
    EXPECT_TRUE([[buffer.get() label] isEqual:@"weights"]);
    [buffer.get() addDebugMarker:@"bias" range:NSMakeRange(8, 4)];
    EXPECT_NE([[buffer.get() description] rangeOfString:@"\"bias\""].location, NSNotFound);
    EXPECT_NE([[buffer.get() description] rangeOfString:@"\"weights\""].location, NSNotFound);
    [buffer.get() removeAllDebugMarkers];
    EXPECT_EQ([[buffer.get() description] rangeOfString:@"\"bias\""].location, NSNotFound);
  }
}

} // namespace
