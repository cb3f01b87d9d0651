#import "hostmetal/api/command_queue.h"

#import "hostmetal/api/command_buffer.h"
#import "hostmetal/api/device.h"
#import "hostmetal/api/dispatch_queue.h"

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

- (instancetype)initWithDevice:(HMDevice *)device maxCommandBufferCount:(NSUInteger)count {
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
                                                      (MTLCommandBufferErrorOption)errorOptions {
  return [[[HMCommandBuffer alloc] initWithQueue:self
                                            slot:_limit->take()
                              retainedReferences:retainedReferences
                                    errorOptions:errorOptions] autorelease];
}

- (id<MTLCommandBuffer>)commandBuffer {
  return [self hm_commandBufferWithRetainedReferences:YES
                                         errorOptions:MTLCommandBufferErrorOptionNone];
}

- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences {
  return [self hm_commandBufferWithRetainedReferences:NO
                                         errorOptions:MTLCommandBufferErrorOptionNone];
}

- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor {
  if (!descriptor)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ needs a descriptor.", NSStringFromSelector(_cmd)];
  return [self hm_commandBufferWithRetainedReferences:[descriptor retainedReferences]
                                         errorOptions:[descriptor errorOptions]];
}

@end

namespace hostmetal::api {

id<MTLCommandQueue> make_command_queue(HMDevice *device, NSUInteger max_command_buffer_count) {
  if (max_command_buffer_count == 0)
    return nil;
  return [[HMCommandQueue alloc] initWithDevice:device
                          maxCommandBufferCount:max_command_buffer_count];
}

} // namespace hostmetal::api
