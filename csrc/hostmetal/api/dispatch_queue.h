#pragma once

#import <hostmetal/dispatch.h>

#include "hostmetal/api/task_queue.hpp"

#include <memory>

/// The class behind dispatch_queue_t: a serial queue whose thread lives while there is work.
@interface HMDispatchQueue : NSObject <OS_dispatch_queue> {
@private
  std::unique_ptr<hostmetal::api::TaskQueue> _tasks;
}

/// `label` may be null.
- (instancetype)initWithLabel:(const char *)label;
/// Copies the block and runs it after those before it; any thread.
- (void)hm_async:(dispatch_block_t)block;

@end
