// Depth textures of every kind, beside textures of floats with the same pixels.
#include "fixture.hpp"

using namespace metal_texture;

namespace {

struct Kind {
  const char *depth;
  const char *texture;
  MTLTextureType type;
  NSUInteger length, faces;
  const char *place; ///< of a sample, with `at` a float3 and `slice` a uint
  const char *pixel; ///< with `to` a uint3
  const char *gradient;
  const char *nowhere; ///< an offset of zero, where there is one
};

const Kind kinds[] = {
    {"depth2d", "texture2d", MTLTextureType2D, 1, 1, "at.xy", "to.xy",
     "gradient2d(at.yz * 0.3, at.zx * 0.2)", ", int2(0)"},
    {"depth2d_array", "texture2d_array", MTLTextureType2DArray, 3, 1, "at.xy, slice",
     "to.xy, slice", "gradient2d(at.yz * 0.3, at.zx * 0.2)", ", int2(0)"},
    {"depthcube", "texturecube", MTLTextureTypeCube, 1, 6, "at", "to.xy, to.z",
     "gradientcube(at.yzx * 0.3, at.zxy * 0.2)", ""},
    {"depthcube_array", "texturecube_array", MTLTextureTypeCubeArray, 2, 6, "at, slice % 2",
     "to.xy, to.z, slice % 2", "gradientcube(at.yzx * 0.3, at.zxy * 0.2)", ""},
};

class DepthTest : public MetalTest, public testing::WithParamInterface<Kind> {};

constexpr NSUInteger side = 12, levels = 3, places = 300;
constexpr size_t pairs = 20; ///< of numbers that are to be the same

std::string source_for(const Kind &kind) {
  std::string text = R"(
kernel void k(DEPTH<float> d [[texture(0)]], TEXTURE<float> t [[texture(1)]],
              sampler s [[sampler(0)]], const device packed_float4 *places [[buffer(0)]],
              device float2 *seen [[buffer(1)]], constant uint &slice [[buffer(2)]],
              uint i [[thread_position_in_grid]]) {
  constexpr sampler nearest(filter::nearest, compare_func::less);
  constexpr sampler farther(filter::nearest, compare_func::greater_equal);
  const float3 at = float3(places[i].x, places[i].y, places[i].z);
  const float value = places[i].w;
  const uint3 to(i % 12, i / 12 % 12, i % 6);
  device float2 *out = seen + 20 * i;
  *out++ = float2(d.sample(s, PLACE), t.sample(s, PLACE).x);
  *out++ = float2(d.sample(s, PLACE, level(1.5)), t.sample(s, PLACE, level(1.5)).x);
  *out++ = float2(d.sample(s, PLACE, bias(0.7)), t.sample(s, PLACE, bias(0.7)).x);
  *out++ = float2(d.sample(s, PLACE, min_lod_clamp(1)), t.sample(s, PLACE, min_lod_clamp(1)).x);
  *out++ = float2(d.sample(s, PLACE, GRADIENT), t.sample(s, PLACE, GRADIENT).x);
  *out++ = float2(d.read(PIXEL), t.read(PIXEL).x);
  *out++ = float2(d.read(PIXEL, 1), t.read(PIXEL, 1).x);
  *out++ = float2(d.sample_compare(nearest, PLACE, value),
                  value < t.sample(nearest, PLACE).x);
  *out++ = float2(d.sample_compare(farther, PLACE, value, level(1)),
                  value >= t.sample(nearest, PLACE, level(1)).x);
  *out++ = float2(d.get_width(1), t.get_width(1));
  *out++ = float2(d.get_height(2), t.get_height(2));
  *out++ = float2(d.get_num_mip_levels(), 3);
  const float4 gathered = t.gather(s, PLACE NOWHERE, component::x), own = d.gather(s, PLACE);
  const float4 compared = d.gather_compare(farther, PLACE, value);
  for (int k = 0; k < 4; ++k) {
    *out++ = float2(own[k], gathered[k]);
    *out++ = float2(compared[k], value >= gathered[k]);
  }
}
)";
  const std::pair<const char *, const char *> words[] = {
      {"DEPTH", kind.depth}, {"TEXTURE", kind.texture},   {"PLACE", kind.place},
      {"PIXEL", kind.pixel}, {"GRADIENT", kind.gradient}, {"NOWHERE", kind.nowhere}};
  for (const auto &[word, value] : words)
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, std::string(word).size(), value);
  return text;
}

