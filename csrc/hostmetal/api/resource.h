#pragma once

#import <Metal/Metal.h>

#include "objc/retained.hpp"

#include <atomic>

@class HMDevice;

namespace hostmetal::api {

/// Whether the options name a storage mode that a buffer can have and set no unknown bit.
bool are_buffer_options(MTLResourceOptions options);

} // namespace hostmetal::api

/// What all resources have in common; keeps the device's currentAllocatedSize. Any thread.
@interface HMResource : NSObject <MTLResource> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  MTLResourceOptions _options;
  NSUInteger _allocatedSize;
  std::atomic<MTLPurgeableState> _purgeableState;
  NSString *_label;
}

/// `allocatedSize` is in bytes.
- (instancetype)initWithDevice:(HMDevice *)device
                       options:(MTLResourceOptions)options
                 allocatedSize:(NSUInteger)allocatedSize;

@end
