#import "hostmetal/api/resource.h"

#import "hostmetal/api/device.h"
using metalcore::objc::Retained;

namespace hostmetal::api {

namespace {
MTLStorageMode storage_mode(MTLResourceOptions options) {
  return static_cast<MTLStorageMode>((options & MTLResourceStorageModeMask) >>
                                     MTLResourceStorageModeShift);
}
MTLCPUCacheMode cache_mode(MTLResourceOptions options) {
  return static_cast<MTLCPUCacheMode>((options & MTLResourceCPUCacheModeMask) >>
                                      MTLResourceCPUCacheModeShift);
}
MTLHazardTrackingMode hazard_tracking_mode(MTLResourceOptions options) {
  return static_cast<MTLHazardTrackingMode>((options & MTLResourceHazardTrackingModeMask) >>
                                            MTLResourceHazardTrackingModeShift);
}
} // namespace

bool are_buffer_options(MTLResourceOptions options) {
  constexpr NSUInteger known =
      MTLResourceCPUCacheModeMask | MTLResourceStorageModeMask | MTLResourceHazardTrackingModeMask;
  return (options & ~known) == 0 && storage_mode(options) <= MTLStorageModePrivate &&
         cache_mode(options) <= MTLCPUCacheModeWriteCombined &&
         hazard_tracking_mode(options) <= MTLHazardTrackingModeTracked;
}

} // namespace hostmetal::api

@implementation HMResource

@synthesize label = label_;

- (instancetype)initWithDevice:(HMDevice *)device
                       options:(MTLResourceOptions)options
                 allocatedSize:(NSUInteger)allocatedSize {
  if ((self = [super init])) {
    device_ = Retained<HMDevice *>::retain(device);
    options_ = options;
    allocatedSize_ = allocatedSize;
    purgeableState_ = MTLPurgeableStateNonVolatile;
    [device hm_didAllocate:allocatedSize];
  }
  return self;
}

- (void)dealloc {
  [device_.get() hm_didFree:allocatedSize_];
  [label_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return device_.get();
}

- (NSUInteger)allocatedSize {
  return allocatedSize_;
}

- (MTLResourceOptions)resourceOptions {
  return options_;
}

- (MTLStorageMode)storageMode {
  return hostmetal::api::storage_mode(options_);
}

- (MTLCPUCacheMode)cpuCacheMode {
  return hostmetal::api::cache_mode(options_);
}

- (MTLHazardTrackingMode)hazardTrackingMode {
  // Metal tracks resources that are not in a heap unless told otherwise.
  const MTLHazardTrackingMode mode = hostmetal::api::hazard_tracking_mode(options_);
  return mode == MTLHazardTrackingModeDefault ? MTLHazardTrackingModeTracked : mode;
}

- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  // Purging is a permission that the host never makes use of: the memory stays.
  switch (state) {
  case MTLPurgeableStateKeepCurrent:
    return purgeableState_;
  case MTLPurgeableStateNonVolatile:
  case MTLPurgeableStateVolatile:
  case MTLPurgeableStateEmpty:
    return purgeableState_.exchange(state);
  }
  [NSException
       raise:NSInvalidArgumentException
      format:@"The purgeable state (%lu) is none of MTLPurgeableState.", (unsigned long)state];
  return purgeableState_;
}

@end