TEST_P(DepthTest, IsLikeATextureOfFloats) {
  const Kind kind = GetParam();
  const TexturePointer image = make_texture(descriptor(
      kind.type, MTLPixelFormatDepth32Float, MTLSizeMake(side, side, 1), kind.length, levels));
  ASSERT_TRUE(image);
  for (NSUInteger level = 0; level < levels; ++level)
    for (NSUInteger slice = 0; slice < kind.length * kind.faces; ++slice) {
      const NSUInteger width = side >> level;
      std::vector<float> pixels(width * width);
      for (float &pixel : pixels)
        pixel = random_float(0, 1);
      [image.get() replaceRegion:MTLRegionMake2D(0, 0, width, width)
                     mipmapLevel:level
                           slice:slice
                       withBytes:pixels.data()
                     bytesPerRow:width * 4
                   bytesPerImage:width * width * 4];
    }
  std::vector<float> where(places * 4);
  for (size_t at = 0; at < where.size(); ++at)
    where[at] = at % 4 == 3 ? random_float(0, 1) : random_float(-1, 1);
  MTLSamplerDescriptor *const wanted = [[[MTLSamplerDescriptor alloc] init] autorelease];
  wanted.minFilter = wanted.magFilter = MTLSamplerMinMagFilterLinear;
  wanted.mipFilter = MTLSamplerMipFilterLinear;
  const SamplerPointer sampler = make_sampler(wanted);
  const BufferPointer given = make_buffer(where), seen = make_buffer(places * pairs * 8);
  const PipelinePointer kernel = pipeline(source_for(kind), "k");
  for (uint32_t slice = 0; slice < kind.length; ++slice) {
    run(kernel, MTLSizeMake(places, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setTexture:image.get() atIndex:0];
      [encoder setTexture:image.get() atIndex:1];
      [encoder setSamplerState:sampler.get() atIndex:0];
      [encoder setBuffer:given.get() offset:0 atIndex:0];
      [encoder setBuffer:seen.get() offset:0 atIndex:1];
      [encoder setBytes:&slice length:4 atIndex:2];
    });
    const auto values = contents_of<float>(seen);
    for (size_t at = 0; at < values.size(); at += 2)
      ASSERT_EQ(values[at], values[at + 1])
          << "pair " << at / 2 % pairs << " of place " << at / 2 / pairs << ", slice " << slice;
  }
}

TEST_P(DepthTest, ArraysKnowTheirLength) {
  const Kind kind = GetParam();
  if (kind.length == 1)
    return;
  const TexturePointer image = make_texture(descriptor(
      kind.type, MTLPixelFormatDepth32Float, MTLSizeMake(side, side, 1), kind.length, levels));
  const BufferPointer seen = make_buffer(8);
  run(pipeline("kernel void k(" + std::string(kind.depth) +
                   "<float> d, device uint *seen) { seen[0] = d.get_array_size(); "
                   "seen[1] = is_null_texture(d); }",
               "k"),
      MTLSizeMake(1, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:image.get() atIndex:0];
        [encoder setBuffer:seen.get() offset:0 atIndex:0];
      });
  EXPECT_EQ(contents_of<uint32_t>(seen),
            (std::vector<uint32_t>{static_cast<uint32_t>(kind.length), 0}));
}

INSTANTIATE_TEST_SUITE_P(All, DepthTest, testing::ValuesIn(kinds),
                         [](const auto &info) { return std::string(info.param.depth); });

} // namespace
