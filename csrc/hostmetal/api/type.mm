#import "hostmetal/api/type.h"

#include "hostmetal/api/argument_layout.hpp"
#include "hostmetal/api/text.hpp"
#include "objc/retained.hpp"

#include <vector>

using hostmetal::image::Argument;
using hostmetal::image::Member;
using hostmetal::image::Pointee;
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

@interface MTLPointerType (HostMetalPointee)
- (instancetype)initWithPointee:(const Pointee &)pointee;
@end

namespace {

MTLDataType data_type(hostmetal::image::DataType type) { return static_cast<MTLDataType>(type); }

/// The description of a struct with these members; nil for other types. +1.
MTLType *make_struct(hostmetal::image::DataType type, const std::vector<Member> &members) {
  return type == MTLDataTypeStruct ? [[MTLStructType alloc] initWithMembers:members] : nil;
}

/// The description of one value of a member; nil for scalars and vectors. +1.
MTLType *make_element(const Member &member) {
  if (member.pointee)
    return [[MTLPointerType alloc] initWithPointee:*member.pointee];
  return make_struct(member.data_type, member.members);
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
    _type = is_array ? [[MTLArrayType alloc] initWithMember:member] : make_element(member);
    _argumentIndex = member.argument_index;
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
    _argumentIndexStride = hostmetal::api::argument_count(member);
    _element = make_element(member);
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
            dataSize = _dataSize, elementIsArgumentBuffer = _elementIsArgumentBuffer;

- (instancetype)initWithPointee:(const Pointee &)pointee {
  if ((self = [self initWithDataType:MTLDataTypePointer])) {
    _elementType = data_type(pointee.data_type);
    _access = hostmetal::api::binding_access(pointee.access);
    _alignment = pointee.alignment;
    _dataSize = pointee.size;
    _elementIsArgumentBuffer = pointee.is_argument_buffer;
    _element = make_struct(pointee.data_type, pointee.members);
  }
  return self;
}

- (instancetype)initWithArgument:(const Argument &)argument {
  return [self
      initWithPointee:{argument.data_type, argument.access, argument.type_size,
                       argument.type_alignment, argument.is_argument_buffer, argument.members}];
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
