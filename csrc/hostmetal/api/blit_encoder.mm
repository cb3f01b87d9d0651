#import "hostmetal/api/blit_encoder.h"

#import "hostmetal/api/buffer.h"
#include "hostmetal/api/own_class.hpp"
#import "hostmetal/api/texture.h"
#include "hostmetal/api/validation.hpp"

using hostmetal::api::EncoderTarget;
using hostmetal::api::Extent;
using hostmetal::api::LinearPixels;
using hostmetal::api::own;
using hostmetal::api::Problem;
using hostmetal::api::TexturePlace;
using hostmetal::image::CopyPixels;
using hostmetal::image::PixelRows;

namespace {

Extent extent(MTLSize size) { return {size.width, size.height, size.depth}; }

TexturePlace place(NSUInteger level, NSUInteger slice, MTLOrigin origin) {
  return {level, slice, {origin.x, origin.y, origin.z}};
}

PixelRows rows(HMTexture *texture, const TexturePlace &place) {
  const HmTextureLevel &level = [texture hm_texture].levels[place.level];
  return {[texture hm_addressOf:place], level.bytes_per_row, level.bytes_per_image};
}

CopyPixels copy_of(HMTexture *texture, const Extent &size) {
  return {.bytes_per_row = size[0] * [texture hm_format].texel.bytes,
          .rows = size[1],
          .images = size[2]};
}

/// Whether boxes of that size at two places of the same level share pixels.
bool share_pixels(HMTexture *source, const TexturePlace &from, HMTexture *destination,
                  const TexturePlace &to, const Extent &size) {
  if ([source hm_texture].levels[from.level].pixels !=
          [destination hm_texture].levels[to.level].pixels ||
      from.slice != to.slice)
    return false;
  for (size_t axis = 0; axis < size.size(); ++axis)
    if (from.origin[axis] + size[axis] <= to.origin[axis] ||
        to.origin[axis] + size[axis] <= from.origin[axis])
      return false;
  return true;
}

} // namespace

@implementation HMBlitCommandEncoder

- (instancetype)initWithDevice:(HMDevice *)device
                     recording:(std::shared_ptr<hostmetal::api::Recording>)recording {
  return [super initWithDevice:device recording:std::move(recording) kind:"blit"];
}

- (void)synchronizeResource:(id<MTLResource>)resource {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMResource *const own_resource = own<HMResource>(resource);
  if (!own_resource)
    return target.fail("The resource to synchronize is nil or not of this device.");
  if ([own_resource storageMode] != MTLStorageModeManaged)
    return target.fail("The resource to synchronize has storage mode " +
                       std::to_string([own_resource storageMode]) +
                       "; only managed storage (1) has a copy to synchronize.");
  // Host and device share the one copy: ordering, which the queue gives, is all there is to do.
  target.recording.keep(own_resource);
}

- (void)synchronizeTexture:(id<MTLTexture>)texture slice:(NSUInteger)slice level:(NSUInteger)level {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMTexture *const own_texture = own<HMTexture>(texture);
  if (!own_texture)
    return target.fail("The texture to synchronize is nil or not of this device.");
  const TexturePlace start{level, slice, {}};
  if (Problem problem = hostmetal::api::check_box("The image to synchronize",
                                                  [own_texture hm_shape], start, { 1, 1, 1 }))
    return target.fail(std::move(*problem));
  [self synchronizeResource:texture];
}

#pragma mark Buffers

- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destinationBuffer
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMBuffer *const source = own<HMBuffer>(sourceBuffer);
  HMBuffer *const destination = own<HMBuffer>(destinationBuffer);
  if (!source || !destination)
    return target.fail(std::string("The ") + (source ? "destination" : "source") +
                       " buffer of a copy is nil or not of this device.");
  if (Problem problem =
          hostmetal::api::check_range("The source of a copy", sourceOffset, size, [source length]))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_range("The destination of a copy", destinationOffset,
                                                    size, [destination length]))
    return target.fail(std::move(*problem));
  uint8_t *const from = [source hm_address] + sourceOffset;
  uint8_t *const to = [destination hm_address] + destinationOffset;
  if (Problem problem = hostmetal::api::check_overlap(from, to, size))
    return target.fail(std::move(*problem));
  if (size == 0)
    return;
  target.recording.keep(source);
  target.recording.keep(destination);
  target.recording.add(hostmetal::Copy{to, from, size});
}

- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMBuffer *const filled = own<HMBuffer>(buffer);
  if (!filled)
    return target.fail("The buffer to fill is nil or not of this device.");
  if (Problem problem =
          hostmetal::api::check_range("A fill", range.location, range.length, [filled length]))
    return target.fail(std::move(*problem));
  if (range.length == 0)
    return;
  target.recording.keep(filled);
  target.recording.add(hostmetal::Fill{[filled hm_address] + range.location, value, range.length});
}

#pragma mark Textures

- (void)copyFromTexture:(id<MTLTexture>)sourceTexture
            sourceSlice:(NSUInteger)sourceSlice
            sourceLevel:(NSUInteger)sourceLevel
           sourceOrigin:(MTLOrigin)sourceOrigin
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destinationTexture
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMTexture *const source = own<HMTexture>(sourceTexture);
  HMTexture *const destination = own<HMTexture>(destinationTexture);
  if (!source || !destination)
    return target.fail(std::string("The ") + (source ? "destination" : "source") +
                       " texture of a copy is nil or not of this device.");
  if (!hostmetal::image::are_compatible([source hm_format], [destination hm_format]))
    return target.fail("A texture of format " + std::string([source hm_format].name) +
                       " cannot be copied to one of format " +
                       std::string([destination hm_format].name) + '.');
  const TexturePlace from = place(sourceLevel, sourceSlice, sourceOrigin);
  const TexturePlace to = place(destinationLevel, destinationSlice, destinationOrigin);
  const Extent size = extent(sourceSize);
  if (Problem problem =
          hostmetal::api::check_box("The source of a copy", [source hm_shape], from, size))
    return target.fail(std::move(*problem));
  if (Problem problem =
          hostmetal::api::check_box("The destination of a copy", [destination hm_shape], to, size))
    return target.fail(std::move(*problem));
  if (share_pixels(source, from, destination, to, size))
    return target.fail("The source and the destination of a copy within a texture overlap.");
  CopyPixels copy = copy_of(source, size);
  copy.source = rows(source, from);
  copy.destination = rows(destination, to);
  target.recording.keep(source);
  target.recording.keep(destination);
  target.recording.add(copy);
}

- (void)copyFromTexture:(id<MTLTexture>)sourceTexture
            sourceSlice:(NSUInteger)sourceSlice
            sourceLevel:(NSUInteger)sourceLevel
              toTexture:(id<MTLTexture>)destinationTexture
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
             sliceCount:(NSUInteger)sliceCount
             levelCount:(NSUInteger)levelCount {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMTexture *const source = own<HMTexture>(sourceTexture);
  if (!source)
    return target.fail("The source texture of a copy is nil or not of this device.");
  const auto &shape = [source hm_shape];
  // The numbers first: a loop over more levels or slices than there are would not end.
  if (sourceLevel >= shape.levels || levelCount > shape.levels - sourceLevel)
    return target.fail("The number of levels to copy (" + std::to_string(levelCount) + " from " +
                       std::to_string(sourceLevel) + " on) is larger than the source's (" +
                       std::to_string(shape.levels) + ").");
  if (sourceSlice >= shape.slices() || sliceCount > shape.slices() - sourceSlice)
    return target.fail("The number of slices to copy (" + std::to_string(sliceCount) + " from " +
                       std::to_string(sourceSlice) + " on) is larger than the source's (" +
                       std::to_string(shape.slices()) + ").");
  for (NSUInteger level = 0; level < levelCount; ++level) {
    const auto [width, height, depth] =
        shape.level_size(static_cast<uint32_t>(sourceLevel + level));
    for (NSUInteger slice = 0; slice < sliceCount; ++slice)
      [self copyFromTexture:sourceTexture
                sourceSlice:sourceSlice + slice
                sourceLevel:sourceLevel + level
               sourceOrigin:MTLOriginMake(0, 0, 0)
                 sourceSize:MTLSizeMake(width, height, depth)
                  toTexture:destinationTexture
           destinationSlice:destinationSlice + slice
           destinationLevel:destinationLevel + level
          destinationOrigin:MTLOriginMake(0, 0, 0)];
  }
}

