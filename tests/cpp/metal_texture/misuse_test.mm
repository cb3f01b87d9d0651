// What is wrong with a kernel's textures and samplers: when it is compiled and when it is run.
#include "fixture.hpp"

using namespace metal_texture;

namespace {

class MisuseTest : public MetalTest {};

const char *const source = R"(
kernel void k(texture2d<float> image [[texture(2)]], texture2d<uint, access::write> out [[texture(3)]],
              sampler s [[sampler(1)]], uint2 at [[thread_position_in_grid]]) {
  out.write(uint4(image.sample(s, float2(at))), at);
}
)";

TEST_F(MisuseTest, DispatchesAreChecked) {
  const MTLSize size = MTLSizeMake(4, 4, 1);
  const PipelinePointer kernel = pipeline(source, "k");
  const TexturePointer image =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR8Unorm, size));
  const TexturePointer out = make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR8Uint, size));
  const TexturePointer volume =
      make_texture(descriptor(MTLTextureType3D, MTLPixelFormatR8Unorm, size));
  MTLTextureDescriptor *const read_only = descriptor(MTLTextureType2D, MTLPixelFormatR8Uint, size);
  [read_only setUsage:MTLTextureUsageShaderRead];
  const TexturePointer fixed = make_texture(read_only);
  const SamplerPointer sampler = make_sampler([[[MTLSamplerDescriptor alloc] init] autorelease]);
  const auto error = [&](id<MTLTexture> first, id<MTLTexture> second, id<MTLSamplerState> third) {
    return error_of(kernel, size, [&](id<MTLComputeCommandEncoder> encoder) {
      const id<MTLTexture> textures[] = {first, second};
      [encoder setTextures:textures withRange:NSMakeRange(2, 2)];
      [encoder setSamplerStates:&third withRange:NSMakeRange(1, 1)];
    });
  };
  EXPECT_EQ(error(image.get(), out.get(), sampler.get()), "");
  EXPECT_EQ(error(nil, out.get(), sampler.get()),
            "Texture \"image\" at index 2 of kernel \"k\" is not bound.");
  EXPECT_EQ(error(image.get(), out.get(), nil),
            "Sampler \"s\" at index 1 of kernel \"k\" is not bound.");
  EXPECT_EQ(error(volume.get(), out.get(), sampler.get()),
            "Texture \"image\" at index 2 of kernel \"k\" is of the type \"texture2d<float, "
            "sample>\" (MTLTextureType 2), and a texture of MTLTextureType 7 is bound.");
  EXPECT_EQ(error(out.get(), out.get(), sampler.get()),
            "Texture \"image\" at index 2 of kernel \"k\" is of the type \"texture2d<float, "
            "sample>\", and a texture of the format R8Uint is bound.");
  EXPECT_EQ(error(image.get(), fixed.get(), sampler.get()),
            "Texture \"out\" at index 3 of kernel \"k\" needs a texture with the usage "
            "MTLTextureUsageShaderWrite, and the usage of the one that is bound is 1.");
  EXPECT_EQ(error_of(kernel, size,
                     [&](id<MTLComputeCommandEncoder> encoder) {
                       [encoder setTexture:image.get() atIndex:128];
                     }),
            "The texture index (128) is larger than the largest (127).");
  EXPECT_EQ(error_of(kernel, size,
                     [&](id<MTLComputeCommandEncoder> encoder) {
                       [encoder setSamplerState:sampler.get() atIndex:16];
                     }),
            "The sampler index (16) is larger than the largest (15).");
}

TEST_F(MisuseTest, AccessIsCheckedWhereItIsUsed) {
  const auto error = [](const std::string &type, const std::string &use) {
    return compile_error("kernel void k(" + type +
                         " image [[texture(0)]], sampler s [[sampler(0)]], "
                         "device float4 *out [[buffer(0)]]) {\n  " +
                         use + ";\n}\n");
  };
  EXPECT_EQ(error("texture2d<float>", "out[0] = image.read(uint2(0))"), "");
  const auto expect = [&](const std::string &type, const std::string &use, const std::string &place,
                          const std::string &why) {
    const std::string text = error(type, use);
    EXPECT_NE(text.find("program_source:4:" + place), std::string::npos) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
  };
  expect("texture2d<float>", "image.write(float4(0), uint2(0))", "9: error",
         "the texture's access is neither access::write nor access::read_write");
  expect("texture2d<float, access::write>", "out[0] = image.read(uint2(0))", "18: error",
         "the texture's access is access::write");
  expect("texture2d<float, access::read>", "out[0] = image.sample(s, float2(0))", "18: error",
         "the texture's access is not access::sample");
  expect("texture2d<float, access::write>", "image.fence()", "9: error",
         "the texture's access is not access::read_write");
  EXPECT_NE(error("texture2d<long>", "out[0] = float4(image.read(uint2(0)))")
                .find("a texture holds float, half, int, uint, short or ushort"),
            std::string::npos);
}

} // namespace
