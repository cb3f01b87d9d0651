#pragma once

#import <Metal/Metal.h>

#include "hostmetal/image/reflection.hpp"

/// One argument of a kernel. Immutable.
@interface HMBinding : NSObject <MTLBinding> {
@private
  NSString *_name;
  hostmetal::image::Argument _argument;
}

- (instancetype)initWithArgument:(const hostmetal::image::Argument &)argument;
- (const hostmetal::image::Argument &)hm_argument;

@end

@interface HMBufferBinding : HMBinding <MTLBufferBinding> {
@private
  MTLPointerType *_bufferPointerType;
}

/// Without `hasTypes` the struct and pointer types are nil.
- (instancetype)initWithArgument:(const hostmetal::image::Argument &)argument
                        hasTypes:(BOOL)hasTypes;

@end

@interface HMTextureBinding : HMBinding <MTLTextureBinding>
@end

@interface HMThreadgroupBinding : HMBinding <MTLThreadgroupBinding>
@end