- (void)copyFromTexture:(id<MTLTexture>)sourceTexture toTexture:(id<MTLTexture>)destinationTexture {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMTexture *const source = own<HMTexture>(sourceTexture);
  HMTexture *const destination = own<HMTexture>(destinationTexture);
  if (!source || !destination)
    return target.fail(std::string("The ") + (source ? "destination" : "source") +
                       " texture of a copy is nil or not of this device.");
  const auto &shape = [source hm_shape];
  if (shape.levels != [destination hm_shape].levels ||
      shape.slices() != [destination hm_shape].slices())
    return target.fail("The textures of a whole copy differ in their levels (" +
                       std::to_string(shape.levels) + " and " +
                       std::to_string([destination hm_shape].levels) + ") or slices (" +
                       std::to_string(shape.slices()) + " and " +
                       std::to_string([destination hm_shape].slices()) + ").");
  [self copyFromTexture:sourceTexture
            sourceSlice:0
            sourceLevel:0
              toTexture:destinationTexture
       destinationSlice:0
       destinationLevel:0
             sliceCount:shape.slices()
             levelCount:shape.levels];
}

/// A copy between a box of a texture and a buffer; the direction says which is the source.
- (void)hm_copyTexture:(id<MTLTexture>)texture
                 place:(const TexturePlace &)place
                  size:(const Extent &)size
                buffer:(id<MTLBuffer>)buffer
                offset:(NSUInteger)offset
                pixels:(const LinearPixels &)pixels
               options:(MTLBlitOption)options
             toTexture:(BOOL)toTexture
                target:(const EncoderTarget &)target {
  HMTexture *const own_texture = own<HMTexture>(texture);
  HMBuffer *const own_buffer = own<HMBuffer>(buffer);
  if (!own_texture || !own_buffer)
    return target.fail(std::string("The ") + (own_texture ? "buffer" : "texture") +
                       " of a copy is nil or not of this device.");
  if (options != MTLBlitOptionNone)
    return target.fail("The options (" + std::to_string(options) +
                       ") of a copy are for pixel formats that this device does not have.");
  const auto &format = [own_texture hm_format];
  const char *const linear = toTexture ? "The source of a copy" : "The destination of a copy";
  if (Problem problem = hostmetal::api::check_box(toTexture ? "The destination of a copy"
                                                            : "The source of a copy",
                                                  [own_texture hm_shape], place, size))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_linear_pixels(linear, format, size, pixels))
    return target.fail(std::move(*problem));
  if (Problem problem = hostmetal::api::check_range(
          linear, offset, hostmetal::api::linear_size(format, size, pixels), [own_buffer length]))
    return target.fail(std::move(*problem));
  const PixelRows in_texture = rows(own_texture, place);
  const PixelRows in_buffer{
      [own_buffer hm_address] + offset, pixels.bytes_per_row, pixels.bytes_per_image};
  CopyPixels copy = copy_of(own_texture, size);
  copy.source = toTexture ? in_buffer : in_texture;
  copy.destination = toTexture ? in_texture : in_buffer;
  target.recording.keep(own_texture);
  target.recording.keep(own_buffer);
  target.recording.add(copy);
}

- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
           sourceOffset:(NSUInteger)sourceOffset
      sourceBytesPerRow:(NSUInteger)sourceBytesPerRow
    sourceBytesPerImage:(NSUInteger)sourceBytesPerImage
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destinationTexture
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin
                options:(MTLBlitOption)options {
  [self hm_copyTexture:destinationTexture
                 place:place(destinationLevel, destinationSlice, destinationOrigin)
                  size:extent(sourceSize)
                buffer:sourceBuffer
                offset:sourceOffset
                pixels:{sourceBytesPerRow, sourceBytesPerImage}
               options:options
             toTexture:YES
                target:[self hm_targetFor:_cmd]];
}

- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
           sourceOffset:(NSUInteger)sourceOffset
      sourceBytesPerRow:(NSUInteger)sourceBytesPerRow
    sourceBytesPerImage:(NSUInteger)sourceBytesPerImage
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destinationTexture
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin {
  [self copyFromBuffer:sourceBuffer
             sourceOffset:sourceOffset
        sourceBytesPerRow:sourceBytesPerRow
      sourceBytesPerImage:sourceBytesPerImage
               sourceSize:sourceSize
                toTexture:destinationTexture
         destinationSlice:destinationSlice
         destinationLevel:destinationLevel
        destinationOrigin:destinationOrigin
                  options:MTLBlitOptionNone];
}

- (void)copyFromTexture:(id<MTLTexture>)sourceTexture
                 sourceSlice:(NSUInteger)sourceSlice
                 sourceLevel:(NSUInteger)sourceLevel
                sourceOrigin:(MTLOrigin)sourceOrigin
                  sourceSize:(MTLSize)sourceSize
                    toBuffer:(id<MTLBuffer>)destinationBuffer
           destinationOffset:(NSUInteger)destinationOffset
      destinationBytesPerRow:(NSUInteger)destinationBytesPerRow
    destinationBytesPerImage:(NSUInteger)destinationBytesPerImage
                     options:(MTLBlitOption)options {
  [self hm_copyTexture:sourceTexture
                 place:place(sourceLevel, sourceSlice, sourceOrigin)
                  size:extent(sourceSize)
                buffer:destinationBuffer
                offset:destinationOffset
                pixels:{destinationBytesPerRow, destinationBytesPerImage}
               options:options
             toTexture:NO
                target:[self hm_targetFor:_cmd]];
}

- (void)copyFromTexture:(id<MTLTexture>)sourceTexture
                 sourceSlice:(NSUInteger)sourceSlice
                 sourceLevel:(NSUInteger)sourceLevel
                sourceOrigin:(MTLOrigin)sourceOrigin
                  sourceSize:(MTLSize)sourceSize
                    toBuffer:(id<MTLBuffer>)destinationBuffer
           destinationOffset:(NSUInteger)destinationOffset
      destinationBytesPerRow:(NSUInteger)destinationBytesPerRow
    destinationBytesPerImage:(NSUInteger)destinationBytesPerImage {
  [self copyFromTexture:sourceTexture
                   sourceSlice:sourceSlice
                   sourceLevel:sourceLevel
                  sourceOrigin:sourceOrigin
                    sourceSize:sourceSize
                      toBuffer:destinationBuffer
             destinationOffset:destinationOffset
        destinationBytesPerRow:destinationBytesPerRow
      destinationBytesPerImage:destinationBytesPerImage
                       options:MTLBlitOptionNone];
}

- (void)generateMipmapsForTexture:(id<MTLTexture>)texture {
  const EncoderTarget target = [self hm_targetFor:_cmd];
  HMTexture *const own_texture = own<HMTexture>(texture);
  if (!own_texture)
    return target.fail("The texture to generate mipmaps for is nil or not of this device.");
  if ([own_texture hm_shape].levels < 2)
    return target.fail("The texture to generate mipmaps for has one level only.");
  const auto &format = [own_texture hm_format];
  if (format.texel_class != hostmetal::image::TexelClass::floating)
    return target.fail("Mipmaps cannot be generated for a texture of format " +
                       std::string(format.name) + ", which cannot be filtered.");
  target.recording.keep(own_texture);
  target.recording.add(hostmetal::GenerateMipmaps{&[own_texture hm_texture],
                                                  [own_texture hm_shape].type ==
                                                      hostmetal::image::TextureType::volume});
}

@end
