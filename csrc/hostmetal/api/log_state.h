#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/block.hpp"
#include "hostmetal/api/log_buffer.hpp"

#include <memory>
#include <vector>

namespace hostmetal::api {

using LogHandler = void (^)(NSString *subsystem, NSString *category, MTLLogLevel level,
                            NSString *message);

/// A log state; throws std::invalid_argument for a descriptor that is nil or out of its limits.
/// Returns +1.
id<MTLLogState> make_log_state(MTLLogStateDescriptor *descriptor);

/// The log state that MTL_LOG_LEVEL or MTL_LOG_BUFFER_SIZE ask for; nil where neither is set.
/// Returns +1.
id<MTLLogState> make_log_state_of_environment();

} // namespace hostmetal::api

/// Any thread.
@interface HMLogState : NSObject <MTLLogState> {
@private
  std::shared_ptr<hostmetal::api::LogBuffer> _buffer;
  metalcore::Guarded<std::vector<hostmetal::api::Block<hostmetal::api::LogHandler>>> _handlers;
}

- (instancetype)initWithLevel:(MTLLogLevel)level bufferSize:(size_t)bufferSize;

/// Where kernels write.
- (const std::shared_ptr<hostmetal::api::LogBuffer> &)hm_buffer;
/// Hands what is in the buffer to the handlers.
- (void)hm_deliver;

@end
