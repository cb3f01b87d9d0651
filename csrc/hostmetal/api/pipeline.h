#pragma once

#import <Metal/Metal.h>

#include "hostmetal/executor/executor.hpp"

#include <memory>

@class HMDevice;
@class HMFunction;

/// A loaded kernel. Immutable; any thread.
@interface HMComputePipelineState : NSObject <MTLComputePipelineState>

/// Builds the function's kernel: compiles it, or takes it from the image of its library. Nil and
/// `error` on failure. `max_total_threads` is the descriptor's limit, 0 for none.
- (instancetype)initWithDevice:(HMDevice *)device
                      function:(HMFunction *)function
               maxTotalThreads:(NSUInteger)maxTotalThreads
                         label:(NSString *)label
                         error:(NSError **)error;

/// What the executor dispatches; it keeps the code alive.
- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel;
/// What the kernel takes: slots, indices, sizes.
- (const hostmetal::image::Kernel &)hm_reflection;

@end
