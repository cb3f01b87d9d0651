#import "hostmetal/api/event.h"

#import "hostmetal/api/device.h"

using metalcore::objc::Retained;

@implementation HMEvent

@synthesize label = label_;

- (instancetype)initWithDevice:(HMDevice *)device event:(std::shared_ptr<hostmetal::Event>)event {
  if ((self = [super init])) {
    device_ = Retained<HMDevice *>::retain(device);
    event_ = std::move(event);
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

- (const std::shared_ptr<hostmetal::Event> &)hm_event {
  return event_;
}

@end

namespace hostmetal::api {

id<MTLEvent> make_event(HMDevice *device) {
  return [[HMEvent alloc] initWithDevice:device event:[device hm_executor]->make_event(0)];
}

} // namespace hostmetal::api
