#import "hostmetal/api/command_buffer.h"

#import "hostmetal/api/blit_encoder.h"
#import "hostmetal/api/command_queue.h"
#import "hostmetal/api/compute_encoder.h"
#import "hostmetal/api/device.h"
#import "hostmetal/api/event.h"
#import "hostmetal/api/log_state.h"
#include "hostmetal/api/own_class.hpp"
#include "objc/autorelease_pool.hpp"

#include <exception>

using hostmetal::Outcome;
using hostmetal::api::Block;
using hostmetal::api::ExecutorCallback;
using hostmetal::api::Handlers;
using hostmetal::api::Progress;
using hostmetal::api::Recording;
using hostmetal::api::Stage;
using hostmetal::api::SubmissionLimit;
using hostmetal::api::SubmissionOrder;
using metalcore::objc::Retained;

namespace {

/// Runs a callback of the executor's, on a thread of its own.
template <typename Callback> void on_executor_thread(const Callback &callback) {
  const ExecutorCallback scope;
  const metalcore::objc::AutoreleasePool pool;
  callback();
}

} // namespace

@implementation HMCommandBuffer

@synthesize label = _label;

- (instancetype)initWithQueue:(HMCommandQueue *)queue
                         slot:(std::unique_ptr<SubmissionLimit::Slot>)slot
           retainedReferences:(BOOL)retainedReferences
                 errorOptions:(MTLCommandBufferErrorOption)errorOptions
                     logState:(HMLogState *)logState {
  if ((self = [super init])) {
    _queue = Retained<HMCommandQueue *>::retain(queue);
    _slot = std::move(slot);
    _retainedReferences = retainedReferences;
    _errorOptions = errorOptions;
    _recording = std::make_shared<Recording>();
    _logState = Retained<HMLogState *>::retain(logState);
    if (logState)
      _recording->log_to([logState hm_buffer]);
  }
  return self;
}

- (void)dealloc {
  // Enqueued and never committed: those behind it must not wait for it.
  if (_place && [self status] < MTLCommandBufferStatusCommitted)
    [_queue.get() hm_order].decide(_place, nil);
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return [_queue.get() device];
}

- (id<MTLCommandQueue>)commandQueue {
  return _queue.get();
}

- (BOOL)retainedReferences {
  return _retainedReferences;
}

- (MTLCommandBufferErrorOption)errorOptions {
  return _errorOptions;
}

- (MTLCommandBufferStatus)status {
  return _progress.with([](const Progress &progress) { return progress.status; });
}

- (NSError *)error {
  auto error = _progress.with([](const Progress &progress) { return progress.error; });
  return [error.release() autorelease];
}

- (CFTimeInterval)kernelStartTime {
  return _progress.with([](const Progress &progress) { return progress.kernel_start; });
}

- (CFTimeInterval)kernelEndTime {
  return _progress.with([](const Progress &progress) { return progress.kernel_end; });
}

- (CFTimeInterval)GPUStartTime {
  return _progress.with([](const Progress &progress) { return progress.gpu_start; });
}

- (CFTimeInterval)GPUEndTime {
  return _progress.with([](const Progress &progress) { return progress.gpu_end; });
}

#pragma mark Encoding

/// The recording, for a method that needs it open.
- (Recording &)hm_recordingFor:(SEL)selector {
  if (_recording->is_sealed())
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called after the command buffer was committed.",
                       NSStringFromSelector(selector)];
  return *_recording;
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return [self computeCommandEncoderWithDispatchType:MTLDispatchTypeSerial];
}

- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:
    (MTLDispatchType)dispatchType {
  [self hm_recordingFor:_cmd];
  return [[[HMComputeCommandEncoder alloc] initWithDevice:[_queue.get() hm_device]
                                                recording:_recording
                                             dispatchType:dispatchType] autorelease];
}

- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  [self hm_recordingFor:_cmd];
  return [[[HMBlitCommandEncoder alloc] initWithDevice:[_queue.get() hm_device]
                                             recording:_recording] autorelease];
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
  ++_debugGroups;
}

