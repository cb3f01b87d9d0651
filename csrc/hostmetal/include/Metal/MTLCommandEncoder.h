#pragma once

#import <Metal/MTLDefines.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;

/// What a kernel does with a resource.
typedef NS_OPTIONS(NSUInteger, MTLResourceUsage) {
  MTLResourceUsageRead = 1 << 0,
  MTLResourceUsageWrite = 1 << 1,
  MTLResourceUsageSample = 1 << 2,
};

/// The kinds of resources that a memory barrier covers.
typedef NS_OPTIONS(NSUInteger, MTLBarrierScope) {
  MTLBarrierScopeBuffers = 1 << 0,
  MTLBarrierScopeTextures = 1 << 1,
  MTLBarrierScopeRenderTargets = 1 << 2,
};

/// Writes commands into a command buffer until endEncoding; one thread at a time.
@protocol MTLCommandEncoder <NSObject>

@property (readonly) id<MTLDevice> device;
@property (nullable, copy, atomic) NSString *label;

/// Ends the encoder; nothing may be encoded after it.
- (void)endEncoding;

- (void)insertDebugSignpost:(NSString *)string;
- (void)pushDebugGroup:(NSString *)string;
- (void)popDebugGroup;

@end

NS_ASSUME_NONNULL_END
