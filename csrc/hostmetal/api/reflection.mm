#import "hostmetal/api/reflection.h"

#import "hostmetal/api/binding.h"
#include "objc/retained.hpp"

using hostmetal::image::ArgumentKind;
using metalcore::objc::Retained;

namespace {

/// +1.
id<MTLBinding> make_binding(const hostmetal::image::Argument &argument, BOOL hasTypes) {
  switch (argument.kind) {
  case ArgumentKind::buffer:
    return [[HMBufferBinding alloc] initWithArgument:argument hasTypes:hasTypes];
  case ArgumentKind::threadgroup_memory:
    return [[HMThreadgroupBinding alloc] initWithArgument:argument];
  case ArgumentKind::texture:
    return [[HMTextureBinding alloc] initWithArgument:argument];
  case ArgumentKind::sampler:
  case ArgumentKind::function_table:
    return [[HMBinding alloc] initWithArgument:argument];
  }
}

} // namespace

@implementation MTLComputePipelineReflection

@synthesize bindings = _bindings;

- (instancetype)initWithKernel:(const hostmetal::image::Kernel &)kernel
                       options:(MTLPipelineOption)options {
  if ((self = [super init])) {
    const BOOL hasTypes = (options & MTLPipelineOptionBufferTypeInfo) != 0;
    NSMutableArray<id<MTLBinding>> *bindings = [NSMutableArray array];
    for (const hostmetal::image::Argument &argument : kernel.arguments) {
      const auto binding = Retained<id<MTLBinding>>::adopt(make_binding(argument, hasTypes));
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
