#pragma once

#import <Metal/Metal.h>

#include "hostmetal/executor/executor.hpp"
#include "objc/retained.hpp"

#include <atomic>
#include <memory>

@class HMDevice;

namespace hostmetal::api {

/// An event that counts a fence's updates. The numbers are given out when command buffers go to
/// their streams, so a wait is for an update that is certain to run, and none waits for ever.
struct FenceCount {
  std::shared_ptr<hostmetal::Event> event;
  std::atomic<uint64_t> submitted{0}; ///< updates that went to a stream
};

} // namespace hostmetal::api

/// A fence; it orders encoders of different queues too. Any thread.
@interface HMFence : NSObject <MTLFence> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<hostmetal::api::FenceCount> _count;
  NSString *_label;
}

- (const std::shared_ptr<hostmetal::api::FenceCount> &)hm_count;

@end
