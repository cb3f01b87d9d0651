#import "hostmetal/api/command_buffer.h"

#import "hostmetal/api/blit_encoder.h"
#include "hostmetal/api/command_buffer_error.hpp"
#import "hostmetal/api/command_queue.h"
#import "hostmetal/api/compute_encoder.h"
#import "hostmetal/api/device.h"
#import "hostmetal/api/dispatch_queue.h"
#import "hostmetal/api/event.h"
#include "hostmetal/api/own_class.hpp"

#include <exception>
#include <functional>
#include <optional>

using hostmetal::Outcome;
using hostmetal::api::Block;
using hostmetal::api::ExecutorCallback;
using hostmetal::api::Fault;
using hostmetal::api::Handlers;
using hostmetal::api::Progress;
using hostmetal::api::Recording;
using hostmetal::api::Stage;
using hostmetal::api::SubmissionLimit;
using hostmetal::api::SubmissionOrder;
using metalcore::objc::Retained;

namespace {

/// The queue whose handlers this thread is running.
thread_local const HMCommandQueue *handling_queue = nil;

} // namespace

@implementation HMCommandBuffer

@synthesize label = label_;

- (instancetype)initWithQueue:(HMCommandQueue *)queue
                         slot:(std::unique_ptr<SubmissionLimit::Slot>)slot
           retainedReferences:(BOOL)retainedReferences
                 errorOptions:(MTLCommandBufferErrorOption)errorOptions {
  if ((self = [super init])) {
    queue_ = Retained<HMCommandQueue *>::retain(queue);
    slot_ = std::move(slot);
    retainedReferences_ = retainedReferences;
    errorOptions_ = errorOptions;
    recording_ = std::make_shared<Recording>();
  }
  return self;
}

- (void)dealloc {
  // Enqueued and never committed: those behind it must not wait for it.
  if (place_ && [self status] < MTLCommandBufferStatusCommitted)
    [queue_.get() hm_order].decide(place_, nil);
  [label_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return [queue_.get() device];
}

- (id<MTLCommandQueue>)commandQueue {
  return queue_.get();
}

- (BOOL)retainedReferences {
  return retainedReferences_;
}

- (MTLCommandBufferErrorOption)errorOptions {
  return errorOptions_;
}

- (MTLCommandBufferStatus)status {
  std::lock_guard lock(mutex_);
  return progress_.status;
}

- (NSError *)error {
  std::lock_guard lock(mutex_);
  return [[progress_.error.get() retain] autorelease];
}

- (CFTimeInterval)kernelStartTime {
  std::lock_guard lock(mutex_);
  return progress_.kernel_start;
}

- (CFTimeInterval)kernelEndTime {
  std::lock_guard lock(mutex_);
  return progress_.kernel_end;
}

- (CFTimeInterval)GPUStartTime {
  std::lock_guard lock(mutex_);
  return progress_.gpu_start;
}

- (CFTimeInterval)GPUEndTime {
  std::lock_guard lock(mutex_);
  return progress_.gpu_end;
}

#pragma mark Encoding

/// The recording, for a method that needs it open.
- (Recording &)hm_recordingFor:(SEL)selector {
  if (recording_->is_sealed())
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called after the command buffer was committed.",
                       NSStringFromSelector(selector)];
  return *recording_;
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return [self computeCommandEncoderWithDispatchType:MTLDispatchTypeSerial];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:
    (MTLDispatchType)dispatchType {
  [self hm_recordingFor:_cmd];
  return [[[HMComputeCommandEncoder alloc] initWithDevice:[queue_.get() hm_device]
                                                recording:recording_
                                             dispatchType:dispatchType] autorelease];
}

- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  [self hm_recordingFor:_cmd];
  return [[[HMBlitCommandEncoder alloc] initWithDevice:[queue_.get() hm_device]
                                             recording:recording_] autorelease];
}

