// Textures as objects: what can be made, their memory, views, and what they say of themselves.
#include "fixture.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace metal_texture;

namespace {

class TextureTest : public MetalTest {};

TEST_F(TextureTest, SaysHowItWasMade) {
  MTLTextureDescriptor *const wanted =
      descriptor(MTLTextureType2DArray, MTLPixelFormatRG11B10Float, MTLSizeMake(40, 20, 1), 3, 4);
  [wanted setStorageMode:MTLStorageModePrivate];
  [wanted setHazardTrackingMode:MTLHazardTrackingModeUntracked];
  const TexturePointer texture = make_texture([[wanted copy] autorelease]);
  ASSERT_TRUE(texture);
  id<MTLTexture> made = texture.get();
  EXPECT_EQ([made textureType], MTLTextureType2DArray);
  EXPECT_EQ([made pixelFormat], MTLPixelFormatRG11B10Float);
  EXPECT_EQ([made width], 40u);
  EXPECT_EQ([made height], 20u);
  EXPECT_EQ([made depth], 1u);
  EXPECT_EQ([made arrayLength], 3u);
  EXPECT_EQ([made mipmapLevelCount], 4u);
  EXPECT_EQ([made sampleCount], 1u);
  EXPECT_EQ([made usage], MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite);
  EXPECT_EQ([made storageMode], MTLStorageModePrivate);
  EXPECT_EQ([made hazardTrackingMode], MTLHazardTrackingModeUntracked);
  EXPECT_EQ([made device], device());
  EXPECT_EQ([made parentTexture], nil);
  EXPECT_EQ([made buffer], nil);
  EXPECT_GE([made allocatedSize], 40u * 20 * 4 * 3);
}

TEST_F(TextureTest, DescriptorsHaveApplesDefaults) {
  MTLTextureDescriptor *const plain = [[[MTLTextureDescriptor alloc] init] autorelease];
  EXPECT_EQ([plain textureType], MTLTextureType2D);
  EXPECT_EQ([plain pixelFormat], MTLPixelFormatRGBA8Unorm);
  EXPECT_EQ([plain width] * [plain height] * [plain depth] * [plain arrayLength], 1u);
  EXPECT_EQ([plain mipmapLevelCount], 1u);
  EXPECT_EQ([plain usage], MTLTextureUsageShaderRead);
  MTLTextureDescriptor *const whole =
      [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:MTLPixelFormatR8Unorm
                                                         width:100
                                                        height:17
                                                     mipmapped:YES];
  EXPECT_EQ([whole mipmapLevelCount], 7u);
  EXPECT_EQ([[MTLTextureDescriptor textureCubeDescriptorWithPixelFormat:MTLPixelFormatR8Unorm
                                                                   size:16
                                                              mipmapped:NO] mipmapLevelCount],
            1u);
  MTLSamplerDescriptor *const sampler = [[[MTLSamplerDescriptor alloc] init] autorelease];
  EXPECT_EQ([sampler minFilter], MTLSamplerMinMagFilterNearest);
  EXPECT_EQ([sampler mipFilter], MTLSamplerMipFilterNotMipmapped);
  EXPECT_EQ([sampler sAddressMode], MTLSamplerAddressModeClampToEdge);
  EXPECT_TRUE([sampler normalizedCoordinates]);
  EXPECT_EQ([sampler maxAnisotropy], 1u);
  EXPECT_EQ([sampler lodMinClamp], 0.0f);
  EXPECT_EQ([sampler lodMaxClamp], std::numeric_limits<float>::max());
  EXPECT_EQ([sampler compareFunction], MTLCompareFunctionNever);
}

TEST_F(TextureTest, IsZeroAtFirst) {
  const TexturePointer texture =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR32Float, MTLSizeMake(30, 30, 1)));
  std::vector<uint32_t> pixels(900, 1);
  [texture.get() getBytes:pixels.data()
              bytesPerRow:120
               fromRegion:MTLRegionMake2D(0, 0, 30, 30)
              mipmapLevel:0];
  EXPECT_EQ(pixels, std::vector<uint32_t>(900));
}

