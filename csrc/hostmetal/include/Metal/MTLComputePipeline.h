#pragma once

#import <Metal/MTLArgument.h>
#import <Metal/MTLPipeline.h>
#import <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBinaryArchive;
@protocol MTLDevice;
@protocol MTLFunction;

/// What a compute pipeline's kernel takes.
MTL_EXPORT
@interface MTLComputePipelineReflection : NSObject {
@private
  NSArray<id<MTLBinding>> *_bindings;
}

@property (readonly) NSArray<id<MTLBinding>> *bindings;

@end

/// How a compute pipeline is made.
MTL_EXPORT
@interface MTLComputePipelineDescriptor : NSObject <NSCopying> {
@private
  NSString *_label;
  id<MTLFunction> _computeFunction;
  BOOL _threadGroupSizeIsMultipleOfThreadExecutionWidth;
  NSUInteger _maxTotalThreadsPerThreadgroup;
  MTLPipelineBufferDescriptorArray *_buffers;
  NSArray<id<MTLBinaryArchive>> *_binaryArchives;
}

@property (nullable, copy, nonatomic) NSString *label;
@property (nullable, readwrite, nonatomic, strong) id<MTLFunction> computeFunction;
/// A promise that every threadgroup holds whole simdgroups.
@property (readwrite, nonatomic) BOOL threadGroupSizeIsMultipleOfThreadExecutionWidth;
/// The largest threadgroup that the pipeline must run with; 0 leaves it to the kernel.
@property (readwrite, nonatomic) NSUInteger maxTotalThreadsPerThreadgroup;
@property (readonly) MTLPipelineBufferDescriptorArray *buffers;
/// Where the kernel is looked for, in this order, before it is compiled.
@property (readwrite, nullable, nonatomic, copy) NSArray<id<MTLBinaryArchive>> *binaryArchives;

/// Brings every property back to its default.
- (void)reset;

@end

/// A kernel that is ready to run; immutable.
@protocol MTLComputePipelineState <NSObject>

@property (nullable, readonly) NSString *label;
@property (readonly) id<MTLDevice> device;
/// Threads.
@property (readonly) NSUInteger maxTotalThreadsPerThreadgroup;
/// Threads of a simdgroup.
@property (readonly) NSUInteger threadExecutionWidth;
/// Bytes of the threadgroup variables that the kernel declares.
@property (readonly) NSUInteger staticThreadgroupMemoryLength;

@end

NS_ASSUME_NONNULL_END
