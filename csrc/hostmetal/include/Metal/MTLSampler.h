#pragma once

#import <Metal/MTLDepthStencil.h>

NS_ASSUME_NONNULL_BEGIN

@protocol MTLDevice;

/// How texels within a level are combined.
typedef NS_ENUM(NSUInteger, MTLSamplerMinMagFilter) {
  MTLSamplerMinMagFilterNearest = 0,
  MTLSamplerMinMagFilterLinear = 1,
};

/// How levels are combined.
typedef NS_ENUM(NSUInteger, MTLSamplerMipFilter) {
  MTLSamplerMipFilterNotMipmapped = 0,
  MTLSamplerMipFilterNearest = 1,
  MTLSamplerMipFilterLinear = 2,
};

/// Where coordinates outside of the texture lead.
typedef NS_ENUM(NSUInteger, MTLSamplerAddressMode) {
  MTLSamplerAddressModeClampToEdge = 0,
  MTLSamplerAddressModeMirrorClampToEdge = 1,
  MTLSamplerAddressModeRepeat = 2,
  MTLSamplerAddressModeMirrorRepeat = 3,
  MTLSamplerAddressModeClampToZero = 4,
  MTLSamplerAddressModeClampToBorderColor = 5,
};

typedef NS_ENUM(NSUInteger, MTLSamplerBorderColor) {
  MTLSamplerBorderColorTransparentBlack = 0,
  MTLSamplerBorderColorOpaqueBlack = 1,
  MTLSamplerBorderColorOpaqueWhite = 2,
};

/// How a sampler is made.
MTL_EXPORT
@interface MTLSamplerDescriptor : NSObject <NSCopying> {
@private
  MTLSamplerMinMagFilter _minFilter;
  MTLSamplerMinMagFilter _magFilter;
  MTLSamplerMipFilter _mipFilter;
  NSUInteger _maxAnisotropy;
  MTLSamplerAddressMode _sAddressMode;
  MTLSamplerAddressMode _tAddressMode;
  MTLSamplerAddressMode _rAddressMode;
  MTLSamplerBorderColor _borderColor;
  BOOL _normalizedCoordinates;
  float _lodMinClamp;
  float _lodMaxClamp;
  BOOL _lodAverage;
  MTLCompareFunction _compareFunction;
  BOOL _supportArgumentBuffers;
  NSString *_label;
}

@property (nonatomic) MTLSamplerMinMagFilter minFilter;
@property (nonatomic) MTLSamplerMinMagFilter magFilter;
@property (nonatomic) MTLSamplerMipFilter mipFilter;
/// From 1 to 16; a permission that kernels, which have no derivatives, make no use of.
@property (nonatomic) NSUInteger maxAnisotropy;
@property (nonatomic) MTLSamplerAddressMode sAddressMode;
@property (nonatomic) MTLSamplerAddressMode tAddressMode;
@property (nonatomic) MTLSamplerAddressMode rAddressMode;
@property (nonatomic) MTLSamplerBorderColor borderColor;
/// Coordinates from 0 to 1; else they are pixels.
@property (nonatomic) BOOL normalizedCoordinates;
@property (nonatomic) float lodMinClamp;
@property (nonatomic) float lodMaxClamp;
@property (nonatomic) BOOL lodAverage;
/// For depth textures.
@property (nonatomic) MTLCompareFunction compareFunction;
@property (nonatomic) BOOL supportArgumentBuffers;
@property (nullable, copy, nonatomic) NSString *label;

@end

/// A sampler; immutable.
@protocol MTLSamplerState <NSObject>

@property (nullable, readonly) NSString *label;
@property (readonly) id<MTLDevice> device;

@end

NS_ASSUME_NONNULL_END
