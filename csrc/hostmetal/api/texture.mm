#import "hostmetal/api/texture.h"

#import "hostmetal/api/device.h"
#include "hostmetal/image/copy_pixels.hpp"

#include <new>

using hostmetal::api::Extent;
using hostmetal::api::LinearPixels;
using hostmetal::api::Problem;
using hostmetal::api::TexturePlace;
using hostmetal::api::TextureRequest;
using hostmetal::image::CopyPixels;
using hostmetal::image::PixelFormat;
using hostmetal::image::TextureShape;
using metalcore::objc::Retained;

namespace {

void require(const Problem &problem) {
  if (problem)
    [NSException raise:NSInvalidArgumentException format:@"%s", problem->c_str()];
}

TextureRequest request_of(MTLTextureDescriptor *descriptor) {
  return {.type = [descriptor textureType],
          .format = [descriptor pixelFormat],
          .size = {[descriptor width], [descriptor height], [descriptor depth]},
          .levels = [descriptor mipmapLevelCount],
          .array_length = [descriptor arrayLength],
          .sample_count = [descriptor sampleCount],
          .usage = [descriptor usage]};
}

const PixelFormat &format_of(const TextureRequest &request) {
  return *hostmetal::image::find_pixel_format(static_cast<uint32_t>(request.format));
}

} // namespace

@interface HMTexture (Making)
- (instancetype)initWithDevice:(HMDevice *)device
                    descriptor:(MTLTextureDescriptor *)descriptor
                    allocation:(std::unique_ptr<hostmetal::Allocation>)allocation;
- (instancetype)initWithDevice:(HMDevice *)device
                    descriptor:(MTLTextureDescriptor *)descriptor
                        buffer:(HMBuffer *)buffer
                        offset:(NSUInteger)offset
                   bytesPerRow:(NSUInteger)bytesPerRow;
- (instancetype)initWithParent:(HMTexture *)parent
                       request:(const TextureRequest &)request
                         level:(NSUInteger)level
                         slice:(NSUInteger)slice;
@end

@implementation HMTexture

- (instancetype)initWithDevice:(HMDevice *)device
                    descriptor:(MTLTextureDescriptor *)descriptor
                    allocation:(std::unique_ptr<hostmetal::Allocation>)allocation {
  if ((self = [super initWithDevice:device
                            options:[descriptor resourceOptions]
                      allocatedSize:allocation->size()])) {
    [self hm_adopt:request_of(descriptor)];
    _allowGPUOptimizedContents = [descriptor allowGPUOptimizedContents];
    _allocation = std::move(allocation);
    _texture = hostmetal::image::lay_out_texture(
        _shape, *_format, static_cast<uint8_t *>(_allocation->host_pointer()));
  }
  return self;
}

- (instancetype)initWithDevice:(HMDevice *)device
                    descriptor:(MTLTextureDescriptor *)descriptor
                        buffer:(HMBuffer *)buffer
                        offset:(NSUInteger)offset
                   bytesPerRow:(NSUInteger)bytesPerRow {
  if ((self = [super initWithDevice:device options:[buffer resourceOptions] allocatedSize:0])) {
    [self hm_adopt:request_of(descriptor)];
    _buffer = Retained<HMBuffer *>::retain(buffer);
    _bufferOffset = offset;
    _bufferBytesPerRow = bytesPerRow;
    _texture = hostmetal::image::lay_out_texture(_shape, *_format, [buffer hm_address] + offset,
                                                 bytesPerRow);
  }
  return self;
}

- (instancetype)initWithParent:(HMTexture *)parent
                       request:(const TextureRequest &)request
                         level:(NSUInteger)level
                         slice:(NSUInteger)slice {
  if ((self = [super initWithDevice:static_cast<HMDevice *>([parent device])
                            options:[parent resourceOptions]
                      allocatedSize:0])) {
    [self hm_adopt:request];
    _parent = Retained<HMTexture *>::retain(parent);
    _parentRelativeLevel = level;
    _parentRelativeSlice = slice;
    _buffer = Retained<HMBuffer *>::retain(static_cast<HMBuffer *>([parent buffer]));
    _bufferOffset = [parent bufferOffset];
    _bufferBytesPerRow = [parent bufferBytesPerRow];
    _allowGPUOptimizedContents = [parent allowGPUOptimizedContents];
    const HmTexture &whole = [parent hm_texture];
    _texture.format = _format->texel;
    _texture.level_count = _shape.levels;
    for (uint32_t at = 0; at < _shape.levels; ++at) {
      HmTextureLevel &seen = _texture.levels[at];
      seen = whole.levels[level + at];
      seen.pixels += slice * seen.bytes_per_image;
      if (_shape.type != hostmetal::image::TextureType::volume)
        seen.images = _shape.slices();
    }
  }
  return self;
}

