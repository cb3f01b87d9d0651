#import <Metal/MTLEvent.h>

#include "objc/retained.hpp"

using metalcore::objc::Retained;

@implementation MTLSharedEventListener

@synthesize dispatchQueue = _dispatchQueue;

- (instancetype)init {
  const auto queue = Retained<dispatch_queue_t>::adopt(
      dispatch_queue_create("shared events", DISPATCH_QUEUE_SERIAL));
  return [self initWithDispatchQueue:queue.get()];
}

- (instancetype)initWithDispatchQueue:(dispatch_queue_t)dispatchQueue {
  if (!dispatchQueue) {
    [self release];
    return nil;
  }
  if ((self = [super init]))
    _dispatchQueue = [dispatchQueue retain];
  return self;
}

- (void)dealloc {
  [_dispatchQueue release];
  [super dealloc];
}

@end
