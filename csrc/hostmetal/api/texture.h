#pragma once

#import "hostmetal/api/buffer.h"
#include "hostmetal/api/texture_validation.hpp"

@class HMBuffer;

/// Pixels in memory of the executor's, of a buffer's or of another texture's. Any thread.
@interface HMTexture : HMResource <MTLTexture> {
@private
  std::unique_ptr<hostmetal::Allocation> _allocation; // of a texture that is no view
  metalcore::objc::Retained<HMBuffer *> _buffer;
  NSUInteger _bufferOffset;
  NSUInteger _bufferBytesPerRow;
  metalcore::objc::Retained<HMTexture *> _parent;
  NSUInteger _parentRelativeLevel;
  NSUInteger _parentRelativeSlice;
  const hostmetal::image::PixelFormat *_format;
  hostmetal::image::TextureShape _shape;
  MTLTextureUsage _usage;
  BOOL _allowGPUOptimizedContents;
  HmTexture _texture;
}

/// What kernels see; it lives as long as the texture.
- (const HmTexture &)hm_texture;
- (const hostmetal::image::PixelFormat &)hm_format;
- (const hostmetal::image::TextureShape &)hm_shape;
/// The first pixel of a box that has been checked.
- (uint8_t *)hm_addressOf:(const hostmetal::api::TexturePlace &)place;

@end

namespace hostmetal::api {

/// +1. Raises for a descriptor that no texture can have; nil when there is no memory.
id<MTLTexture> make_texture(HMDevice *device, MTLTextureDescriptor *descriptor);
id<MTLTexture> make_texture(HMDevice *device, MTLTextureDescriptor *descriptor, HMBuffer *buffer,
                            NSUInteger offset, NSUInteger bytes_per_row);

} // namespace hostmetal::api
