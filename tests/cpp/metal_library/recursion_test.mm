// Functions that call themselves, with the real compiler.
#include "compute.hpp"

using namespace metal_library;

namespace {

class RecursionTest : public MetalTest {};

const char *const source = R"(
#include <metal_stdlib>
using namespace metal;

uint deep(uint n) { return n == 0 ? 7 : deep(n - 1) * 3 + n; }
kernel void descend(device uint *n, uint i [[thread_position_in_grid]]) { n[i] = deep(n[i]); }

// The texels of a row as digits.
float digits(texture2d<float> image, sampler nearest, uint width, uint row, uint x) {
  float2 place((x + 0.5) / width, (row + 0.5) / image.get_height());
  float texel = x % 2 ? image.read(uint2(x, row)).x : image.sample(nearest, place).x;
  return x == 0 ? texel : texel + 10 * digits(image, nearest, width, row, x - 1);
}
kernel void read(texture2d<float> image [[texture(0)]], device float *out [[buffer(0)]],
                 uint i [[thread_position_in_grid]]) {
  constexpr sampler nearest(filter::nearest);
  out[i] = digits(image, nearest, image.get_width(), i, image.get_width() - 1);
}
)";

} // namespace

TEST_F(RecursionTest, TooDeepIsAnErrorOfTheCommandBuffer) {
  const auto pipeline = make_pipeline(compile(source), "descend");
  const auto queue = Retained<id<MTLCommandQueue>>::adopt([device() newCommandQueue]);
  std::vector<uint32_t> depths(200, 3);
  for (const uint32_t depth : {1'000'000u, 3u}) {
    depths[150] = depth;
    const auto buffer = make_buffer(depths);
    id<MTLCommandBuffer> commands = [queue.get() commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    [encoder setComputePipelineState:pipeline.get()];
    [encoder setBuffer:buffer.get() offset:0 atIndex:0];
    [encoder dispatchThreads:MTLSizeMake(200, 1, 1) threadsPerThreadgroup:MTLSizeMake(64, 1, 1)];
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    if (depth == 3) {
      EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted) << message([commands error]);
      EXPECT_EQ(std::vector(contents<uint32_t>(buffer), contents<uint32_t>(buffer) + 200),
                std::vector<uint32_t>(200, ((7 * 3 + 1) * 3 + 2) * 3 + 3));
    } else {
      EXPECT_EQ([commands status], MTLCommandBufferStatusError);
      EXPECT_EQ([[commands error] code], MTLCommandBufferErrorStackOverflow);
      EXPECT_TRUE([[[commands error] domain] isEqualToString:MTLCommandBufferErrorDomain]);
      EXPECT_EQ(message([commands error]),
                "A thread of kernel \"descend\" called functions so deep that the 65536 bytes of "
                "its stack are full.");
    }
  }
}

TEST_F(RecursionTest, ReadsTextures) {
  constexpr size_t width = 6, height = 37;
  MTLTextureDescriptor *descriptor =
      [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:MTLPixelFormatR32Float
                                                         width:width
                                                        height:height
                                                     mipmapped:NO];
  const auto image =
      Retained<id<MTLTexture>>::adopt([device() newTextureWithDescriptor:descriptor]);
  std::vector<float> texels(width * height);
  for (float &texel : texels)
    texel = static_cast<float>(std::uniform_int_distribution(0, 9)(random_source()));
  [image.get() replaceRegion:MTLRegionMake2D(0, 0, width, height)
                 mipmapLevel:0
                   withBytes:texels.data()
                 bytesPerRow:width * sizeof(float)];
  const auto out = make_buffer(std::vector<float>(height));
  ASSERT_EQ(run(make_pipeline(compile(source), "read"), height, 32,
                [&](id<MTLComputeCommandEncoder> encoder) {
                  [encoder setTexture:image.get() atIndex:0];
                  [encoder setBuffer:out.get() offset:0 atIndex:0];
                }),
            "");
  for (size_t row = 0; row < height; ++row) {
    float expected = 0;
    for (size_t x = 0; x < width; ++x)
      expected = 10 * expected + texels[row * width + x];
    EXPECT_EQ(contents<float>(out)[row], expected) << row;
  }
}
