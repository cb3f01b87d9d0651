#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/submission_limit.hpp"
#include "hostmetal/api/submission_order.hpp"
#include "hostmetal/executor/executor.hpp"

#include <memory>

@class HMDevice;
@class HMDispatchQueue;
@class HMLogState;

/// A stream of the executor's and the order of the command buffers that go to it. Any thread.
@interface HMCommandQueue : NSObject <MTLCommandQueue> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  std::shared_ptr<hostmetal::Executor> _executor; // outlives its stream
  std::unique_ptr<hostmetal::Stream> _stream;
  hostmetal::api::SubmissionOrder _order;
  std::shared_ptr<hostmetal::api::SubmissionLimit> _limit;
  metalcore::objc::Retained<HMDispatchQueue *> _handlerQueue;
  metalcore::objc::Retained<HMLogState *> _logState;
  NSString *_label;
}

/// `count`: how many command buffers may be uncompleted at a time, at least 1.
- (instancetype)initWithDevice:(HMDevice *)device
         maxCommandBufferCount:(NSUInteger)count
                      logState:(HMLogState *)logState;

- (HMDevice *)hm_device;
- (hostmetal::Executor &)hm_executor;
- (hostmetal::Stream &)hm_stream;
- (hostmetal::api::SubmissionOrder &)hm_order;
/// Where handlers of this queue's command buffers run, one after the other.
- (HMDispatchQueue *)hm_handlerQueue;

@end

namespace hostmetal::api {

/// Marks the time in which a thread of the executor's is inside a callback. It must not destroy its
/// own stream then: the stream would wait for the callback.
class ExecutorCallback {
public:
  ExecutorCallback();
  ~ExecutorCallback();
  ExecutorCallback(const ExecutorCallback &) = delete;
  ExecutorCallback &operator=(const ExecutorCallback &) = delete;

  static bool is_running(); ///< on this thread
};

} // namespace hostmetal::api
