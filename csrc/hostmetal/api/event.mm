#import "hostmetal/api/event.h"

#import "hostmetal/api/device.h"

using metalcore::objc::Retained;

@implementation HMEvent

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device event:(std::shared_ptr<hostmetal::Event>)event {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _event = std::move(event);
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

- (const std::shared_ptr<hostmetal::Event> &)hm_event {
  return _event;
}

@end

namespace hostmetal::api {

id<MTLEvent> make_event(HMDevice *device) {
  return [[HMEvent alloc] initWithDevice:device event:[device hm_executor]->make_event(0)];
}

} // namespace hostmetal::api
