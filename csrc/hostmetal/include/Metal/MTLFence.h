#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;

/// Orders the passes of one queue that share untracked resources.
@protocol MTLFence <NSObject>

@property (readonly) id<MTLDevice> device;
@property (nullable, copy, atomic) NSString *label;

@end

NS_ASSUME_NONNULL_END
