#include "core/kernel_log.hpp"

#include "metalcore/error.hpp"
#include "objc/autorelease_pool.hpp"
#include "objc/error.hpp"
#include "objc/strings.hpp"
#include "support/log.hpp"

#include <string>

namespace metalcore {

using objc::Retained;

namespace {

// Of the messages of one command buffer; what does not fit is dropped and counted.
constexpr NSInteger buffer_size = NSInteger{4} << 20;

/// What log() writes is to be seen unless somebody says otherwise: a warning is the least that is.
log::Level level_of(MTLLogLevel level) API_AVAILABLE(macos(15.0)) {
  switch (level) {
  case MTLLogLevelDebug:
    return log::Level::debug;
  case MTLLogLevelInfo:
    return log::Level::info;
  case MTLLogLevelError:
  case MTLLogLevelFault:
    return log::Level::error;
  case MTLLogLevelNotice:
  case MTLLogLevelUndefined:
    break;
  }
  return log::Level::warning;
}

Retained<id<MTLLogState>> make_state(id<MTLDevice> device) API_AVAILABLE(macos(15.0)) {
  const auto descriptor =
      Retained<MTLLogStateDescriptor *>::adopt([[MTLLogStateDescriptor alloc] init]);
  [descriptor.get() setLevel:MTLLogLevelDebug];
  [descriptor.get() setBufferSize:buffer_size];
  NSError *error = nil;
  auto state = Retained<id<MTLLogState>>::adopt([device newLogStateWithDescriptor:descriptor.get()
                                                                            error:&error]);
  if (!state)
    throw Error(ErrorKind::device, "The device cannot log: " + objc::describe(error) + '.');
  [state.get() addLogHandler:^(NSString *subsystem, NSString *category, MTLLogLevel level,
                               NSString *message) {
    const objc::AutoreleasePool pool;
    const std::string origin = subsystem || category
                                   ? objc::to_string(subsystem) + ':' + objc::to_string(category)
                                   : std::string("kernel");
    log::write(level_of(level), '[' + origin + "] " + objc::to_string(message));
  }];
  return state;
}

} // namespace

void KernelLog::enable(id<MTLDevice> device) {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    if (is_enabled())
      return;
    const auto fresh = make_state(device);
    state_.with([&](Retained<id> &state) {
      if (!state)
        state = Retained<id>::retain(fresh.get());
    });
  } else {
    throw Error(ErrorKind::unsupported, "Logging from kernels needs macOS 15 or iOS 18.");
  }
}

bool KernelLog::is_enabled() const {
  return state_.with([](const Retained<id> &state) { return static_cast<bool>(state); });
}

id<MTLCommandBuffer> KernelLog::command_buffer(id<MTLCommandQueue> queue) const {
  const Retained<id> state = state_.with([](const Retained<id> &state) { return state; });
  if (!state)
    return [queue commandBuffer];
  if (@available(macOS 15.0, iOS 18.0, *)) {
    const auto descriptor =
        Retained<MTLCommandBufferDescriptor *>::adopt([[MTLCommandBufferDescriptor alloc] init]);
    [descriptor.get() setLogState:state.get()];
    return [queue commandBufferWithDescriptor:descriptor.get()];
  }
  return [queue commandBuffer];
}

} // namespace metalcore
