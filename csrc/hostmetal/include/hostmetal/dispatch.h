#pragma once

// The part of Grand Central Dispatch that Metal's API speaks of, as Objective-C objects like
// Apple's. The functions are inline so that no symbol of a libdispatch in the same process is
// replaced.

#include <Metal/MTLDefines.h>

@protocol OS_dispatch_queue <NSObject>
@end

typedef NSObject<OS_dispatch_queue> *dispatch_queue_t;
typedef void (^dispatch_block_t)(void);
/// Only the serial attribute exists.
typedef struct hostmetal_dispatch_queue_attr *dispatch_queue_attr_t;
#ifndef DISPATCH_QUEUE_SERIAL
#define DISPATCH_QUEUE_SERIAL ((dispatch_queue_attr_t)0)
#endif

/// A serial queue with a thread of its own while it has work; +1 for the caller. `label` may be
/// null.
MTL_EXTERN dispatch_queue_t hostmetal_dispatch_queue_create(const char *label);
/// Copies `block` and runs it on the queue's thread, in the order of these calls; any thread.
MTL_EXTERN void hostmetal_dispatch_async(dispatch_queue_t queue, dispatch_block_t block);

/// See hostmetal_dispatch_queue_create; every queue is serial.
MTL_INLINE dispatch_queue_t dispatch_queue_create(const char *label, dispatch_queue_attr_t) {
  return hostmetal_dispatch_queue_create(label);
}
/// See hostmetal_dispatch_async.
MTL_INLINE void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) {
  hostmetal_dispatch_async(queue, block);
}
/// Adds a reference; any thread.
MTL_INLINE void dispatch_retain(dispatch_queue_t queue) { [queue retain]; }
/// Drops a reference; work already handed to the queue still runs; any thread.
MTL_INLINE void dispatch_release(dispatch_queue_t queue) { [queue release]; }
