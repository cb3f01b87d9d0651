#import "hostmetal/api/shared_event.h"

#include "hostmetal/api/block.hpp"
#import "hostmetal/api/device.h"
#import "hostmetal/api/shared_event_handle.h"
#include "objc/autorelease_pool.hpp"
#include "objc/retained.hpp"

using hostmetal::api::Block;
using metalcore::objc::Retained;

@implementation HMSharedEvent

- (uint64_t)signaledValue {
  return [self hm_event]->value();
}

- (void)setSignaledValue:(uint64_t)value {
  [self hm_event]->signal(value);
}

- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds {
  return [self hm_event]->wait(value, milliseconds);
}

- (void)notifyListener:(MTLSharedEventListener *)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block {
  if (!listener || !block)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ needs a listener and a block.", NSStringFromSelector(_cmd)];
  // The event stays alive until the value is reached: the block is owed it as its argument.
  [self hm_event]->notify(
      value, [event = Retained<HMSharedEvent *>::retain(self),
              queue = Retained<dispatch_queue_t>::retain([listener dispatchQueue]),
              block = Block<MTLSharedEventNotificationBlock>(block)](uint64_t reached) {
        metalcore::objc::attach_thread();
        @autoreleasepool {
          dispatch_async(queue.get(), ^{
            block(event.get(), reached);
          });
        }
      });
}

- (MTLSharedEventHandle *)newSharedEventHandle {
  return [[MTLSharedEventHandle alloc] initWithExecutorEvent:[self hm_event] label:[self label]];
}

@end

namespace hostmetal::api {

id<MTLSharedEvent> make_shared_event(HMDevice *device) {
  return [[HMSharedEvent alloc] initWithDevice:device event:[device hm_executor]->make_event(0)];
}

id<MTLSharedEvent> make_shared_event(HMDevice *device, MTLSharedEventHandle *handle) {
  if (!handle)
    return nil;
  std::shared_ptr<hostmetal::Event> executor_event = [handle hm_event];
  if (!executor_event)
    return nil;
  HMSharedEvent *event = [[HMSharedEvent alloc] initWithDevice:device
                                                         event:std::move(executor_event)];
  [event setLabel:[handle label]];
  return event;
}

} // namespace hostmetal::api
