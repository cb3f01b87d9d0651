#pragma once

#import <Metal/MTLDefines.h>
#import <Metal/MTLLibrary.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;

/// A visible function as the pipeline that it is linked into knows it.
@protocol MTLFunctionHandle <NSObject>

@property (readonly) MTLFunctionType functionType;
@property (readonly) NSString *name;
@property (readonly) id<MTLDevice> device;

@end

NS_ASSUME_NONNULL_END
