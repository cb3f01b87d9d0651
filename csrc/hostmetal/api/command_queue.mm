#import "hostmetal/api/command_queue.h"

#import "hostmetal/api/command_buffer.h"
#import "hostmetal/api/device.h"
#import "hostmetal/api/dispatch_queue.h"
#import "hostmetal/api/log_state.h"
#include "hostmetal/api/own_class.hpp"

#include <algorithm>
#include <thread>

using hostmetal::api::ExecutorCallback;
using hostmetal::api::SubmissionLimit;
using hostmetal::api::SubmissionOrder;
using metalcore::objc::Retained;

namespace hostmetal::api {

namespace {
thread_local unsigned callback_depth = 0;
}

ExecutorCallback::ExecutorCallback() { ++callback_depth; }
ExecutorCallback::~ExecutorCallback() { --callback_depth; }
bool ExecutorCallback::is_running() { return callback_depth != 0; }

} // namespace hostmetal::api

@implementation HMCommandQueue

@synthesize label = _label;

- (instancetype)initWithDevice:(HMDevice *)device
         maxCommandBufferCount:(NSUInteger)count
                      logState:(HMLogState *)logState {
  if ((self = [super init])) {
    _device = Retained<HMDevice *>::retain(device);
    _executor = [device hm_executor];
    _stream = _executor->make_stream();
    // More than could be counted is no limit.
    _limit = std::make_shared<SubmissionLimit>(
        static_cast<uint32_t>(std::min<NSUInteger>(count, UINT32_MAX)));
    // Not the stream's thread: a handler may wait for what runs next.
    _handlerQueue = Retained<HMDispatchQueue *>::adopt(
        [[HMDispatchQueue alloc] initWithLabel:"metal handlers"]);
    _logState = Retained<HMLogState *>::retain(logState);
  }
  return self;
}

- (void)dealloc {
  if (ExecutorCallback::is_running())
    std::thread([executor = _executor, stream = std::move(_stream)]() mutable {
      stream.reset();
    }).detach();
  [_label release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return _device.get();
}

- (HMDevice *)hm_device {
  return _device.get();
}

- (hostmetal::Executor &)hm_executor {
  return *_executor;
}

- (hostmetal::Stream &)hm_stream {
  return *_stream;
}

- (SubmissionOrder &)hm_order {
  return _order;
}

- (HMDispatchQueue *)hm_handlerQueue {
  return _handlerQueue.get();
}

- (id<MTLCommandBuffer>)hm_commandBufferWithRetainedReferences:(BOOL)retainedReferences
                                                  errorOptions:
                                                      (MTLCommandBufferErrorOption)errorOptions
                                                      logState:(HMLogState *)logState {
  return [[[HMCommandBuffer alloc] initWithQueue:self
                                            slot:_limit->take()
                              retainedReferences:retainedReferences
                                    errorOptions:errorOptions
                                        logState:logState ?: _logState.get()] autorelease];
}

- (id<MTLCommandBuffer>)commandBuffer {
  return [self hm_commandBufferWithRetainedReferences:YES
                                         errorOptions:MTLCommandBufferErrorOptionNone
                                             logState:nil];
}

- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
  return [self hm_commandBufferWithRetainedReferences:NO
                                         errorOptions:MTLCommandBufferErrorOptionNone
                                             logState:nil];
}

- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor {
  if (!descriptor)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ needs a descriptor.", NSStringFromSelector(_cmd)];
  return [self hm_commandBufferWithRetainedReferences:[descriptor retainedReferences]
                                         errorOptions:[descriptor errorOptions]
                                             logState:hostmetal::api::own<HMLogState>(
                                                          [descriptor logState])];
}

@end

namespace hostmetal::api {

id<MTLCommandQueue> make_command_queue(HMDevice *device, NSUInteger max_command_buffer_count,
                                       id<MTLLogState> log_state) {
  if (max_command_buffer_count == 0)
    return nil;
  const auto chosen = log_state ? Retained<id<MTLLogState>>::retain(log_state)
                                : Retained<id<MTLLogState>>::adopt(make_log_state_of_environment());
  return [[HMCommandQueue alloc] initWithDevice:device
                          maxCommandBufferCount:max_command_buffer_count
                                       logState:own<HMLogState>(chosen.get())];
}

} // namespace hostmetal::api
