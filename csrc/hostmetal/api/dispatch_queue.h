#pragma once

#import <hostmetal/dispatch.h>

/// The class behind dispatch_queue_t: a serial queue whose thread lives while there is work.
@interface HMDispatchQueue : NSObject <OS_dispatch_queue>

- (instancetype)initWithLabel:(const char *)label;
/// Copies the block and runs it after those before it; any thread.
- (void)hm_async:(dispatch_block_t)block;

@end
