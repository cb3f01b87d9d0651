#pragma once

#import <Metal/Metal.h>

#include "hostmetal/api/library_code.hpp"
#include "hostmetal/executor/executor.hpp"
#include "objc/retained.hpp"

#include <memory>
#include <vector>

@class HMDevice;
@class HMFunction;

/// A loaded kernel. Immutable; any thread.
@interface HMComputePipelineState : NSObject <MTLComputePipelineState> {
@private
  metalcore::objc::Retained<HMDevice *> _device;
  metalcore::objc::Retained<NSString *> _label;
  std::shared_ptr<const hostmetal::Kernel> _kernel;
  NSUInteger _maxTotalThreadsPerThreadgroup;
  std::vector<uint64_t> _callable; // numbers of the linked functions that have handles
}

/// `kernel` is the function's, `callable` the numbers of the functions that it finds in tables.
/// `maxTotalThreads` is the descriptor's limit, 0 for none. Throws
/// Failure.
- (instancetype)initWithDevice:(HMDevice *)device
                      function:(HMFunction *)function
                        kernel:(hostmetal::api::LibraryCode::LoadedKernel)kernel
                      callable:(std::vector<uint64_t>)callable
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
/// All functions that a pipeline links, each once; valid as long as they are. Throws Failure for
/// what is no visible function of this device.
LinkedFunctions linked_functions(MTLLinkedFunctions *functions);
/// The descriptor of a pipeline about which nothing but its function is said; autoreleased.
MTLComputePipelineDescriptor *pipeline_descriptor(id<MTLFunction> function);

} // namespace hostmetal::api
