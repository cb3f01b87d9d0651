// Copies between textures and buffers, and mipmaps.
#include "fixture.hpp"
#include "formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace metal_texture;

namespace {

class TextureBlitTest : public MetalTest {};

/// Pixels of a box, without gaps.
std::vector<uint8_t> bytes_of(const TexturePointer &texture, size_t pixel, MTLRegion region,
                              NSUInteger level = 0, NSUInteger slice = 0) {
  const size_t row = region.size.width * pixel, image = row * region.size.height;
  std::vector<uint8_t> bytes(image * region.size.depth);
  [texture.get() getBytes:bytes.data()
              bytesPerRow:row
            bytesPerImage:image
               fromRegion:region
              mipmapLevel:level
                    slice:slice];
  return bytes;
}

void fill(const TexturePointer &texture, size_t pixel, const std::vector<uint8_t> &bytes,
          MTLRegion region, NSUInteger level = 0, NSUInteger slice = 0) {
  const size_t row = region.size.width * pixel;
  [texture.get() replaceRegion:region
                   mipmapLevel:level
                         slice:slice
                     withBytes:bytes.data()
                   bytesPerRow:row
                 bytesPerImage:row * region.size.height];
}

/// A box somewhere in a volume of that size.
MTLRegion random_region(MTLSize size) {
  MTLRegion region;
  region.origin.x = random_between(0, size.width - 1);
  region.origin.y = random_between(0, size.height - 1);
  region.origin.z = random_between(0, size.depth - 1);
  region.size.width = random_between(1, size.width - region.origin.x);
  region.size.height = random_between(1, size.height - region.origin.y);
  region.size.depth = random_between(1, size.depth - region.origin.z);
  return region;
}

MTLRegion whole(MTLSize size) {
  return MTLRegionMake3D(0, 0, 0, size.width, size.height, size.depth);
}

TEST_F(TextureBlitTest, CopiesBoxesFromAndToBuffers) {
  for (int round = 0; round < 50; ++round) {
    const bool is_volume = round % 2 == 0;
    const MTLSize size = MTLSizeMake(random_between(1, 20), random_between(1, 20),
                                     is_volume ? random_between(1, 8) : 1);
    const NSUInteger slices = is_volume ? 1 : random_between(1, 4);
    const TexturePointer texture =
        make_texture(descriptor(is_volume ? MTLTextureType3D : MTLTextureType2DArray,
                                MTLPixelFormatRG16Uint, size, slices));
    const NSUInteger slice = random_between(0, slices - 1);
    const MTLRegion region = random_region(size);
    const NSUInteger row = (region.size.width + random_between(0, 3)) * 4;
    const NSUInteger image = row * (region.size.height + random_between(0, 2));
    const NSUInteger offset = random_between(0, 9) * 4;
    const auto before = random_bytes(size.width * size.height * size.depth * 4);
    fill(texture, 4, before, whole(size), 0, slice);
    const BufferPointer source = make_buffer(random_bytes(offset + image * region.size.depth));
    const BufferPointer back = make_buffer(offset + image * region.size.depth);
    blit([&](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromBuffer:source.get()
                 sourceOffset:offset
            sourceBytesPerRow:row
          sourceBytesPerImage:image
                   sourceSize:region.size
                    toTexture:texture.get()
             destinationSlice:slice
             destinationLevel:0
            destinationOrigin:region.origin];
      [encoder copyFromTexture:texture.get()
                       sourceSlice:slice
                       sourceLevel:0
                      sourceOrigin:region.origin
                        sourceSize:region.size
                          toBuffer:back.get()
                 destinationOffset:offset
            destinationBytesPerRow:row
          destinationBytesPerImage:image];
    });
    const auto given = contents_of<uint8_t>(source), returned = contents_of<uint8_t>(back);
    auto expected = before;
    for (size_t z = 0; z < region.size.depth; ++z)
      for (size_t y = 0; y < region.size.height; ++y) {
        const size_t at = offset + z * image + y * row, count = region.size.width * 4;
        std::memcpy(
            &expected[(((region.origin.z + z) * size.height + region.origin.y + y) * size.width +
                       region.origin.x) *
                      4],
            &given[at], count);
        ASSERT_EQ(std::memcmp(&given[at], &returned[at], count), 0);
      }
    ASSERT_EQ(bytes_of(texture, 4, whole(size), 0, slice), expected);
  }
}

