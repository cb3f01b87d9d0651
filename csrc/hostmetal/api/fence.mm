#import "hostmetal/api/fence.h"

#import "hostmetal/api/device.h"

using metalcore::objc::Retained;

@implementation HMFence

@synthesize label = label_;

- (instancetype)initWithDevice:(HMDevice *)device {
  if ((self = [super init])) {
    device_ = Retained<HMDevice *>::retain(device);
    count_ = std::make_shared<hostmetal::api::FenceCount>();
    count_->event = [device hm_executor]->make_event(0);
  }
  return self;
}

- (void)dealloc {
  [label_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return device_.get();
}

- (const std::shared_ptr<hostmetal::api::FenceCount> &)hm_count {
  return count_;
}

@end

namespace hostmetal::api {

id<MTLFence> make_fence(HMDevice *device) { return [[HMFence alloc] initWithDevice:device]; }

} // namespace hostmetal::api
