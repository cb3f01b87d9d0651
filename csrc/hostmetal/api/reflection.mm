#import "hostmetal/api/reflection.h"

#import "hostmetal/api/binding.h"
#include "objc/retained.hpp"

using hostmetal::image::ArgumentKind;
using metalcore::objc::Retained;

@implementation MTLComputePipelineReflection

@synthesize bindings = _bindings;

- (instancetype)initWithKernel:(const hostmetal::image::Kernel &)kernel
                       options:(MTLPipelineOption)options {
  if ((self = [super init])) {
    const BOOL hasTypes = (options & MTLPipelineOptionBufferTypeInfo) != 0;
    NSMutableArray<id<MTLBinding>> *bindings = [NSMutableArray array];
    for (const hostmetal::image::Argument &argument : kernel.arguments) {
      Retained<id<MTLBinding>> binding;
      if (argument.kind == ArgumentKind::buffer)
        binding =
            Retained<id<MTLBinding>>::adopt([[HMBufferBinding alloc] initWithArgument:argument
                                                                             hasTypes:hasTypes]);
      else if (argument.kind == ArgumentKind::threadgroup_memory)
        binding = Retained<id<MTLBinding>>::adopt(
            [[HMThreadgroupBinding alloc] initWithArgument:argument]);
      else if (argument.kind == ArgumentKind::function_table)
        binding = Retained<id<MTLBinding>>::adopt([[HMBinding alloc] initWithArgument:argument]);
      if (binding)
        [bindings addObject:binding.get()];
    }
    _bindings = [bindings copy];
  }
  return self;
}

- (void)dealloc {
  [_bindings release];
  [super dealloc];
}

@end