TEST_F(TextureBlitTest, CopiesBoxesBetweenTextures) {
  for (int round = 0; round < 50; ++round) {
    const MTLSize size = MTLSizeMake(random_between(2, 20), random_between(2, 20), 1);
    // Formats of the same size, and levels of one texture.
    const TexturePointer from =
        make_texture(descriptor(MTLTextureType2D, MTLPixelFormatRGBA8Unorm, size, 1, 2));
    const TexturePointer to =
        round % 2 ? from
                  : make_texture(descriptor(MTLTextureType2DArray, MTLPixelFormatBGRA8Unorm_sRGB,
                                            size, 3, 2));
    const NSUInteger slice = round % 2 ? 0 : random_between(0, 2);
    const MTLSize half = MTLSizeMake(size.width / 2, size.height / 2, 1);
    const MTLRegion region = random_region(half);
    const MTLOrigin origin = MTLOriginMake(random_between(0, half.width - region.size.width),
                                           random_between(0, half.height - region.size.height), 0);
    const auto pixels = random_bytes(size.width * size.height * 4);
    fill(from, 4, pixels, whole(size));
    blit([&](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromTexture:from.get()
                   sourceSlice:0
                   sourceLevel:0
                  sourceOrigin:region.origin
                    sourceSize:region.size
                     toTexture:to.get()
              destinationSlice:slice
              destinationLevel:1
             destinationOrigin:origin];
    });
    ASSERT_EQ(bytes_of(to, 4, {origin, region.size}, 1, slice), bytes_of(from, 4, region));
  }
}

TEST_F(TextureBlitTest, CopiesWholeTextures) {
  MTLTextureDescriptor *const wanted =
      descriptor(MTLTextureTypeCube, MTLPixelFormatR16Float, MTLSizeMake(12, 12, 1), 1, 4);
  const TexturePointer from = make_texture(wanted), to = make_texture(wanted);
  for (NSUInteger level = 0; level < 4; ++level)
    for (NSUInteger slice = 0; slice < 6; ++slice) {
      const MTLSize size = MTLSizeMake(12 >> level, 12 >> level, 1);
      fill(from, 2, random_bytes(size.width * size.height * 2), whole(size), level, slice);
    }
  blit([&](id<MTLBlitCommandEncoder> encoder) {
    [encoder copyFromTexture:from.get() toTexture:to.get()];
  });
  for (NSUInteger level = 0; level < 4; ++level)
    for (NSUInteger slice = 0; slice < 6; ++slice) {
      const MTLRegion region = whole(MTLSizeMake(12 >> level, 12 >> level, 1));
      ASSERT_EQ(bytes_of(to, 2, region, level, slice), bytes_of(from, 2, region, level, slice));
    }
}

/// What a level's pixel covers of the level above, along one axis.
double covered(size_t pixel, size_t size, size_t above, size_t index) {
  const double scale = static_cast<double>(above) / static_cast<double>(size);
  const double low = std::max(static_cast<double>(pixel) * scale, static_cast<double>(index));
  const double high =
      std::min(static_cast<double>(pixel + 1) * scale, static_cast<double>(index + 1));
  return std::max(high - low, 0.0) / scale;
}

TEST_F(TextureBlitTest, MipmapsAreMeansOfWhatTheirPixelsCover) {
  for (int round = 0; round < 12; ++round) {
    const bool is_volume = round % 3 == 2;
    const MTLSize size = MTLSizeMake(random_between(2, 33), random_between(1, 21),
                                     is_volume ? random_between(1, 9) : 1);
    NSUInteger levels = 1;
    while (std::max({size.width, size.height, size.depth}) >> levels > 0)
      ++levels;
    const NSUInteger slices = is_volume ? 1 : 2;
    const TexturePointer texture =
        make_texture(descriptor(is_volume ? MTLTextureType3D : MTLTextureType2DArray,
                                MTLPixelFormatR32Float, size, slices, levels));
    for (NSUInteger slice = 0; slice < slices; ++slice) {
      std::vector<float> values(size.width * size.height * size.depth);
      for (float &value : values)
        value = random_float(-1, 1);
      std::vector<uint8_t> bytes(values.size() * 4);
      std::memcpy(bytes.data(), values.data(), bytes.size());
      fill(texture, 4, bytes, whole(size), 0, slice);
    }
    blit([&](id<MTLBlitCommandEncoder> encoder) {
      [encoder generateMipmapsForTexture:texture.get()];
    });
    for (NSUInteger level = 1; level < levels; ++level) {
      const auto part = [&](NSUInteger at) {
        return MTLSizeMake(std::max<NSUInteger>(size.width >> at, 1),
                           std::max<NSUInteger>(size.height >> at, 1),
                           std::max<NSUInteger>(size.depth >> at, 1));
      };
      const MTLSize own = part(level), above = part(level - 1);
      for (NSUInteger slice = 0; slice < slices; ++slice) {
        const auto pixels = bytes_of(texture, 4, whole(own), level, slice);
        const auto parents = bytes_of(texture, 4, whole(above), level - 1, slice);
        const auto value = [](const std::vector<uint8_t> &bytes, size_t at) {
          float result;
          std::memcpy(&result, &bytes[at * 4], 4);
          return double{result};
        };
        for (size_t z = 0; z < own.depth; ++z)
          for (size_t y = 0; y < own.height; ++y)
            for (size_t x = 0; x < own.width; ++x) {
              double mean = 0;
              for (size_t k = 0; k < above.depth; ++k)
                for (size_t j = 0; j < above.height; ++j)
                  for (size_t i = 0; i < above.width; ++i)
                    mean += value(parents, (k * above.height + j) * above.width + i) *
                            covered(z, own.depth, above.depth, k) *
                            covered(y, own.height, above.height, j) *
                            covered(x, own.width, above.width, i);
              ASSERT_NEAR(value(pixels, (z * own.height + y) * own.width + x), mean, 1e-6);
            }
      }
    }
  }
}

