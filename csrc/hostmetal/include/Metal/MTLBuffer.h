#pragma once

#import <Metal/MTLResource.h>

NS_ASSUME_NONNULL_BEGIN

@class MTLTextureDescriptor;
@protocol MTLTexture;

/// Untyped memory.
@protocol MTLBuffer <MTLResource>

/// Bytes.
@property (readonly) NSUInteger length;

/// The memory as the CPU sees it, owned by the buffer; null for private storage.
- (nullable void *)contents NS_RETURNS_INNER_POINTER;

/// Tells the device which bytes of a managed buffer the CPU wrote.
- (void)didModifyRange:(NSRange)range;

/// Names a range of bytes for debugging tools.
- (void)addDebugMarker:(NSString *)marker range:(NSRange)range;
- (void)removeAllDebugMarkers;

/// A texture with the buffer's memory: 2D, or a texture buffer. `offset` and `bytesPerRow` are
/// multiples of the device's alignments for the format.
- (nullable id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)descriptor
                                             offset:(NSUInteger)offset
                                        bytesPerRow:(NSUInteger)bytesPerRow;

/// The address that a kernel sees for the first byte.
@property (readonly) uint64_t gpuAddress;

@end

NS_ASSUME_NONNULL_END
