#import <Metal/MTLTexture.h>

#include <algorithm>
#include <bit>

namespace {

MTLTextureDescriptor *make_descriptor(MTLTextureType type, MTLPixelFormat format, NSUInteger width,
                                      NSUInteger height, BOOL mipmapped) {
  MTLTextureDescriptor *const descriptor = [[[MTLTextureDescriptor alloc] init] autorelease];
  [descriptor setTextureType:type];
  [descriptor setPixelFormat:format];
  [descriptor setWidth:width];
  [descriptor setHeight:height];
  if (mipmapped)
    [descriptor setMipmapLevelCount:static_cast<NSUInteger>(
                                        std::bit_width(std::max({width, height, NSUInteger{1}})))];
  return descriptor;
}

} // namespace

@implementation MTLTextureDescriptor

@synthesize textureType = _textureType, pixelFormat = _pixelFormat, width = _width,
            height = _height, depth = _depth, mipmapLevelCount = _mipmapLevelCount,
            sampleCount = _sampleCount, arrayLength = _arrayLength,
            resourceOptions = _resourceOptions, usage = _usage,
            allowGPUOptimizedContents = _allowGPUOptimizedContents;

+ (MTLTextureDescriptor *)texture2DDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                       width:(NSUInteger)width
                                                      height:(NSUInteger)height
                                                   mipmapped:(BOOL)mipmapped {
  return make_descriptor(MTLTextureType2D, pixelFormat, width, height, mipmapped);
}

+ (MTLTextureDescriptor *)textureCubeDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                          size:(NSUInteger)size
                                                     mipmapped:(BOOL)mipmapped {
  return make_descriptor(MTLTextureTypeCube, pixelFormat, size, size, mipmapped);
}

+ (MTLTextureDescriptor *)textureBufferDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                           width:(NSUInteger)width
                                                 resourceOptions:(MTLResourceOptions)resourceOptions
                                                           usage:(MTLTextureUsage)usage {
  MTLTextureDescriptor *const descriptor =
      make_descriptor(MTLTextureTypeTextureBuffer, pixelFormat, width, 1, NO);
  [descriptor setResourceOptions:resourceOptions];
  [descriptor setUsage:usage];
  return descriptor;
}

- (instancetype)init {
  if ((self = [super init])) {
    _textureType = MTLTextureType2D;
    _pixelFormat = MTLPixelFormatRGBA8Unorm;
    _width = _height = _depth = 1;
    _mipmapLevelCount = _sampleCount = _arrayLength = 1;
    _usage = MTLTextureUsageShaderRead;
    _allowGPUOptimizedContents = YES;
  }
  return self;
}

- (id)copyWithZone:(NSZone *)zone {
  MTLTextureDescriptor *const copy = [[MTLTextureDescriptor allocWithZone:zone] init];
  copy->_textureType = _textureType;
  copy->_pixelFormat = _pixelFormat;
  copy->_width = _width;
  copy->_height = _height;
  copy->_depth = _depth;
  copy->_mipmapLevelCount = _mipmapLevelCount;
  copy->_sampleCount = _sampleCount;
  copy->_arrayLength = _arrayLength;
  copy->_resourceOptions = _resourceOptions;
  copy->_usage = _usage;
  copy->_allowGPUOptimizedContents = _allowGPUOptimizedContents;
  return copy;
}

/// One of the modes within the resource options.
- (NSUInteger)hm_modeAt:(NSUInteger)shift mask:(NSUInteger)mask {
  return (_resourceOptions & mask) >> shift;
}

- (void)hm_setMode:(NSUInteger)mode at:(NSUInteger)shift mask:(NSUInteger)mask {
  _resourceOptions = (_resourceOptions & ~mask) | (mode << shift & mask);
}

- (MTLCPUCacheMode)cpuCacheMode {
  return static_cast<MTLCPUCacheMode>([self hm_modeAt:MTLResourceCPUCacheModeShift
                                                 mask:MTLResourceCPUCacheModeMask]);
}

- (void)setCpuCacheMode:(MTLCPUCacheMode)mode {
  [self hm_setMode:mode at:MTLResourceCPUCacheModeShift mask:MTLResourceCPUCacheModeMask];
}

- (MTLStorageMode)storageMode {
  return static_cast<MTLStorageMode>([self hm_modeAt:MTLResourceStorageModeShift
                                                mask:MTLResourceStorageModeMask]);
}

- (void)setStorageMode:(MTLStorageMode)mode {
  [self hm_setMode:mode at:MTLResourceStorageModeShift mask:MTLResourceStorageModeMask];
}

- (MTLHazardTrackingMode)hazardTrackingMode {
  return static_cast<MTLHazardTrackingMode>([self hm_modeAt:MTLResourceHazardTrackingModeShift
                                                       mask:MTLResourceHazardTrackingModeMask]);
}

- (void)setHazardTrackingMode:(MTLHazardTrackingMode)mode {
  [self hm_setMode:mode
                at:MTLResourceHazardTrackingModeShift
              mask:MTLResourceHazardTrackingModeMask];
}

@end
