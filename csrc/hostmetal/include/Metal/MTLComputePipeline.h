#pragma once

#import <Metal/MTLArgument.h>
#import <Metal/MTLLinkedFunctions.h>
#import <Metal/MTLPipeline.h>
#import <Metal/MTLTypes.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBinaryArchive;
@protocol MTLDevice;
@protocol MTLFunction;
@protocol MTLFunctionHandle;
@protocol MTLVisibleFunctionTable;
@class MTLVisibleFunctionTableDescriptor;

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
  MTLLinkedFunctions *_linkedFunctions;
  NSUInteger _maxCallStackDepth;
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
/// The visible functions that the kernel may call; empty unless set, and again by nil.
@property (readwrite, copy, nonatomic, null_resettable) MTLLinkedFunctions *linkedFunctions;
/// Calls of linked functions that are open at a time, at most; 1 unless set.
@property (readwrite, nonatomic) NSUInteger maxCallStackDepth;

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

/// The handle of a function that is linked into the pipeline; nil for others and private ones.
- (nullable id<MTLFunctionHandle>)functionHandleWithFunction:(id<MTLFunction>)function;
/// A table for functions of the pipeline, all places empty, +1.
- (nullable id<MTLVisibleFunctionTable>)newVisibleFunctionTableWithDescriptor:
    (MTLVisibleFunctionTableDescriptor *)descriptor;

@end

NS_ASSUME_NONNULL_END
