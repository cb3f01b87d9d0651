#pragma once

#import <Metal/Metal.h>

#include "hostmetal/executor/executor.hpp"

#include <atomic>
#include <memory>

/// The device behind which the CPU executor stands: one per process, never deallocated. Any thread.
@interface HMDevice : NSObject <MTLDevice> {
@private
  NSString *_name;
  MTLArchitecture *_architecture;
  uint64_t _memorySize;
  std::atomic<NSUInteger> _allocatedSize;
}

/// The process's device; nil when the environment variable HOSTMETAL_DEVICE is "none".
+ (HMDevice *)hm_device;

/// The executor of this process; asked for anew at each use because a forked child has its own.
- (std::shared_ptr<hostmetal::Executor>)hm_executor;

/// Keeps currentAllocatedSize: resources report the bytes that they take and give back.
- (void)hm_didAllocate:(NSUInteger)bytes;
- (void)hm_didFree:(NSUInteger)bytes;

@end

namespace hostmetal::api {

// What the device makes of other files' classes. Each returns +1, or nil where MTLDevice's method
// of that name would.

/// `bytes` may be null: the memory is zeroed.
id<MTLBuffer> make_buffer(HMDevice *device, const void *bytes, NSUInteger length,
                          MTLResourceOptions options);
/// `deallocator` may be nil; it is copied.
id<MTLBuffer> make_buffer_no_copy(HMDevice *device, void *pointer, NSUInteger length,
                                  MTLResourceOptions options,
                                  void (^deallocator)(void *pointer, NSUInteger length));
id<MTLCommandQueue> make_command_queue(HMDevice *device, NSUInteger max_command_buffer_count,
                                       id<MTLLogState> log_state);
id<MTLFence> make_fence(HMDevice *device);
id<MTLEvent> make_event(HMDevice *device);
id<MTLSharedEvent> make_shared_event(HMDevice *device);
id<MTLSharedEvent> make_shared_event(HMDevice *device, MTLSharedEventHandle *handle);

} // namespace hostmetal::api
