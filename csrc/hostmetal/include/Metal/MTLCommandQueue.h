#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLCommandBufferDescriptor;
@protocol MTLCommandBuffer;
@protocol MTLDevice;
@protocol MTLLogState;

/// Runs command buffers in the order in which they are enqueued; any thread.
@protocol MTLCommandQueue <NSObject>

@property (nullable, copy, atomic) NSString *label;
@property (readonly) id<MTLDevice> device;

/// A new command buffer that keeps alive what it uses; autoreleased. Blocks while the queue has its
/// maximum.
- (nullable id<MTLCommandBuffer>)commandBuffer;
- (nullable id<MTLCommandBuffer>)commandBufferWithDescriptor:
    (MTLCommandBufferDescriptor *)descriptor;
/// A new command buffer whose resources the caller keeps alive; autoreleased.
- (nullable id<MTLCommandBuffer>)commandBufferWithUnretainedReferences;

@end

MTL_EXPORT
@interface MTLCommandQueueDescriptor : NSObject <NSCopying> {
@private
  NSUInteger _maxCommandBufferCount;
  id<MTLLogState> _logState;
}

/// How many command buffers may be uncompleted at a time; 64 unless set.
@property (nonatomic, readwrite) NSUInteger maxCommandBufferCount;
/// Of the command buffers that have none of their own.
@property (nonatomic, nullable, readwrite, retain) id<MTLLogState> logState;

@end

NS_ASSUME_NONNULL_END
