#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

/// Whether anything writes to a buffer between its binding and the end of the command.
typedef NS_ENUM(NSUInteger, MTLMutability) {
  MTLMutabilityDefault = 0,
  MTLMutabilityMutable = 1,
  MTLMutabilityImmutable = 2,
};

MTL_EXPORT
@interface MTLPipelineBufferDescriptor : NSObject <NSCopying> {
@private
  MTLMutability _mutability;
}

@property (nonatomic) MTLMutability mutability;

@end

/// One descriptor for each buffer index, made on first access.
MTL_EXPORT
@interface MTLPipelineBufferDescriptorArray : NSObject {
@private
  NSMutableDictionary *_descriptors;
}

- (MTLPipelineBufferDescriptor *)objectAtIndexedSubscript:(NSUInteger)bufferIndex;
/// Stores a copy; nil brings the default back.
- (void)setObject:(nullable MTLPipelineBufferDescriptor *)buffer
    atIndexedSubscript:(NSUInteger)bufferIndex;

@end

NS_ASSUME_NONNULL_END
