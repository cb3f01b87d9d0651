#import "hostmetal/api/binding.h"

#include "hostmetal/api/text.hpp"
#import "hostmetal/api/type.h"

using hostmetal::image::Access;
using hostmetal::image::Argument;
using hostmetal::image::ArgumentKind;

@implementation HMBinding

- (instancetype)initWithArgument:(const Argument &)argument {
  if ((self = [super init])) {
    _name = [hostmetal::api::to_string(argument.name) copy];
    _argument = argument;
  }
  return self;
}

- (void)dealloc {
  [_name release];
  [super dealloc];
}

- (const Argument &)hm_argument {
  return _argument;
}

- (NSString *)name {
  return _name;
}

- (MTLBindingType)type {
  switch (_argument.kind) {
  case ArgumentKind::buffer:
    return MTLBindingTypeBuffer;
  case ArgumentKind::threadgroup_memory:
    return MTLBindingTypeThreadgroupMemory;
  case ArgumentKind::texture:
    return MTLBindingTypeTexture;
  case ArgumentKind::sampler:
    return MTLBindingTypeSampler;
  case ArgumentKind::function_table:
    return MTLBindingTypeVisibleFunctionTable;
  }
}

- (MTLBindingAccess)access {
  return hostmetal::api::binding_access(_argument.access);
}

- (NSUInteger)index {
  return _argument.index;
}

- (BOOL)isUsed {
  return _argument.is_active;
}

- (BOOL)isArgument {
  return YES;
}

@end

@implementation HMBufferBinding

- (instancetype)initWithArgument:(const Argument &)argument hasTypes:(BOOL)hasTypes {
  if ((self = [self initWithArgument:argument]) && hasTypes)
    _bufferPointerType = [[MTLPointerType alloc] initWithArgument:argument];
  return self;
}

- (void)dealloc {
  [_bufferPointerType release];
  [super dealloc];
}

- (NSUInteger)bufferAlignment {
  return [self hm_argument].type_alignment;
}

- (NSUInteger)bufferDataSize {
  return [self hm_argument].type_size;
}

- (MTLDataType)bufferDataType {
  return static_cast<MTLDataType>([self hm_argument].data_type);
}

- (MTLStructType *)bufferStructType {
  return [_bufferPointerType elementStructType];
}

- (MTLPointerType *)bufferPointerType {
  return _bufferPointerType;
}

/// Beyond Metal's API, which does not tell `constant T &x` from `constant T *x`: callers ask
/// whether a binding responds to it.
- (BOOL)isReference {
  return [self hm_argument].is_reference;
}

@end

@implementation HMThreadgroupBinding

- (NSUInteger)threadgroupMemoryAlignment {
  return [self hm_argument].type_alignment;
}

- (NSUInteger)threadgroupMemoryDataSize {
  return [self hm_argument].type_size;
}

@end

@implementation HMTextureBinding

- (MTLTextureType)textureType {
  return static_cast<MTLTextureType>([self hm_argument].texture_type);
}

- (MTLDataType)textureDataType {
  return static_cast<MTLDataType>([self hm_argument].data_type);
}

- (BOOL)isDepthTexture {
  return [self hm_argument].is_depth;
}

- (NSUInteger)arrayLength {
  return [self hm_argument].array_length;
}

@end
