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

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device
                       options:(MTLResourceOptions)options
                 allocatedSize:(NSUInteger)allocatedSize {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _options = options;
    _allocatedSize = allocatedSize;
    _purgeableState = MTLPurgeableStateNonVolatile;
    [device hm_didAllocate:allocatedSize];
  }
  return self;
}

- (void)dealloc {
  [_device.get() hm_didFree:_allocatedSize];
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (NSUInteger)allocatedSize {
  return _allocatedSize;
}

- (MTLResourceOptions)resourceOptions {
  return _options;
}

- (MTLStorageMode)storageMode {
  return hostmetal::api::storage_mode(_options);
}

- (MTLCPUCacheMode)cpuCacheMode {
  return hostmetal::api::cache_mode(_options);
}

- (MTLHazardTrackingMode)hazardTrackingMode {
  // Metal tracks resources that are not in a heap unless told otherwise.
  const MTLHazardTrackingMode mode = hostmetal::api::hazard_tracking_mode(_options);
  return mode == MTLHazardTrackingModeDefault ? MTLHazardTrackingModeTracked : mode;
}

- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  // Purging is a permission that the host never makes use of: the memory stays.
  switch (state) {
  case MTLPurgeableStateKeepCurrent:
    return _purgeableState;
  case MTLPurgeableStateNonVolatile:
  case MTLPurgeableStateVolatile:
  case MTLPurgeableStateEmpty:
    return _purgeableState.exchange(state);
  }
  [NSException
       raise:NSInvalidArgumentException
      format:@"The purgeable state (%lu) is none of MTLPurgeableState.", (unsigned long)state];
  return _purgeableState;
}

@end
