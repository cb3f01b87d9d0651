#import "hostmetal/api/dispatch_queue.h"

#include "hostmetal/api/background.hpp"
#include "objc/autorelease_pool.hpp"

@implementation HMDispatchQueue

- (instancetype)initWithLabel:(const char *)label {
  if ((self = [super init]))
    _tasks = std::make_unique<hostmetal::api::TaskQueue>(label ? label : "dispatch queue", 1);
  return self;
}

- (void)hm_async:(dispatch_block_t)block {
  _tasks->post([block = hostmetal::api::required_block(block)] {
    metalcore::objc::attach_thread();
    @autoreleasepool {
      block();
    }
  });
}

@end

dispatch_queue_t hostmetal_dispatch_queue_create(const char *label) {
  return [[HMDispatchQueue alloc] initWithLabel:label];
}

void hostmetal_dispatch_async(dispatch_queue_t queue, dispatch_block_t block) {
  [static_cast<HMDispatchQueue *>(queue) hm_async:block];
}