- (void)popDebugGroup {
  Recording &recording = [self hm_recordingFor:_cmd];
  if (_debugGroups == 0)
    return recording.fail(MTLCommandBufferErrorInvalidResource,
                          "A debug group of the command buffer was popped but none was pushed.");
  --_debugGroups;
}

#pragma mark Submitting

- (void)hm_add:(MTLCommandBufferHandler)block
       toStage:(Stage Progress::*)stage
      selector:(SEL)selector {
  Block<MTLCommandBufferHandler> handler(block);
  const bool is_late = _progress.with([&](Progress &progress) {
    if (progress.status >= MTLCommandBufferStatusCommitted)
      return true;
    if (handler)
      (progress.*stage).handlers.push_back(std::move(handler));
    return false;
  });
  if (is_late)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called after the command buffer was committed.",
                       NSStringFromSelector(selector)];
  if (!block)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was given no block.", NSStringFromSelector(selector)];
}

- (void)addScheduledHandler:(MTLCommandBufferHandler)block {
  [self hm_add:block toStage:&Progress::scheduled selector:_cmd];
}

- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  [self hm_add:block toStage:&Progress::completed selector:_cmd];
}

/// Moves on to `status`; raises unless the status is below it.
- (void)hm_advanceTo:(MTLCommandBufferStatus)status selector:(SEL)selector {
  const double now = [_queue.get() hm_executor].now();
  const MTLCommandBufferStatus before = _progress.with([&](Progress &progress) {
    const MTLCommandBufferStatus present = progress.status;
    if (present < status) {
      progress.status = status;
      if (status == MTLCommandBufferStatusCommitted) {
        progress.generation = metalcore::fork::generation();
        progress.kernel_start = now;
      }
    }
    return present;
  });
  if (before >= status)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called on a command buffer that was already %@.",
                       NSStringFromSelector(selector),
                       before == MTLCommandBufferStatusEnqueued ? @"enqueued" : @"committed"];
}

- (void)enqueue {
  [self hm_advanceTo:MTLCommandBufferStatusEnqueued selector:_cmd];
  _place = [_queue.get() hm_order].reserve();
}

- (void)commit {
  [self hm_advanceTo:MTLCommandBufferStatusCommitted selector:_cmd];
  if (_recording->has_open_encoder())
    _recording->fail(
        MTLCommandBufferErrorInvalidResource,
        "The command buffer was committed while one of its command encoders was open.");
  _recording->seal();
  [self hm_deliverLogFirst];
  SubmissionOrder &order = [_queue.get() hm_order];
  if (!_place)
    _place = order.reserve();
  order.decide(_place, self);
}

/// Before the completed handlers, and before anybody learns that the commands have run.
- (void)hm_deliverLogFirst {
  if (!_logState)
    return;
  const Block<MTLCommandBufferHandler> deliver(^(id<MTLCommandBuffer> buffer) {
    [static_cast<HMCommandBuffer *>(buffer)->_logState.get() hm_deliver];
  });
  _progress.with([&](Progress &progress) {
    Handlers &handlers = progress.completed.handlers;
    handlers.insert(handlers.begin(), deliver);
  });
}

- (void)hm_submit {
  // The executor may keep the callbacks longer than the work: they let go of what they hold.
  auto holder =
      std::make_shared<Retained<HMCommandBuffer *>>(Retained<HMCommandBuffer *>::retain(self));
  try {
    [_queue.get() hm_stream].submit(
        _recording->take_commands(),
        [holder] { on_executor_thread([&] { [holder->get() hm_didSchedule]; }); },
        [holder](const Outcome &outcome) {
          on_executor_thread([&] {
            [holder->get() hm_didComplete:outcome];
            *holder = nullptr;
          });
        });
  } catch (const std::exception &error) {
    [self hm_didComplete:Outcome{.error = std::string("The command buffer was not accepted: ") +
                                          error.what() + "."}];
  }
}

#pragma mark Waiting

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
