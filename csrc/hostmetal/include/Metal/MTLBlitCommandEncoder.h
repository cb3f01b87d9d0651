#pragma once

#import <Metal/MTLCommandEncoder.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLBuffer;
@protocol MTLFence;
@protocol MTLResource;

/// Encodes copies.
@protocol MTLBlitCommandEncoder <MTLCommandEncoder>

/// Makes the device's writes to a managed resource visible to the CPU.
- (void)synchronizeResource:(id<MTLResource>)resource;

/// Copies `size` bytes; the ranges may not overlap.
- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destinationBuffer
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size;

/// Sets every byte of the range.
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value;

- (void)updateFence:(id<MTLFence>)fence;
- (void)waitForFence:(id<MTLFence>)fence;

@end

NS_ASSUME_NONNULL_END
