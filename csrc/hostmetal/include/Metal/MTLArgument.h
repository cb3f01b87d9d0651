#pragma once

#import <Metal/MTLDataType.h>
#import <Metal/MTLTexture.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLArrayType;
@class MTLPointerType;
@class MTLStructType;

/// What is bound at an index.
typedef NS_ENUM(NSInteger, MTLBindingType) {
  MTLBindingTypeBuffer = 0,
  MTLBindingTypeThreadgroupMemory = 1,
  MTLBindingTypeTexture = 2,
  MTLBindingTypeSampler = 3,
  MTLBindingTypeImageblockData = 16,
  MTLBindingTypeImageblock = 17,
  MTLBindingTypeVisibleFunctionTable = 24,
  MTLBindingTypePrimitiveAccelerationStructure = 25,
  MTLBindingTypeInstanceAccelerationStructure = 26,
  MTLBindingTypeIntersectionFunctionTable = 27,
  MTLBindingTypeObjectPayload = 34,
  MTLBindingTypeTensor = 37,
};

/// What the kernel does with a binding.
typedef NS_ENUM(NSUInteger, MTLBindingAccess) {
  MTLBindingAccessReadOnly = 0,
  MTLBindingAccessReadWrite = 1,
  MTLBindingAccessWriteOnly = 2,
  MTLArgumentAccessReadOnly = 0,
  MTLArgumentAccessReadWrite = 1,
  MTLArgumentAccessWriteOnly = 2,
};

/// A type in a kernel's signature.
MTL_EXPORT
@interface MTLType : NSObject {
@private
  MTLDataType _dataType;
}

@property (readonly) MTLDataType dataType;

@end

/// A member of a structure.
MTL_EXPORT
@interface MTLStructMember : NSObject {
@private
  NSString *_name;
  NSUInteger _offset;
  MTLDataType _dataType;
  NSUInteger _argumentIndex;
  MTLType *_type;
}

@property (readonly) NSString *name;
/// Bytes from the start of the structure.
@property (readonly) NSUInteger offset;
@property (readonly) MTLDataType dataType;
/// The index within an argument buffer.
@property (readonly) NSUInteger argumentIndex;

/// The member's own description where dataType is Struct, Array or Pointer; nil otherwise.
- (nullable MTLStructType *)structType;
- (nullable MTLArrayType *)arrayType;
- (nullable MTLPointerType *)pointerType;

@end

MTL_EXPORT
@interface MTLStructType : MTLType {
@private
  NSArray<MTLStructMember *> *_members;
}

/// In the order of declaration.
@property (readonly) NSArray<MTLStructMember *> *members;

- (nullable MTLStructMember *)memberByName:(NSString *)name;

@end

MTL_EXPORT
@interface MTLArrayType : MTLType {
@private
  MTLDataType _elementType;
  NSUInteger _arrayLength;
  NSUInteger _stride;
  NSUInteger _argumentIndexStride;
  MTLType *_element;
}

@property (readonly) MTLDataType elementType;
@property (readonly) NSUInteger arrayLength;
/// Bytes from one element to the next.
@property (readonly) NSUInteger stride;
@property (readonly) NSUInteger argumentIndexStride;

- (nullable MTLStructType *)elementStructType;
- (nullable MTLArrayType *)elementArrayType;
- (nullable MTLPointerType *)elementPointerType;

@end

MTL_EXPORT
@interface MTLPointerType : MTLType {
@private
  MTLDataType _elementType;
  MTLBindingAccess _access;
  NSUInteger _alignment;
  NSUInteger _dataSize;
  BOOL _elementIsArgumentBuffer;
  MTLType *_element;
}

@property (readonly) MTLDataType elementType;
@property (readonly) MTLBindingAccess access;
/// Bytes.
@property (readonly) NSUInteger alignment;
@property (readonly) NSUInteger dataSize;
@property (readonly) BOOL elementIsArgumentBuffer;

- (nullable MTLStructType *)elementStructType;
- (nullable MTLArrayType *)elementArrayType;

@end

/// One argument of a kernel.
@protocol MTLBinding <NSObject>

@property (readonly) NSString *name;
@property (readonly) MTLBindingType type;
@property (readonly) MTLBindingAccess access;
@property (readonly) NSUInteger index;
@property (readonly, getter=isUsed) BOOL used;
@property (readonly, getter=isArgument) BOOL argument;

@end

@protocol MTLBufferBinding <MTLBinding>

/// Bytes.
@property (readonly) NSUInteger bufferAlignment;
@property (readonly) NSUInteger bufferDataSize;
@property (readonly) MTLDataType bufferDataType;
@property (nullable, readonly) MTLStructType *bufferStructType;
@property (nullable, readonly) MTLPointerType *bufferPointerType;

@end

@protocol MTLThreadgroupBinding <MTLBinding>

/// Bytes.
@property (readonly) NSUInteger threadgroupMemoryAlignment;
@property (readonly) NSUInteger threadgroupMemoryDataSize;

@end

@protocol MTLTextureBinding <MTLBinding>

@property (readonly) MTLTextureType textureType;
/// Of the components.
@property (readonly) MTLDataType textureDataType;
@property (readonly, getter=isDepthTexture) BOOL depthTexture;
/// The number of textures in an array of them; 1 for a texture.
@property (readonly) NSUInteger arrayLength;

@end

NS_ASSUME_NONNULL_END
