#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/block.hpp"
#include "hostmetal/api/recording.hpp"
#include "hostmetal/api/submission_limit.hpp"
#include "hostmetal/api/submission_order.hpp"
#include "support/guarded.hpp"

#include <atomic>
#include <memory>
#include <vector>

@class HMCommandQueue;
@class HMLogState;

namespace hostmetal::api {

using Handlers = std::vector<Block<MTLCommandBufferHandler>>;

/// The handlers of one stage of a command buffer.
struct Stage {
  Handlers handlers;
  bool is_handling = false; ///< the handlers were handed to their thread and are not through
};

/// What the threads share.
struct Progress {
  MTLCommandBufferStatus status = MTLCommandBufferStatusNotEnqueued;
  uint64_t generation = 0; ///< of the process that committed it
  Stage scheduled;
  Stage completed;
  metalcore::objc::Retained<NSError *> error;
  double kernel_start = 0;
  double kernel_end = 0;
  double gpu_start = 0;
  double gpu_end = 0;
};

} // namespace hostmetal::api

/// A list of commands on its way through its queue. Encoding is for one thread at a time, all else
/// for any thread. References to resources are always held, also where the caller promises to hold
/// them: an early release cannot corrupt memory.
@interface HMCommandBuffer : NSObject <MTLCommandBuffer> {
@private
  metalcore::objc::Retained<HMCommandQueue *> _queue;
  std::unique_ptr<hostmetal::api::SubmissionLimit::Slot> _slot;
  BOOL _retainedReferences;
  MTLCommandBufferErrorOption _errorOptions;
  metalcore::objc::Retained<HMLogState *> _logState;
  std::shared_ptr<hostmetal::api::Recording> _recording;
  std::shared_ptr<hostmetal::api::SubmissionOrder::Place> _place;
  NSUInteger _debugGroups;
  metalcore::Guarded<hostmetal::api::Progress> _progress;
  std::atomic<uint32_t> _steps; // counts the changes of _progress that somebody may wait for
  NSString *_label;
}

/// `slot` is the command buffer's share of the queue's limit, held until it completes.
- (instancetype)initWithQueue:(HMCommandQueue *)queue
                         slot:(std::unique_ptr<hostmetal::api::SubmissionLimit::Slot>)slot
           retainedReferences:(BOOL)retainedReferences
                 errorOptions:(MTLCommandBufferErrorOption)errorOptions
                     logState:(HMLogState *)logState;

/// Hands the commands to the queue's stream: it is this command buffer's turn. Once.
- (void)hm_submit;

@end

/// From the executor's threads, and for those who wait.
@interface HMCommandBuffer (Progress)

- (void)hm_didSchedule;
- (void)hm_didComplete:(const hostmetal::Outcome &)outcome;

/// Waits until `is_reached` holds, which is asked again after each step. A handler cannot wait for
/// handlers that run after it on its own thread: it ignores them.
- (void)hm_waitUntil:(bool (*)(const hostmetal::api::Progress &progress,
                               bool ignores_handlers))is_reached
            selector:(SEL)selector;

@end
