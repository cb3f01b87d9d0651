#pragma once

#import "hostmetal/api/resource.h"
#include "hostmetal/executor/executor.hpp"
#include "hostmetal/image/abi.h"

#include <memory>

@class HMFunction;

/// A function that a pipeline links. Immutable; any thread.
@interface HMFunctionHandle : NSObject <MTLFunctionHandle> {
@private
  metalcore::objc::Retained<HMFunction *> _function;
  std::shared_ptr<const hostmetal::Kernel> _kernel;
  uint64_t _number;
}

/// `kernel` is the pipeline's, `number` what stands for the function in its tables.
- (instancetype)initWithFunction:(HMFunction *)function
                          kernel:(std::shared_ptr<const hostmetal::Kernel>)kernel
                          number:(uint64_t)number;
- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel;
- (uint64_t)hm_number;

@end

/// An HmFunctionTable in memory of the executor's. Like a buffer's its content is its user's to
/// order.
@interface HMVisibleFunctionTable : HMResource <MTLVisibleFunctionTable> {
@private
  std::unique_ptr<hostmetal::Allocation> _allocation;
  std::shared_ptr<const hostmetal::Kernel> _kernel;
}

/// The kernel of the pipeline whose functions the table holds.
- (const std::shared_ptr<const hostmetal::Kernel> &)hm_kernel;
- (HmFunctionTable *)hm_table;

@end

namespace hostmetal::api {

/// +1; nil where there is no memory for `count` places, or `count` is 0.
id<MTLVisibleFunctionTable> make_function_table(HMDevice *device,
                                                std::shared_ptr<const hostmetal::Kernel> kernel,
                                                NSUInteger count);

} // namespace hostmetal::api