/// The executor's event behind `event`; null, and a fault, when it cannot be encoded now.
- (std::shared_ptr<hostmetal::Event>)hm_executorEvent:(id<MTLEvent>)event
                                            recording:(Recording &)recording
                                             selector:(SEL)selector {
  const std::string method([NSStringFromSelector(selector) UTF8String]);
  HMEvent *const own_event = hostmetal::api::own<HMEvent>(event);
  if (!own_event) {
    recording.fail(MTLCommandBufferErrorInvalidResource,
                   "The event given to " + method + " is nil or not of this device.");
    return nullptr;
  }
  if (recording.has_open_encoder()) {
    recording.fail(MTLCommandBufferErrorInvalidResource,
                   "The method " + method + " was called while a command encoder was open.");
    return nullptr;
  }
  recording.keep(own_event);
  return [own_event hm_event];
}

- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  Recording &recording = [self hm_recordingFor:_cmd];
  if (auto executor_event = [self hm_executorEvent:event recording:recording selector:_cmd])
    recording.add(hostmetal::Wait{std::move(executor_event), value});
}

- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  Recording &recording = [self hm_recordingFor:_cmd];
  if (auto executor_event = [self hm_executorEvent:event recording:recording selector:_cmd])
    recording.add(hostmetal::Signal{std::move(executor_event), value});
}

- (void)pushDebugGroup:(NSString *)string {
  (void)string;
  [self hm_recordingFor:_cmd];
  ++debugGroups_;
}

- (void)popDebugGroup {
  Recording &recording = [self hm_recordingFor:_cmd];
  if (debugGroups_ == 0)
    return recording.fail(MTLCommandBufferErrorInvalidResource,
                          "A debug group of the command buffer was popped but none was pushed.");
  --debugGroups_;
}

#pragma mark Submitting

- (void)hm_add:(MTLCommandBufferHandler)block
       toStage:(Stage Progress::*)stage
      selector:(SEL)selector {
  Block<MTLCommandBufferHandler> handler(block);
  std::unique_lock lock(mutex_);
  const bool is_late = progress_.status >= MTLCommandBufferStatusCommitted;
  if (block && !is_late) {
    (progress_.*stage).handlers.push_back(std::move(handler));
    return;
  }
  lock.unlock();
  [NSException raise:NSInvalidArgumentException
              format:is_late ? @"-%@ was called after the command buffer was committed."
                             : @"-%@ was given no block.",
                     NSStringFromSelector(selector)];
}

- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
  [self hm_add:block toStage:&Progress::scheduled selector:_cmd];
}

- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  [self hm_add:block toStage:&Progress::completed selector:_cmd];
}

/// Moves on to `status`; raises unless the status is below `limit`.
- (void)hm_advanceTo:(MTLCommandBufferStatus)status
               below:(MTLCommandBufferStatus)limit
            selector:(SEL)selector {
  std::unique_lock lock(mutex_);
  const MTLCommandBufferStatus before = progress_.status;
  if (before < limit) {
    progress_.status = status;
    if (status == MTLCommandBufferStatusCommitted)
      progress_.kernel_start = [queue_.get() hm_executor].now();
    return;
  }
  lock.unlock();
  [NSException raise:NSInvalidArgumentException
              format:@"-%@ was called on a command buffer that was already %@.",
                     NSStringFromSelector(selector),
                     before == MTLCommandBufferStatusEnqueued ? @"enqueued" : @"committed"];
}

- (void)enqueue {
  [self hm_advanceTo:MTLCommandBufferStatusEnqueued
               below:MTLCommandBufferStatusEnqueued
            selector:_cmd];
  place_ = [queue_.get() hm_order].reserve();
}

- (void)commit {
  [self hm_advanceTo:MTLCommandBufferStatusCommitted
               below:MTLCommandBufferStatusCommitted
            selector:_cmd];
  if (recording_->has_open_encoder())
    recording_->fail(
        MTLCommandBufferErrorInvalidResource,
        "The command buffer was committed while one of its command encoders was open.");
  recording_->seal();
  SubmissionOrder &order = [queue_.get() hm_order];
  if (!place_)
    place_ = order.reserve();
  order.decide(place_, self);
}

