#import "hostmetal/api/command_buffer.h"

#include "hostmetal/api/command_buffer_error.hpp"
#import "hostmetal/api/command_queue.h"
#import "hostmetal/api/dispatch_queue.h"

#include <functional>
#include <optional>
#include <system_error>

using hostmetal::Outcome;
using hostmetal::api::Block;
using hostmetal::api::Fault;
using hostmetal::api::Handlers;
using hostmetal::api::Progress;
using hostmetal::api::Stage;
using metalcore::objc::Retained;

namespace {

/// The queue whose handlers this thread is running.
thread_local const HMCommandQueue *handling_queue = nil;

} // namespace

@implementation HMCommandBuffer (Progress)

/// Moves on to `status` and starts the handlers that belong to it, on the queue's handler thread.
- (void)hm_reach:(MTLCommandBufferStatus)status
           stage:(Stage Progress::*)stage
          update:(const std::function<void(Progress &)> &)update {
  auto handlers = std::make_shared<Handlers>(_progress.with([&](Progress &progress) {
    update(progress);
    progress.status = status;
    Handlers due = std::move((progress.*stage).handlers);
    (progress.*stage).is_handling = !due.empty();
    return due;
  }));
  [self hm_didStep];
  if (handlers->empty())
    return;
  auto buffer = Retained<HMCommandBuffer *>::retain(self);
  const dispatch_block_t handle = ^{
    handling_queue = [buffer.get() commandQueue];
    for (const Block<MTLCommandBufferHandler> &handler : *handlers)
      handler(buffer.get());
    handlers->clear();
    handling_queue = nil;
    [buffer.get() hm_didHandle:stage];
  };
  try {
    [[_queue.get() hm_handlerQueue] hm_async:handle];
  } catch (const std::system_error &) {
    handle(); // no thread is to be had: better on this one than never
  }
}

- (void)hm_didHandle:(Stage Progress::*)stage {
  _progress.with([&](Progress &progress) { (progress.*stage).is_handling = false; });
  [self hm_didStep];
}

/// Wakes those who wait for progress.
- (void)hm_didStep {
  ++_steps;
  _steps.notify_all();
}

- (void)hm_didSchedule {
  const double now = [_queue.get() hm_executor].now();
  [self hm_reach:MTLCommandBufferStatusScheduled
           stage:&Progress::scheduled
          update:[&](Progress &progress) { progress.kernel_end = now; }];
}

- (void)hm_didComplete:(const Outcome &)outcome {
  std::optional<Fault> fault = _recording->fault();
  if (!fault && !outcome.error.empty())
    fault = Fault{outcome.is_stack_overflow ? MTLCommandBufferErrorStackOverflow
                                            : MTLCommandBufferErrorInternal,
                  outcome.error, std::nullopt};
  NSError *const error =
      fault
          ? hostmetal::api::make_command_buffer_error(*fault, _recording->encoders(), _errorOptions)
          : nil;
  // Before anybody learns of the end: who waited for it may count on both.
  _recording->drop_contents();
  _slot.reset();
  [self hm_reach:fault ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted
           stage:&Progress::completed
          update:[&](Progress &progress) {
            progress.error = Retained<NSError *>::retain(error);
            progress.gpu_start = outcome.start;
            progress.gpu_end = outcome.end;
          }];
}

- (void)hm_waitUntil:(bool (*)(const Progress &progress, bool ignores_handlers))is_reached
            selector:(SEL)selector {
  if ([self status] < MTLCommandBufferStatusCommitted)
    [NSException raise:NSInvalidArgumentException
                format:@"-%@ was called before the command buffer was committed.",
                       NSStringFromSelector(selector)];
  const bool is_handler = handling_queue == _queue.get();
  for (;;) {
    const uint32_t seen = _steps;
    bool is_done = false;
    const uint64_t generation = _progress.with([&](const Progress &progress) {
      is_done = is_reached(progress, is_handler);
      return progress.generation;
    });
    if (is_done)
      return;
    if (generation != metalcore::fork::generation())
      return [self hm_giveUpInChild];
    _steps.wait(seen);
  }
}

/// In a forked child, whose parent runs the commands.
- (void)hm_giveUpInChild {
  const auto error = Retained<NSError *>::retain(hostmetal::api::make_forked_error());
  _progress.with([&](Progress &progress) {
    if (progress.status >= MTLCommandBufferStatusCompleted)
      return;
    progress.status = MTLCommandBufferStatusError;
    progress.error = error;
  });
}

@end