TEST_F(TextureTest, BadDescriptorsAreRefused) {
  const auto reason = [](const std::function<void(MTLTextureDescriptor *)> &change) {
    MTLTextureDescriptor *const wanted =
        descriptor(MTLTextureType2D, MTLPixelFormatRGBA8Unorm, MTLSizeMake(16, 16, 1));
    change(wanted);
    return reason_of(^{
      [[device() newTextureWithDescriptor:wanted] release];
    });
  };
  EXPECT_EQ(reason([](MTLTextureDescriptor *) {}), "");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setWidth:0]; }),
            "The texture's width (0) must be from 1 to 16384.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setHeight:16385]; }),
            "The texture's height (16385) must be from 1 to 16384.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setDepth:2]; }),
            "The texture's depth (2) must be 1.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setArrayLength:2]; }),
            "The texture's array length (2) must be 1.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setSampleCount:4]; }),
            "The texture's sample count (4) must be 1.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setMipmapLevelCount:6]; }),
            "The texture's number of mipmap levels (6) must be from 1 to 5.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) {
              [d setTextureType:MTLTextureTypeCube];
              [d setHeight:8];
            }),
            "The width (16) and the height (8) of a cube texture must be the same.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setTextureType:MTLTextureType2DMultisample]; }),
            "The texture type (4) is none that this device has.");
  EXPECT_EQ(
      reason([](MTLTextureDescriptor *d) { [d setPixelFormat:static_cast<MTLPixelFormat>(204)]; }),
      "The pixel format (204) is none that this device has.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setPixelFormat:MTLPixelFormatInvalid]; }),
            "The pixel format (0) is none that this device has.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setUsage:static_cast<MTLTextureUsage>(64)]; }),
            "The texture's usage (64) has an unknown bit.");
  EXPECT_EQ(reason([](MTLTextureDescriptor *d) { [d setStorageMode:MTLStorageModeMemoryless]; }),
            "The texture's resource options (48) are none that a texture can have.");
  const auto sampler_reason = [](const std::function<void(MTLSamplerDescriptor *)> &change) {
    MTLSamplerDescriptor *const wanted = [[[MTLSamplerDescriptor alloc] init] autorelease];
    change(wanted);
    return reason_of(^{
      [[device() newSamplerStateWithDescriptor:wanted] release];
    });
  };
  EXPECT_EQ(sampler_reason([](MTLSamplerDescriptor *d) { [d setMaxAnisotropy:17]; }),
            "The sampler's maximum anisotropy (17) must be from 1 to 16.");
  EXPECT_EQ(sampler_reason([](MTLSamplerDescriptor *d) {
              [d setNormalizedCoordinates:NO];
              [d setTAddressMode:MTLSamplerAddressModeRepeat];
            }),
            "The sampler's address mode (2) needs normalised coordinates.");
}

TEST_F(TextureTest, RegionsMustLieWithinTheTexture) {
  const TexturePointer texture = make_texture(
      descriptor(MTLTextureType2D, MTLPixelFormatR16Uint, MTLSizeMake(10, 10, 1), 1, 2));
  std::vector<uint16_t> pixels(100);
  uint16_t *const memory = pixels.data();
  id<MTLTexture> made = texture.get();
  EXPECT_EQ(reason_of(^{
              [made getBytes:memory
                  bytesPerRow:20
                   fromRegion:MTLRegionMake2D(1, 0, 10, 10)
                  mipmapLevel:0];
            }),
            "The region given to -getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice: "
            "(10 x 10 x 1 pixels from 1 x 0 x 0 on) is not within the 10 x 10 x 1 pixels of its "
            "level.");
  EXPECT_NE(reason_of(^{
              [made getBytes:memory
                  bytesPerRow:20
                   fromRegion:MTLRegionMake2D(0, 0, 6, 1)
                  mipmapLevel:1];
            }),
            "");
  EXPECT_NE(reason_of(^{
              [made replaceRegion:MTLRegionMake2D(0, 0, 10, 10)
                      mipmapLevel:0
                        withBytes:memory
                      bytesPerRow:18];
            }),
            "");
  EXPECT_NE(reason_of(^{
              [made replaceRegion:MTLRegionMake2D(0, 0, 10, 10)
                      mipmapLevel:0
                        withBytes:nullptr
                      bytesPerRow:20];
            }),
            "");
  EXPECT_NE(reason_of(^{
              [made replaceRegion:MTLRegionMake2D(NSUIntegerMax, 0, 2, 1)
                      mipmapLevel:0
                        withBytes:memory
                      bytesPerRow:20];
            }),
            "");
  MTLTextureDescriptor *const hidden =
      descriptor(MTLTextureType2D, MTLPixelFormatR16Uint, MTLSizeMake(10, 10, 1));
  [hidden setStorageMode:MTLStorageModePrivate];
  const TexturePointer secret = make_texture(hidden);
  id<MTLTexture> made_secret = secret.get();
  EXPECT_EQ(reason_of(^{
              [made_secret getBytes:memory
                        bytesPerRow:20
                         fromRegion:MTLRegionMake2D(0, 0, 10, 10)
                        mipmapLevel:0];
            }),
            "The region given to -getBytes:bytesPerRow:bytesPerImage:fromRegion:mipmapLevel:slice: "
            "is of a texture with private storage.");
}