- (void)hm_adopt:(const TextureRequest &)request {
  _format = &format_of(request);
  _shape = hostmetal::api::shape_of(request);
  _usage = request.usage;
}

- (const HmTexture &)hm_texture {
  return _texture;
}

- (const PixelFormat &)hm_format {
  return *_format;
}

- (const TextureShape &)hm_shape {
  return _shape;
}

- (uint8_t *)hm_addressOf:(const TexturePlace &)place {
  const HmTextureLevel &level = _texture.levels[place.level];
  return level.pixels + (place.slice + place.origin[2]) * level.bytes_per_image +
         place.origin[1] * level.bytes_per_row + place.origin[0] * _format->texel.bytes;
}

#pragma mark Properties

- (id<MTLTexture>)parentTexture {
  return _parent.get();
}

- (NSUInteger)parentRelativeLevel {
  return _parentRelativeLevel;
}

- (NSUInteger)parentRelativeSlice {
  return _parentRelativeSlice;
}

- (id<MTLBuffer>)buffer {
  return _buffer.get();
}

- (NSUInteger)bufferOffset {
  return _bufferOffset;
}

- (NSUInteger)bufferBytesPerRow {
  return _bufferBytesPerRow;
}

- (MTLTextureType)textureType {
  return static_cast<MTLTextureType>(_shape.type);
}

- (MTLPixelFormat)pixelFormat {
  return static_cast<MTLPixelFormat>(_format->value);
}

- (NSUInteger)width {
  return _shape.width;
}

- (NSUInteger)height {
  return _shape.height;
}

- (NSUInteger)depth {
  return _shape.depth;
}

- (NSUInteger)mipmapLevelCount {
  return _shape.levels;
}

- (NSUInteger)sampleCount {
  return 1;
}

- (NSUInteger)arrayLength {
  return _shape.array_length;
}

- (MTLTextureUsage)usage {
  return _usage;
}

- (BOOL)isShareable {
  return NO;
}

- (BOOL)isFramebufferOnly {
  return NO;
}

- (BOOL)allowGPUOptimizedContents {
  return _allowGPUOptimizedContents;
}

#pragma mark Pixels

/// A copy between the region and the caller's memory, whose two sides are still to be set; raises
/// when something is wrong.
- (CopyPixels)hm_copyOf:(MTLRegion)region
                  place:(const TexturePlace &)place
                 pixels:(const LinearPixels &)pixels
                 memory:(const void *)memory
               selector:(SEL)selector {
  const std::string subject =
      "The region given to -" + std::string([NSStringFromSelector(selector) UTF8String]);
  const Extent size = {region.size.width, region.size.height, region.size.depth};
  if ([self storageMode] == MTLStorageModePrivate)
    [NSException raise:NSInvalidArgumentException
                format:@"%s is of a texture with private storage.", subject.c_str()];
  if (!memory)
    [NSException raise:NSInvalidArgumentException format:@"%s has no memory.", subject.c_str()];
  require(hostmetal::api::check_box(subject, _shape, place, size));
  require(hostmetal::api::check_linear_pixels(subject, *_format, size, pixels));
  return {.bytes_per_row = size[0] * _format->texel.bytes, .rows = size[1], .images = size[2]};
}

- (void)getBytes:(void *)pixelBytes
      bytesPerRow:(NSUInteger)bytesPerRow
    bytesPerImage:(NSUInteger)bytesPerImage
       fromRegion:(MTLRegion)region
      mipmapLevel:(NSUInteger)level
            slice:(NSUInteger)slice {
  const TexturePlace place{level, slice, {region.origin.x, region.origin.y, region.origin.z}};
  CopyPixels copy = [self hm_copyOf:region
                              place:place
                             pixels:{bytesPerRow, bytesPerImage}
                             memory:pixelBytes
                           selector:_cmd];
  const HmTextureLevel &from = _texture.levels[level];
  copy.source = {[self hm_addressOf:place], from.bytes_per_row, from.bytes_per_image};
  copy.destination = {static_cast<uint8_t *>(pixelBytes), bytesPerRow, bytesPerImage};
  hostmetal::image::copy_pixels(copy);
}

- (void)getBytes:(void *)pixelBytes
     bytesPerRow:(NSUInteger)bytesPerRow
      fromRegion:(MTLRegion)region
     mipmapLevel:(NSUInteger)level {
  [self getBytes:pixelBytes
        bytesPerRow:bytesPerRow
      bytesPerImage:0
         fromRegion:region
        mipmapLevel:level
              slice:0];
}

- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
                slice:(NSUInteger)slice
            withBytes:(const void *)pixelBytes
          bytesPerRow:(NSUInteger)bytesPerRow
        bytesPerImage:(NSUInteger)bytesPerImage {
  const TexturePlace place{level, slice, {region.origin.x, region.origin.y, region.origin.z}};
  CopyPixels copy = [self hm_copyOf:region
                              place:place
                             pixels:{bytesPerRow, bytesPerImage}
                             memory:pixelBytes
                           selector:_cmd];
  const HmTextureLevel &to = _texture.levels[level];
  copy.source = {static_cast<uint8_t *>(const_cast<void *>(pixelBytes)), bytesPerRow,
                 bytesPerImage};
  copy.destination = {[self hm_addressOf:place], to.bytes_per_row, to.bytes_per_image};
  hostmetal::image::copy_pixels(copy);
}

- (void)replaceRegion:(MTLRegion)region
          mipmapLevel:(NSUInteger)level
            withBytes:(const void *)pixelBytes
          bytesPerRow:(NSUInteger)bytesPerRow {
  [self replaceRegion:region
          mipmapLevel:level
                slice:0
            withBytes:pixelBytes
          bytesPerRow:bytesPerRow
        bytesPerImage:0];
}

#pragma mark Views

- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat {
  return [self newTextureViewWithPixelFormat:pixelFormat
                                 textureType:[self textureType]
                                      levels:NSMakeRange(0, _shape.levels)
                                      slices:NSMakeRange(0, _shape.slices())];
}

- (id<MTLTexture>)newTextureViewWithPixelFormat:(MTLPixelFormat)pixelFormat
                                    textureType:(MTLTextureType)textureType
                                         levels:(NSRange)levelRange
                                         slices:(NSRange)sliceRange {
  using hostmetal::image::TextureType;
  const bool is_cube = textureType == MTLTextureTypeCube || textureType == MTLTextureTypeCubeArray;
  if (is_cube && sliceRange.length % 6 != 0)
    [NSException
         raise:NSInvalidArgumentException
        format:@"The number of slices (%lu) of a view that is a cube must be a multiple of 6.",
               (unsigned long)sliceRange.length];
  const auto level = static_cast<uint32_t>(std::min<NSUInteger>(levelRange.location, 31));
  const auto [width, height, depth] = _shape.level_size(level);
  const TextureRequest request{.type = textureType,
                               .format = pixelFormat,
                               .size = {width, height, depth},
                               .levels = levelRange.length,
                               .array_length = sliceRange.length / (is_cube ? 6 : 1),
                               .sample_count = 1,
                               .usage = _usage};
  require(hostmetal::api::check_texture_view(_shape, *_format, _usage, request, levelRange.location,
                                             sliceRange.location));
  return [[HMTexture alloc] initWithParent:self
                                   request:request
                                     level:levelRange.location
                                     slice:sliceRange.location];
}

@end

namespace hostmetal::api {

id<MTLTexture> make_texture(HMDevice *device, MTLTextureDescriptor *descriptor) {
  if (!descriptor)
    return nil;
  const TextureRequest request = request_of(descriptor);
  require(check_texture(request));
  if (!are_buffer_options([descriptor resourceOptions]))
    [NSException raise:NSInvalidArgumentException
                format:@"The texture's resource options (%lu) are none that a texture can have.",
                       (unsigned long)[descriptor resourceOptions]];
  const uint64_t size = image::texture_size(shape_of(request), format_of(request));
  if (size > [device maxBufferLength])
    return nil;
  try {
    return [[HMTexture alloc]
        initWithDevice:device
            descriptor:descriptor
            allocation:[device hm_executor]->allocate(
                           size, static_cast<StorageMode>([descriptor storageMode]))];
  } catch (const std::bad_alloc &) {
    return nil;
  }
}

id<MTLTexture> make_texture(HMDevice *device, MTLTextureDescriptor *descriptor, HMBuffer *buffer,
                            NSUInteger offset, NSUInteger bytes_per_row) {
  if (!descriptor)
    return nil;
  const TextureRequest request = request_of(descriptor);
  require(check_texture(request));
  require(check_linear_texture(shape_of(request), format_of(request), offset, bytes_per_row,
                               [buffer length]));
  if ([descriptor storageMode] != [buffer storageMode])
    [NSException
         raise:NSInvalidArgumentException
        format:@"The storage mode (%lu) of a texture in a buffer must be the buffer's (%lu).",
               (unsigned long)[descriptor storageMode], (unsigned long)[buffer storageMode]];
  return [[HMTexture alloc] initWithDevice:device
                                descriptor:descriptor
                                    buffer:buffer
                                    offset:offset
                               bytesPerRow:bytes_per_row];
}

} // namespace hostmetal::api
