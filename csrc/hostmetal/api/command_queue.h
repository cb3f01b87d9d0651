#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/submission_order.hpp"
#include "hostmetal/executor/executor.hpp"

#include <memory>
#include <mutex>

@class HMDevice;
@class HMDispatchQueue;

/// A stream of the executor's and the order of the command buffers that go to it. Any thread.
@interface HMCommandQueue : NSObject <MTLCommandQueue> {
@private
  metalcore::objc::Retained<HMDevice *> device_;
  std::shared_ptr<hostmetal::Executor> executor_; // outlives its stream
  std::unique_ptr<hostmetal::Stream> stream_;
  hostmetal::api::SubmissionOrder order_;
  std::shared_ptr<hostmetal::api::SubmissionLimit> limit_;
  std::once_flag handlerQueueOnce_;
  metalcore::objc::Retained<HMDispatchQueue *> handlerQueue_;
  NSString *label_;
}

/// `count`: how many command buffers may be uncompleted at a time, at least 1.
- (instancetype)initWithDevice:(HMDevice *)device maxCommandBufferCount:(NSUInteger)count;

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