TEST_F(TextureTest, LivesInABuffer) {
  const NSUInteger offset = 64, row = 48;
  const BufferPointer buffer = make_buffer(offset + row * 5);
  MTLTextureDescriptor *const wanted =
      descriptor(MTLTextureType2D, MTLPixelFormatR32Float, MTLSizeMake(9, 5, 1));
  const auto texture = TexturePointer::adopt([buffer.get() newTextureWithDescriptor:wanted
                                                                             offset:offset
                                                                        bytesPerRow:row]);
  ASSERT_TRUE(texture);
  EXPECT_EQ([texture.get() buffer], buffer.get());
  EXPECT_EQ([texture.get() bufferOffset], offset);
  EXPECT_EQ([texture.get() bufferBytesPerRow], row);
  run(pipeline(R"(
kernel void k(texture2d<float, access::write> image [[texture(0)]],
              uint2 at [[thread_position_in_grid]]) {
  image.write(float4(at.x + 100 * at.y), at);
}
)",
               "k"),
      MTLSizeMake(9, 5, 1),
      [&](id<MTLComputeCommandEncoder> encoder) { [encoder setTexture:texture.get() atIndex:0]; });
  const auto *const bytes = static_cast<const uint8_t *>([buffer.get() contents]);
  for (NSUInteger y = 0; y < 5; ++y)
    for (NSUInteger x = 0; x < 12; ++x) {
      float value;
      std::memcpy(&value, bytes + offset + y * row + x * 4, 4);
      ASSERT_EQ(value, x < 9 ? static_cast<float>(x + 100 * y) : 0.0f);
    }

  id<MTLBuffer> memory = buffer.get();
  const auto reason = [&](NSUInteger at, NSUInteger bytes_per_row) {
    return reason_of(^{
      [[memory newTextureWithDescriptor:wanted offset:at bytesPerRow:bytes_per_row] release];
    });
  };
  EXPECT_EQ(reason(8, row), "The offset (8) of a texture in a buffer must be a multiple of 16.");
  EXPECT_EQ(reason(0, 32),
            "The bytes per row (32) of a texture in a buffer are fewer than a row has (36).");
  EXPECT_EQ(reason(96, row),
            "A texture of 228 bytes from offset 96 on goes beyond the length (304) "
            "of its buffer.");
  [wanted setMipmapLevelCount:2];
  EXPECT_EQ(reason(0, row), "A texture in a buffer has one mipmap level, not 2.");
}

TEST_F(TextureTest, ViewsShareThePixels) {
  MTLTextureDescriptor *const wanted =
      descriptor(MTLTextureType2DArray, MTLPixelFormatRGBA8Unorm, MTLSizeMake(8, 8, 1), 12, 4);
  [wanted setUsage:[wanted usage] | MTLTextureUsagePixelFormatView];
  const TexturePointer texture = make_texture(wanted);
  const auto view =
      TexturePointer::adopt([texture.get() newTextureViewWithPixelFormat:MTLPixelFormatRGBA8Uint
                                                             textureType:MTLTextureTypeCube
                                                                  levels:NSMakeRange(1, 2)
                                                                  slices:NSMakeRange(3, 6)]);
  ASSERT_TRUE(view);
  id<MTLTexture> seen = view.get();
  EXPECT_EQ([seen parentTexture], texture.get());
  EXPECT_EQ([seen parentRelativeLevel], 1u);
  EXPECT_EQ([seen parentRelativeSlice], 3u);
  EXPECT_EQ([seen width], 4u);
  EXPECT_EQ([seen mipmapLevelCount], 2u);
  EXPECT_EQ([seen arrayLength], 1u);
  const auto pixels = random_bytes(2 * 2 * 4);
  [texture.get() replaceRegion:MTLRegionMake2D(0, 0, 2, 2)
                   mipmapLevel:2
                         slice:5
                     withBytes:pixels.data()
                   bytesPerRow:8
                 bytesPerImage:0];
  const BufferPointer out = make_buffer(64);
  run(pipeline(R"(
kernel void k(texturecube<uint> image [[texture(0)]], device uint4 *out [[buffer(0)]],
              uint2 at [[thread_position_in_grid]]) {
  out[at.y * 2 + at.x] = image.read(at, 2, 1);
}
)",
               "k"),
      MTLSizeMake(2, 2, 1), [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:seen atIndex:0];
        [encoder setBuffer:out.get() offset:0 atIndex:0];
      });
  const auto values = contents_of<uint32_t>(out);
  for (size_t at = 0; at < values.size(); ++at)
    ASSERT_EQ(values[at], pixels[at]);

  id<MTLTexture> whole = texture.get();
  const auto reason = [&](MTLPixelFormat format, MTLTextureType type, NSRange levels,
                          NSRange slices) {
    return reason_of(^{
      [[whole newTextureViewWithPixelFormat:format textureType:type levels:levels
                                     slices:slices] release];
    });
  };
  EXPECT_EQ(
      reason(MTLPixelFormatRGBA16Uint, MTLTextureType2D, NSMakeRange(0, 1), NSMakeRange(0, 1)),
      "A texture of format RGBA8Unorm cannot be seen as one of format RGBA16Uint.");
  EXPECT_EQ(
      reason(MTLPixelFormatRGBA8Unorm, MTLTextureType3D, NSMakeRange(0, 1), NSMakeRange(0, 1)),
      "A texture of type 3 cannot be seen as one of type 7.");
  EXPECT_EQ(
      reason(MTLPixelFormatRGBA8Unorm, MTLTextureType2D, NSMakeRange(3, 2), NSMakeRange(0, 1)),
      "The texture's number of mipmap levels (2) must be 1.");
  EXPECT_EQ(reason(MTLPixelFormatRGBA8Unorm, MTLTextureType2DArray, NSMakeRange(0, 1),
                   NSMakeRange(11, 2)),
            "The slices of a view (2 from 11 on) go beyond the texture's 12.");
}

