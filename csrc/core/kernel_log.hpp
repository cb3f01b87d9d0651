#pragma once

#include "objc/retained.hpp"
#include "support/guarded.hpp"

#import <Metal/Metal.h>

namespace metalcore {

/// Where the kernels of a device log: to this process's log, as "[subsystem:category] text". Any
/// thread.
class KernelLog {
public:
  /// From here on command buffers can have a log. Throws Error{unsupported} where Metal is too old.
  void enable(id<MTLDevice> device);
  /// A new command buffer, with a log if that is enabled; nil where the queue has none to give.
  /// Autoreleased.
  id<MTLCommandBuffer> command_buffer(id<MTLCommandQueue> queue) const;
  bool is_enabled() const;

private:
  Guarded<objc::Retained<id>> state_; ///< an MTLLogState, which an older Metal does not know
};

} // namespace metalcore
