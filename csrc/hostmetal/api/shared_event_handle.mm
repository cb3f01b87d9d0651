#import "hostmetal/api/shared_event_handle.h"

#include "objc/retained.hpp"

using metalcore::objc::Retained;

struct HMSharedEventHandleState {
  std::shared_ptr<hostmetal::Event> event;
  Retained<NSString *> label;
};

@implementation MTLSharedEventHandle

- (instancetype)initWithExecutorEvent:(const std::shared_ptr<hostmetal::Event> &)event
                                label:(NSString *)label {
  if ((self = [super init]))
    _state = new HMSharedEventHandleState{event, Retained<NSString *>::adopt([label copy])};
  return self;
}

- (void)dealloc {
  delete _state;
  [super dealloc];
}

- (std::shared_ptr<hostmetal::Event>)hm_event {
  return _state ? _state->event : nullptr;
}

- (NSString *)label {
  return _state ? _state->label.get() : nil;
}

// Apple's handles travel between processes over XPC, which there is none of here; no archive can
// hold an event.

+ (BOOL)supportsSecureCoding {
  return YES;
}

- (void)encodeWithCoder:(NSCoder *)coder {
  [NSException raise:NSInvalidArgumentException
              format:@"A shared event handle cannot be encoded by %@: it means nothing outside of "
                     @"its process.",
                     [coder class]];
}

- (instancetype)initWithCoder:(NSCoder *)coder {
  (void)coder;
  [self release];
  return nil;
}

@end