- (void)hm_submit {
  // The executor may keep the callbacks longer than the work: they let go of what they hold.
  auto holder =
      std::make_shared<Retained<HMCommandBuffer *>>(Retained<HMCommandBuffer *>::retain(self));
  try {
    [queue_.get() hm_stream].submit(
        recording_->take_commands(),
        [holder] {
          ExecutorCallback callback;
          @autoreleasepool {
            [holder->get() hm_didSchedule];
          }
        },
        [holder](const Outcome &outcome) {
          ExecutorCallback callback;
          @autoreleasepool {
            [holder->get() hm_didComplete:outcome];
            *holder = nullptr;
          }
        });
  } catch (const std::exception &error) {
    [self hm_didComplete:Outcome{.error = std::string("The command buffer was not accepted: ") +
                                          error.what() + "."}];
  }
}

#pragma mark Completing

/// Moves on to `status` and starts the handlers that belong to it, on the queue's handler thread.
- (void)hm_reach:(MTLCommandBufferStatus)status
           stage:(Stage Progress::*)stage
          update:(const std::function<void(Progress &)> &)update {
  auto handlers = std::make_shared<Handlers>();
  {
    std::lock_guard lock(mutex_);
    update(progress_);
    progress_.status = status;
    *handlers = std::move((progress_.*stage).handlers);
    (progress_.*stage).is_handling = !handlers->empty();
    changed_.notify_all();
  }
  if (handlers->empty())
    return;
  auto buffer = Retained<HMCommandBuffer *>::retain(self);
  [[queue_.get() hm_handlerQueue] hm_async:^{
    handling_queue = [buffer.get() commandQueue];
    for (const Block<MTLCommandBufferHandler> &handler : *handlers)
      handler(buffer.get());
    handlers->clear();
    handling_queue = nil;
    [buffer.get() hm_didHandle:stage];
  }];
}

- (void)hm_didHandle:(Stage Progress::*)stage {
  std::lock_guard lock(mutex_);
  (progress_.*stage).is_handling = false;
  changed_.notify_all();
}

- (void)hm_didSchedule {
  const double now = [queue_.get() hm_executor].now();
  [self hm_reach:MTLCommandBufferStatusScheduled
           stage:&Progress::scheduled
          update:[&](Progress &progress) { progress.kernel_end = now; }];
}

- (void)hm_didComplete:(const Outcome &)outcome {
  std::optional<Fault> fault = recording_->fault();
  if (!fault && !outcome.error.empty())
    fault = Fault{MTLCommandBufferErrorInternal, outcome.error, std::nullopt};
  NSError *const error =
      fault
          ? hostmetal::api::make_command_buffer_error(*fault, recording_->encoders(), errorOptions_)
          : nil;
  // Before anybody learns of the end: who waited for it may count on both.
  recording_->drop_contents();
  slot_.reset();
  [self hm_reach:fault ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted
           stage:&Progress::completed
          update:[&](Progress &progress) {
            progress.error = Retained<NSError *>::retain(error);
            progress.gpu_start = outcome.start;
            progress.gpu_end = outcome.end;
          }];
}

#pragma mark Waiting

/// Waits until `is_reached` holds, which is asked again after each step.
- (void)hm_waitUntil:(bool (*)(const Progress &progress, bool ignores_handlers))is_reached
            selector:(SEL)selector {
  // A handler cannot wait for handlers that run after it on its own thread.
  const bool is_handler = handling_queue == queue_.get();
  std::unique_lock lock(mutex_);
  if (progress_.status >= MTLCommandBufferStatusCommitted) {
    changed_.wait(lock, [&] { return is_reached(progress_, is_handler); });
    return;
  }
  lock.unlock();
  [NSException raise:NSInvalidArgumentException
              format:@"-%@ was called before the command buffer was committed.",
                     NSStringFromSelector(selector)];
}

- (void)waitUntilScheduled {
  [self hm_waitUntil:[](const Progress &progress, bool ignores_handlers) {
    return progress.status >= MTLCommandBufferStatusScheduled &&
           (ignores_handlers || !progress.scheduled.is_handling);
  }
            selector:_cmd];
}

- (void)waitUntilCompleted {
  [self hm_waitUntil:[](const Progress &progress, bool ignores_handlers) {
    return progress.status >= MTLCommandBufferStatusCompleted &&
           (ignores_handlers ||
            (!progress.scheduled.is_handling && !progress.completed.is_handling));
  }
            selector:_cmd];
}

@end
