#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/library_code.hpp"
#include "hostmetal/executor/executor.hpp"
#include "objc/retained.hpp"

#include <memory>

@class HMDevice;
@class HMFunction;

/// A loaded kernel. Immutable; any thread.
@interface HMComputePipelineState : NSObject <MTLComputePipelineState> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  metalcore::objc::Retained<NSString *> _label;
  std::shared_ptr<const hostmetal::Kernel> _kernel;
  NSUInteger _maxTotalThreadsPerThreadgroup;
}

/// `kernel` is the function's. `maxTotalThreads` is the descriptor's limit, 0 for none. Throws
/// Failure.
- (instancetype)initWithDevice:(HMDevice *)device
                      function:(HMFunction *)function
                        kernel:(hostmetal::api::LibraryCode::LoadedKernel)kernel
               maxTotalThreads:(NSUInteger)maxTotalThreads
                         label:(NSString *)label;

/// What the executor dispatches; it keeps the code alive.
- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel;
/// What the kernel takes: slots, indices, sizes.
- (const hostmetal::image::Kernel &)hm_reflection;

@end

namespace hostmetal::api {

/// +1, or nil and `error`. `reflection` may be null; it is set, autoreleased, if `options` ask for
/// it and to nil otherwise.
id<MTLComputePipelineState> make_compute_pipeline(HMDevice *device,
                                                  MTLComputePipelineDescriptor *descriptor,
                                                  MTLPipelineOption options,
                                                  MTLComputePipelineReflection **reflection,
                                                  NSError **error);
/// The descriptor of a pipeline about which nothing but its function is said; autoreleased.
MTLComputePipelineDescriptor *pipeline_descriptor(id<MTLFunction> function);

} // namespace hostmetal::api
