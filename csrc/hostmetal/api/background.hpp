#pragma once

#import <Foundation/Foundation.h>

#include "hostmetal/api/block.hpp"
#include "hostmetal/api/task_queue.hpp"

namespace hostmetal::api {

/// A copy of a block that will be called on another thread. Raises NSInvalidArgumentException for
/// nil, while the caller is still there to see it.
template <typename T> Block<T> required_block(T block) {
  if (!block)
    [NSException raise:NSInvalidArgumentException
                format:@"A block that is to be called later is nil."];
  return Block<T>(block);
}

/// Where work with a completion handler is done: never on the caller's thread. The tasks run in an
/// autorelease pool.
void run_in_background(TaskQueue::Task task);

} // namespace hostmetal::api
