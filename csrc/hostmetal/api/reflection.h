#pragma once

#import <Metal/Metal.h>

#include "hostmetal/image/reflection.hpp"

@interface MTLComputePipelineReflection (HostMetal)

/// Every argument; buffers with their types if `options` ask for them.
- (instancetype)initWithKernel:(const hostmetal::image::Kernel &)kernel
                       options:(MTLPipelineOption)options;

@end
