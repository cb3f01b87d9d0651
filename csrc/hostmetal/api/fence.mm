#import "hostmetal/api/fence.h"

#import "hostmetal/api/device.h"

using metalcore::objc::Retained;

@implementation HMFence

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _count = std::make_shared<hostmetal::api::FenceCount>();
    _count->event = [device hm_executor]->make_event(0);
  }
  return self;
}

- (void)dealloc {
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (const std::shared_ptr<hostmetal::api::FenceCount> &)hm_count {
  return _count;
}

@end

namespace hostmetal::api {

id<MTLFence> make_fence(HMDevice *device) { return [[HMFence alloc] initWithDevice:device]; }

} // namespace hostmetal::api
