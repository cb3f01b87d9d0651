#import "hostmetal/api/type.h"

#include "hostmetal/api/text.hpp"
#include "objc/retained.hpp"

#include <vector>

using hostmetal::image::Argument;
using hostmetal::image::Member;
using metalcore::objc::Retained;

@interface MTLType (HostMetal)
- (instancetype)initWithDataType:(MTLDataType)dataType;
@end

@interface MTLStructMember (HostMetal)
- (instancetype)initWithMember:(const Member &)member;
@end

@interface MTLStructType (HostMetal)
- (instancetype)initWithMembers:(const std::vector<Member> &)members;
@end

@interface MTLArrayType (HostMetal)
/// `member` is an array.
- (instancetype)initWithMember:(const Member &)member;
@end

namespace {

MTLDataType data_type(hostmetal::image::DataType type) { return static_cast<MTLDataType>(type); }

/// The description of a struct with these members; nil for other types. +1.
MTLType *make_struct(hostmetal::image::DataType type, const std::vector<Member> &members) {
  return type == MTLDataTypeStruct ? [[MTLStructType alloc] initWithMembers:members] : nil;
}

/// The type if it is of class T, or nil.
template <typename T> T *as(MTLType *type) {
  return [type isKindOfClass:[T class]] ? static_cast<T *>(type) : nil;
}

} // namespace

@implementation MTLType

@synthesize dataType = _dataType;

- (instancetype)initWithDataType:(MTLDataType)dataType {
  if ((self = [super init]))
    _dataType = dataType;
  return self;
}

@end

@implementation MTLStructMember

@synthesize name = _name, offset = _offset, dataType = _dataType, argumentIndex = _argumentIndex;

- (instancetype)initWithMember:(const Member &)member {
  if ((self = [super init])) {
    const bool is_array = member.array_length > 0;
    _name = [hostmetal::api::to_string(member.name) copy];
    _offset = member.offset;
    _dataType = is_array ? MTLDataTypeArray : data_type(member.data_type);
    _type = is_array ? [[MTLArrayType alloc] initWithMember:member]
                     : make_struct(member.data_type, member.members);
  }
  return self;
}

- (void)dealloc {
  [_name release];
  [_type release];
  [super dealloc];
}

- (MTLStructType *)structType {
  return as<MTLStructType>(_type);
}

- (MTLArrayType *)arrayType {
  return as<MTLArrayType>(_type);
}

- (MTLPointerType *)pointerType {
  return as<MTLPointerType>(_type);
}

@end

@implementation MTLStructType

@synthesize members = _members;

- (instancetype)initWithMembers:(const std::vector<Member> &)members {
  if ((self = [self initWithDataType:MTLDataTypeStruct])) {
    NSMutableArray *described = [NSMutableArray array];
    for (const Member &member : members)
      [described addObject:Retained<MTLStructMember *>::adopt(
                               [[MTLStructMember alloc] initWithMember:member])
                               .get()];
    _members = [described copy];
  }
  return self;
}

- (void)dealloc {
  [_members release];
  [super dealloc];
}

- (MTLStructMember *)memberByName:(NSString *)name {
  for (MTLStructMember *member in _members)
    if ([[member name] isEqualToString:name])
      return member;
  return nil;
}

@end

@implementation MTLArrayType

@synthesize elementType = _elementType, arrayLength = _arrayLength, stride = _stride,
            argumentIndexStride = _argumentIndexStride;

- (instancetype)initWithMember:(const Member &)member {
  if ((self = [self initWithDataType:MTLDataTypeArray])) {
    _elementType = data_type(member.data_type);
    _arrayLength = member.array_length;
    _stride = member.size;
    _element = make_struct(member.data_type, member.members);
  }
  return self;
}

- (void)dealloc {
  [_element release];
  [super dealloc];
}

- (MTLStructType *)elementStructType {
  return as<MTLStructType>(_element);
}

- (MTLArrayType *)elementArrayType {
  return as<MTLArrayType>(_element);
}

- (MTLPointerType *)elementPointerType {
  return as<MTLPointerType>(_element);
}

@end

@implementation MTLPointerType

@synthesize elementType = _elementType, access = _access, alignment = _alignment,
            dataSize = _dataSize;

- (instancetype)initWithArgument:(const Argument &)argument {
  if ((self = [self initWithDataType:MTLDataTypePointer])) {
    _elementType = data_type(argument.data_type);
    _access = hostmetal::api::binding_access(argument.access);
    _alignment = argument.type_alignment;
    _dataSize = argument.type_size;
    _element = make_struct(argument.data_type, argument.members);
  }
  return self;
}

- (void)dealloc {
  [_element release];
  [super dealloc];
}

// Argument buffers hold pointers, which no reflected struct has.
- (BOOL)elementIsArgumentBuffer {
  return NO;
}

- (MTLStructType *)elementStructType {
  return as<MTLStructType>(_element);
}

- (MTLArrayType *)elementArrayType {
  return as<MTLArrayType>(_element);
}

@end

namespace hostmetal::api {

MTLBindingAccess binding_access(image::Access access) {
  switch (access) {
  case image::Access::read_only:
    return MTLBindingAccessReadOnly;
  case image::Access::read_write:
    return MTLBindingAccessReadWrite;
  case image::Access::write_only:
    return MTLBindingAccessWriteOnly;
  }
}

} // namespace hostmetal::api
