#pragma once

#include "hostmetal/api/block.hpp"
#import "hostmetal/api/resource.h"

#include "hostmetal/executor/executor.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace hostmetal::api {

using BufferDeallocator = void (^)(void *pointer, NSUInteger length);

/// A named range of a buffer.
struct DebugMarker {
  metalcore::objc::Retained<NSString *> text;
  NSRange range;
};

} // namespace hostmetal::api

/// Memory of the executor's, or the caller's own pages. Any thread.
@interface HMBuffer : HMResource <MTLBuffer> {
@private
  std::unique_ptr<hostmetal::Allocation> _allocation;
  NSUInteger _length;
  hostmetal::api::Block<hostmetal::api::BufferDeallocator> _deallocator;
  std::mutex _markersMutex;
  std::vector<hostmetal::api::DebugMarker> _markers;
}

/// Takes over the allocation, whose first `length` bytes are the buffer. `deallocator` may be nil;
/// it is copied and called once, when the buffer dies.
- (instancetype)initWithDevice:(HMDevice *)device
                    allocation:(std::unique_ptr<hostmetal::Allocation>)allocation
                        length:(NSUInteger)length
                       options:(MTLResourceOptions)options
                   deallocator:(hostmetal::api::BufferDeallocator)deallocator;

/// The first byte, whatever the storage mode.
- (uint8_t *)hm_address;

@end
