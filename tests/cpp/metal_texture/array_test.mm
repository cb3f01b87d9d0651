// Arrays of textures and samplers as arguments.
#include "fixture.hpp"

#import <Metal/MTLComputePipeline.h>

using namespace metal_texture;

namespace {

constexpr uint32_t count = 7;

class ArrayTest : public MetalTest {
protected:
  void SetUp() override {
    MetalTest::SetUp();
    for (uint32_t i = 0; i < count; ++i) {
      const NSUInteger width = 1 + i;
      textures_.push_back(make_texture(
          descriptor(MTLTextureType2D, MTLPixelFormatR32Float, MTLSizeMake(width, 1, 1))));
      std::vector<float> pixels(width);
      for (float &pixel : pixels)
        pixel = random_float(-1, 1);
      [textures_.back().get() replaceRegion:MTLRegionMake2D(0, 0, width, 1)
                                mipmapLevel:0
                                  withBytes:pixels.data()
                                bytesPerRow:width * 4];
      first_.push_back(pixels[0]);
    }
  }

  std::vector<TexturePointer> textures_;
  std::vector<float> first_; ///< pixel of each
};

TEST_F(ArrayTest, ThreadsChooseTheirTexture) {
  const PipelinePointer kernel = pipeline(R"(
float first(array<texture2d<float>, 7> all, uint i) { return all[i].read(uint2(0)).x; }
kernel void k(texture2d<float> before [[texture(2)]],
              const array<texture2d<float>, 7> all [[texture(3)]], device float4 *seen,
              array<sampler, 2> samplers, array<texture2d<float>, 1> only [[texture(10)]],
              uint i [[thread_position_in_grid]]) {
  array<texture2d<float>, 7> turned = all;
  turned[0] = all[6];
  seen[i] = float4(first(all, i), all[i].get_width(), first(turned, i) + before.get_width(),
                   all[i].sample(samplers[i % 2], float2(0)).x + only[0].get_width());
}
)",
                                          "k");
  const BufferPointer seen = make_buffer(count * 16);
  const SamplerPointer sampler = make_sampler([[[MTLSamplerDescriptor alloc] init] autorelease]);
  run(kernel, MTLSizeMake(count, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
    for (uint32_t i = 0; i < count; ++i)
      [encoder setTexture:textures_[i].get() atIndex:3 + i];
    [encoder setTexture:textures_[4].get() atIndex:2];
    [encoder setTexture:textures_[2].get() atIndex:10];
    for (NSUInteger i = 0; i < 2; ++i)
      [encoder setSamplerState:sampler.get() atIndex:i];
    [encoder setBuffer:seen.get() offset:0 atIndex:0];
  });
  const auto values = contents_of<float>(seen);
  for (uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(values[i * 4], first_[i]);
    EXPECT_EQ(values[i * 4 + 1], static_cast<float>(1 + i));
    EXPECT_EQ(values[i * 4 + 2], first_[i == 0 ? 6 : i] + 5);
    EXPECT_EQ(values[i * 4 + 3], first_[i] + 3);
  }
}

TEST_F(ArrayTest, SomeMayBeMissing) {
  const PipelinePointer kernel = pipeline(R"(
kernel void k(array<texture2d<float, access::read_write>, 7> all, device float4 *seen,
              uint i [[thread_position_in_grid]]) {
  all[i].write(float4(5), uint2(0));
  seen[i] = float4(is_null_texture(all[i]), all[i].get_width(), all[i].read(uint2(0)).x,
                   all[i].get_num_mip_levels());
}
)",
                                          "k");
  const BufferPointer seen = make_buffer(count * 16);
  run(kernel, MTLSizeMake(count, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
    for (uint32_t i = 0; i < count; i += 2)
      [encoder setTexture:textures_[i].get() atIndex:i];
    [encoder setBuffer:seen.get() offset:0 atIndex:0];
  });
  const auto values = contents_of<float>(seen);
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_there = i % 2 == 0;
    EXPECT_EQ(values[i * 4], is_there ? 0 : 1) << i;
    EXPECT_EQ(values[i * 4 + 1], is_there ? static_cast<float>(1 + i) : 0) << i;
    EXPECT_EQ(values[i * 4 + 2], is_there ? 5 : 0) << i;
    EXPECT_EQ(values[i * 4 + 3], is_there ? 1 : 0) << i;
  }
}

TEST_F(ArrayTest, ElementsAreChecked) {
  const PipelinePointer kernel =
      pipeline("kernel void k(array<texture2d<uint>, 3> all [[texture(1)]], device uint *seen) {"
               "  *seen = all[2].read(uint2(0)).x; }",
               "k");
  const BufferPointer seen = make_buffer(4);
  EXPECT_NE(error_of(kernel, MTLSizeMake(1, 1, 1),
                     [&](id<MTLComputeCommandEncoder> encoder) {
                       [encoder setTexture:textures_[0].get() atIndex:2];
                       [encoder setBuffer:seen.get() offset:0 atIndex:0];
                     })
                .find("R32Float"),
            std::string::npos);
}

TEST_F(ArrayTest, IndicesMustBeFreeAndWithinTheLimit) {
  EXPECT_NE(compile_error("kernel void k(array<texture2d<float>, 4> a [[texture(3)]],"
                          "  texture2d<float> b [[texture(6)]]) {}")
                .find("'texture' index 6 is used by more than one argument"),
            std::string::npos);
  EXPECT_NE(compile_error("kernel void k(array<texture2d<float>, 4> a [[texture(125)]]) {}")
                .find("the array of 4 from 'texture' index 125 on goes beyond the limit 128"),
            std::string::npos);
  EXPECT_NE(compile_error("kernel void k(array<sampler, 17> a) {}")
                .find("no 'sampler' index is left below the limit 16"),
            std::string::npos);
}

} // namespace