TEST_F(TextureTest, BindingsAreReflected) {
  const auto library = metal_library::compile(R"(
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<half> a [[texture(4)]], texture3d<uint, access::write> b [[texture(7)]],
              depth2d<float> c [[texture(9)]], texture_buffer<int, access::read_write> d,
              sampler s [[sampler(5)]], uint3 at [[thread_position_in_grid]]) {
  b.write(uint4(a.sample(s, float2(at.xy)).x), at);
  d.write(int4(c.sample(s, float2(at.xy))), at.x);
}
)");
  NSError *error = nil;
  MTLComputePipelineReflection *reflection = nil;
  const auto function = metal_library::function(library, "k");
  const auto kernel = PipelinePointer::adopt([device()
      newComputePipelineStateWithFunction:function.get()
                                  options:MTLPipelineOptionBindingInfo
                               reflection:&reflection
                                    error:&error]);
  ASSERT_TRUE(kernel) << message(error);
  struct Expected {
    const char *name;
    MTLTextureType type;
    MTLDataType data_type;
    MTLBindingAccess access;
    NSUInteger index;
    BOOL is_depth;
  };
  const Expected textures[] = {
      {"a", MTLTextureType2D, MTLDataTypeHalf, MTLBindingAccessReadOnly, 4, NO},
      {"b", MTLTextureType3D, MTLDataTypeUInt, MTLBindingAccessWriteOnly, 7, NO},
      {"c", MTLTextureType2D, MTLDataTypeFloat, MTLBindingAccessReadOnly, 9, YES},
      {"d", MTLTextureTypeTextureBuffer, MTLDataTypeInt, MTLBindingAccessReadWrite, 0, NO},
  };
  ASSERT_EQ([[reflection bindings] count], 5u);
  for (NSUInteger at = 0; at < 4; ++at) {
    const Expected &expected = textures[at];
    id<MTLTextureBinding> binding =
        static_cast<id<MTLTextureBinding>>([[reflection bindings] objectAtIndex:at]);
    EXPECT_EQ([binding type], MTLBindingTypeTexture);
    EXPECT_EQ(metal_library::text([binding name]), expected.name);
    EXPECT_EQ([binding textureType], expected.type);
    EXPECT_EQ([binding textureDataType], expected.data_type);
    EXPECT_EQ([binding access], expected.access);
    EXPECT_EQ([binding index], expected.index);
    EXPECT_EQ([binding isDepthTexture], expected.is_depth);
    EXPECT_EQ([binding arrayLength], 1u);
    EXPECT_TRUE([binding isUsed]);
  }
  id<MTLBinding> sampler = [[reflection bindings] lastObject];
  EXPECT_EQ([sampler type], MTLBindingTypeSampler);
  EXPECT_EQ([sampler index], 5u);
}

} // namespace
