#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

/// Something that occupies device memory.
@protocol MTLAllocation <NSObject>

/// Bytes occupied, at least the bytes that were asked for.
@property (readonly) NSUInteger allocatedSize;

@end

NS_ASSUME_NONNULL_END