TEST_F(TextureBlitTest, MipmapsOfSrgbAreMeansOfLight) {
  const TexturePointer texture = make_texture(
      descriptor(MTLTextureType2D, MTLPixelFormatRGBA8Unorm_sRGB, MTLSizeMake(2, 1, 1), 1, 2));
  fill(texture, 4, {0, 0, 0, 0, 255, 255, 255, 255}, whole(MTLSizeMake(2, 1, 1)));
  blit([&](id<MTLBlitCommandEncoder> encoder) {
    [encoder generateMipmapsForTexture:texture.get()];
  });
  const auto pixel = bytes_of(texture, 4, whole(MTLSizeMake(1, 1, 1)), 1);
  EXPECT_EQ(pixel, (std::vector<uint8_t>{188, 188, 188, 128})); // half of the light
}

TEST_F(TextureBlitTest, MisuseFailsTheCommandBuffer) {
  const TexturePointer small =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatRGBA8Unorm, MTLSizeMake(8, 8, 1)));
  const TexturePointer other =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatRG8Unorm, MTLSizeMake(8, 8, 1)));
  const BufferPointer buffer = make_buffer(256);
  const auto from_buffer = [&](NSUInteger offset, NSUInteger row, MTLSize size, NSUInteger level,
                               NSUInteger slice, MTLOrigin origin, id<MTLTexture> to) {
    return error_of_blit([&](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromBuffer:buffer.get()
                 sourceOffset:offset
            sourceBytesPerRow:row
          sourceBytesPerImage:0
                   sourceSize:size
                    toTexture:to
             destinationSlice:slice
             destinationLevel:level
            destinationOrigin:origin];
    });
  };
  const MTLOrigin start = MTLOriginMake(0, 0, 0);
  const MTLSize all = MTLSizeMake(8, 8, 1);
  EXPECT_EQ(from_buffer(0, 32, all, 0, 0, start, small.get()), "");
  EXPECT_EQ(from_buffer(1, 32, all, 0, 0, start, small.get()),
            "The source of a copy of 256 bytes from offset 1 on goes beyond the length (256) of "
            "its buffer.");
  EXPECT_EQ(from_buffer(0, 28, all, 0, 0, start, small.get()),
            "The source of a copy has a number of bytes per row (28) that is smaller than a row "
            "(32) or no multiple of a pixel's bytes (4).");
  EXPECT_EQ(from_buffer(0, 32, all, 1, 0, start, small.get()),
            "The destination of a copy is in level 1 of a texture that has 1.");
  EXPECT_EQ(from_buffer(0, 32, all, 0, 3, start, small.get()),
            "The destination of a copy is in slice 3 of a texture that has 1.");
  EXPECT_EQ(from_buffer(0, 32, all, 0, 0, MTLOriginMake(1, 0, 0), small.get()),
            "The destination of a copy (8 x 8 x 1 pixels from 1 x 0 x 0 on) is not within the 8 x "
            "8 x 1 pixels of its level.");
  EXPECT_EQ(from_buffer(0, 32, all, 0, 0, start, nil),
            "The texture of a copy is nil or not of this device.");
  const auto between = [&](id<MTLTexture> to, MTLOrigin origin) {
    return error_of_blit([&](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromTexture:small.get()
                   sourceSlice:0
                   sourceLevel:0
                  sourceOrigin:start
                    sourceSize:MTLSizeMake(4, 4, 1)
                     toTexture:to
              destinationSlice:0
              destinationLevel:0
             destinationOrigin:origin];
    });
  };
  EXPECT_EQ(between(other.get(), start),
            "A texture of format RGBA8Unorm cannot be copied to one of format RG8Unorm.");
  EXPECT_EQ(between(small.get(), MTLOriginMake(3, 3, 0)),
            "The source and the destination of a copy within a texture overlap.");
  EXPECT_EQ(between(small.get(), MTLOriginMake(4, 0, 0)), "");
  EXPECT_EQ(error_of_blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder generateMipmapsForTexture:small.get()];
            }),
            "The texture to generate mipmaps for has one level only.");
  const TexturePointer integers =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR8Uint, MTLSizeMake(8, 8, 1), 1, 2));
  EXPECT_EQ(error_of_blit([&](id<MTLBlitCommandEncoder> encoder) {
              [encoder generateMipmapsForTexture:integers.get()];
            }),
            "Mipmaps cannot be generated for a texture of format R8Uint, which cannot be "
            "filtered.");
}

} // namespace
