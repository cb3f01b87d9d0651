// Textures of every kind: reads, writes, sizes, levels, and places that do not exist.
#include "fixture.hpp"

#include <cstring>

using namespace metal_texture;

namespace {

/// A kind of texture and how MSL names a pixel of it, with `at` a uint3 and `slice` a uint.
struct Kind {
  const char *name;
  MTLTextureType type;
  const char *place;
  const char *sizes; ///< uint4 of width, height, depth or slices, levels
  bool has_height, has_depth, is_array, is_cube, has_levels;
};

const Kind kinds[] = {
    {"texture1d", MTLTextureType1D, "at.x", "image.get_width(), 1, 1, image.get_num_mip_levels()",
     false, false, false, false, false},
    {"texture1d_array", MTLTextureType1DArray, "at.x, slice",
     "image.get_width(), 1, image.get_array_size(), image.get_num_mip_levels()", false, false, true,
     false, false},
    {"texture2d", MTLTextureType2D, "at.xy",
     "image.get_width(lod), image.get_height(lod), 1, image.get_num_mip_levels()", true, false,
     false, false, true},
    {"texture2d_array", MTLTextureType2DArray, "at.xy, slice",
     "image.get_width(lod), image.get_height(lod), image.get_array_size(), "
     "image.get_num_mip_levels()",
     true, false, true, false, true},
    {"texture3d", MTLTextureType3D, "at",
     "image.get_width(lod), image.get_height(lod), image.get_depth(lod), "
     "image.get_num_mip_levels()",
     true, true, false, false, true},
    {"texturecube", MTLTextureTypeCube, "at.xy, slice",
     "image.get_width(lod), image.get_height(lod), 1, image.get_num_mip_levels()", true, false,
     false, true, true},
    {"texturecube_array", MTLTextureTypeCubeArray, "at.xy, slice % 6, slice / 6",
     "image.get_width(lod), image.get_height(lod), image.get_array_size(), "
     "image.get_num_mip_levels()",
     true, false, true, true, true},
    {"texture_buffer", MTLTextureTypeTextureBuffer, "at.x", "image.get_width(), 1, 1, 1", false,
     false, false, false, false},
};

std::string source_for(const Kind &kind) {
  const std::string name(kind.name), place(kind.place);
  const std::string lod = name == "texture_buffer" ? "" : ", lod";
  return "kernel void copy(" + name + "<uint, access::read> image [[texture(0)]], " + name +
         R"(<uint, access::write> to [[texture(1)]],
                 constant uint &lod [[buffer(0)]], constant uint &slice [[buffer(1)]],
                 device uint4 *sizes [[buffer(2)]], uint3 at [[thread_position_in_grid]]) {
  if (all(at == 0))
    *sizes = uint4()" +
         kind.sizes + ");\n  to.write(image.read(" + place + lod + ") + 1, " + place + lod +
         ");\n}\n";
}

class KindTest : public MetalTest, public testing::WithParamInterface<Kind> {};

/// Bytes of one slice's level.
std::vector<uint8_t> bytes_of(id<MTLTexture> texture, MTLSize size, NSUInteger level,
                              NSUInteger slice) {
  std::vector<uint8_t> bytes(size.width * size.height * size.depth * 16);
  [texture getBytes:bytes.data()
        bytesPerRow:size.width * 16
      bytesPerImage:size.width * size.height * 16
         fromRegion:MTLRegionMake3D(0, 0, 0, size.width, size.height, size.depth)
        mipmapLevel:level
              slice:slice];
  return bytes;
}

TEST_P(KindTest, IsReadAndWrittenPixelByPixel) {
  const Kind kind = GetParam();
  const NSUInteger width = random_between(1, 33);
  const NSUInteger height = kind.is_cube ? width : kind.has_height ? random_between(1, 21) : 1;
  const MTLSize size = MTLSizeMake(width, height, kind.has_depth ? random_between(1, 9) : 1);
  const NSUInteger length = kind.is_array ? random_between(1, 4) : 1;
  const NSUInteger slices = length * (kind.is_cube ? 6 : 1);
  NSUInteger levels = 1;
  while (kind.has_levels && std::max({size.width, size.height, size.depth}) >> levels > 0)
    ++levels;
  MTLTextureDescriptor *const wanted =
      descriptor(kind.type, MTLPixelFormatRGBA32Uint, size, length, levels);
  const TexturePointer from = make_texture(wanted), to = make_texture(wanted);
  ASSERT_TRUE(from && to);
  const PipelinePointer copy = pipeline(source_for(kind), "copy");
  const BufferPointer sizes = make_buffer(16);
  for (uint32_t level = 0; level < levels; ++level) {
    const MTLSize part = MTLSizeMake(std::max<NSUInteger>(size.width >> level, 1),
                                     std::max<NSUInteger>(size.height >> level, 1),
                                     std::max<NSUInteger>(size.depth >> level, 1));
    for (uint32_t slice = 0; slice < slices; ++slice) {
      const auto bytes = random_bytes(part.width * part.height * part.depth * 16);
      [from.get() replaceRegion:MTLRegionMake3D(0, 0, 0, part.width, part.height, part.depth)
                    mipmapLevel:level
                          slice:slice
                      withBytes:bytes.data()
                    bytesPerRow:part.width * 16
                  bytesPerImage:part.width * part.height * 16];
      // More threads than pixels: the rest read zeros, and their writes are lost. No two threads
      // have the same pixel.
      const bool has_height = kind.has_height || kind.is_cube;
      run(copy,
          MTLSizeMake(part.width + 3, has_height ? part.height + 2 : 1,
                      kind.has_depth ? part.depth + 1 : 1),
          [&](id<MTLComputeCommandEncoder> encoder) {
            [encoder setTexture:from.get() atIndex:0];
            [encoder setTexture:to.get() atIndex:1];
            [encoder setBytes:&level length:4 atIndex:0];
            [encoder setBytes:&slice length:4 atIndex:1];
            [encoder setBuffer:sizes.get() offset:0 atIndex:2];
          });
      std::vector<uint32_t> expected(bytes.size() / 4);
      std::memcpy(expected.data(), bytes.data(), bytes.size());
      for (uint32_t &each : expected)
        ++each;
      const auto seen = bytes_of(to.get(), part, level, slice);
      ASSERT_EQ(std::memcmp(seen.data(), expected.data(), seen.size()), 0)
          << "level " << level << " slice " << slice;
    }
    const uint32_t third = static_cast<uint32_t>(kind.has_depth ? part.depth : length);
    ASSERT_EQ(contents_of<uint32_t>(sizes),
              (std::vector<uint32_t>{static_cast<uint32_t>(part.width),
                                     static_cast<uint32_t>(part.height), third,
                                     static_cast<uint32_t>(levels)}));
  }
}

TEST_P(KindTest, HasNothingOutside) {
  const Kind kind = GetParam();
  const NSUInteger side = random_between(1, 5);
  const MTLSize size = MTLSizeMake(side, kind.has_height ? side : 1, kind.has_depth ? side : 1);
  const TexturePointer texture =
      make_texture(descriptor(kind.type, MTLPixelFormatR8Unorm, size, kind.is_array ? 2 : 1));
  const std::string name(kind.name);
  const std::string lod = name == "texture_buffer" ? "" : ", lod";
  const std::string source = "kernel void outside(" + name +
                             R"(<float, access::read_write> image [[texture(0)]],
                  const device uint *numbers [[buffer(0)]], device float4 *seen [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  const uint3 at = uint3(numbers[5 * i], numbers[5 * i + 1], numbers[5 * i + 2]);
  const uint slice = numbers[5 * i + 3], lod = numbers[5 * i + 4];
  image.write(float4(1), )" + kind.place +
                             lod + ");\n  seen[i] = image.read(" + kind.place + lod + ");\n}\n";
  // Each beyond the texture in one way that its kind has.
  constexpr uint32_t far[] = {0, 0x7fffffff, 0x80000000, 0xffffffff};
  std::vector<uint32_t> numbers;
  for (int axis = 0; axis < 5; ++axis) {
    const bool has_axis[] = {true, kind.has_height, kind.has_depth, kind.is_array && !kind.is_cube,
                             kind.has_levels};
    const uint32_t first[] = {static_cast<uint32_t>(side), static_cast<uint32_t>(side),
                              static_cast<uint32_t>(side), 2, 1};
    for (uint32_t beyond : far)
      if (has_axis[axis])
        for (int at = 0; at < 5; ++at)
          numbers.push_back(at == axis ? std::max(first[axis], beyond) : 0);
  }
  const BufferPointer places = make_buffer(numbers);
  const BufferPointer seen = make_buffer(numbers.size() / 5 * 16);
  std::memset([seen.get() contents], 0xff, [seen.get() length]);
  run(pipeline(source, "outside"), MTLSizeMake(numbers.size() / 5, 1, 1),
      [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:texture.get() atIndex:0];
        [encoder setBuffer:places.get() offset:0 atIndex:0];
        [encoder setBuffer:seen.get() offset:0 atIndex:1];
      });
  for (const float value : contents_of<float>(seen))
    ASSERT_EQ(value, 0.0f);
  std::vector<uint8_t> bytes(size.width * size.height * size.depth, 1);
  [texture.get() getBytes:bytes.data()
              bytesPerRow:size.width
            bytesPerImage:size.width * size.height
               fromRegion:MTLRegionMake3D(0, 0, 0, size.width, size.height, size.depth)
              mipmapLevel:0
                    slice:0];
  ASSERT_EQ(bytes, std::vector<uint8_t>(bytes.size()));
}

INSTANTIATE_TEST_SUITE_P(All, KindTest, testing::ValuesIn(kinds),
                         [](const auto &info) { return std::string(info.param.name); });

class ReadWriteTest : public MetalTest {};

TEST_F(ReadWriteTest, AThreadSeesWhatItWrote) {
  const char *const source = R"(
kernel void twice(texture2d<half, access::read_write> image [[texture(3)]],
                  ushort2 at [[thread_position_in_grid]]) {
  for (int n = 0; n < 3; ++n) {
    image.write(image.read(at) * 2 + 1, at);
    image.fence();
  }
}
)";
  const TexturePointer texture =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatRG16Float, MTLSizeMake(37, 11, 1)));
  run(pipeline(source, "twice"), MTLSizeMake(37, 11, 1),
      [&](id<MTLComputeCommandEncoder> encoder) { [encoder setTexture:texture.get() atIndex:3]; });
  std::vector<_Float16> pixels(37 * 11 * 2);
  [texture.get() getBytes:pixels.data()
              bytesPerRow:37 * 4
               fromRegion:MTLRegionMake2D(0, 0, 37, 11)
              mipmapLevel:0];
  for (const _Float16 value : pixels)
    ASSERT_EQ(value, static_cast<_Float16>(7));
}

TEST_F(ReadWriteTest, BarriersOrderTheThreadsOfAGroup) {
  const char *const source = R"(
kernel void rotate(texture2d<uint, access::read_write> image [[texture(0)]],
                   uint2 at [[thread_position_in_grid]],
                   uint2 within [[thread_position_in_threadgroup]],
                   uint2 size [[threads_per_threadgroup]]) {
  image.write(uint4(at.x * 1000 + at.y), at);
  threadgroup_barrier(mem_flags::mem_texture);
  const uint next = at.x - within.x + (within.x + 1) % size.x;
  const uint4 value = image.read(uint2(next, at.y));
  threadgroup_barrier(mem_flags::mem_texture);
  image.write(value, at);
}
)";
  const TexturePointer texture =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR32Uint, MTLSizeMake(32, 8, 1)));
  run(pipeline(source, "rotate"), MTLSizeMake(32, 8, 1),
      [&](id<MTLComputeCommandEncoder> encoder) { [encoder setTexture:texture.get() atIndex:0]; });
  std::vector<uint32_t> pixels(32 * 8);
  [texture.get() getBytes:pixels.data()
              bytesPerRow:32 * 4
               fromRegion:MTLRegionMake2D(0, 0, 32, 8)
              mipmapLevel:0];
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 32; ++x)
      ASSERT_EQ(pixels[y * 32 + x], (x / 8 * 8 + (x + 1) % 8) * 1000 + y);
}

TEST_F(ReadWriteTest, TexturesUnderAFunctionConstantMayBeAbsent) {
  const char *const source = R"(
constant bool has_image [[function_constant(0)]];
kernel void k(texture2d<float> image [[texture(0), function_constant(has_image)]],
              device float *out [[buffer(0)]]) {
  out[0] = has_image ? image.read(uint2(0, 0)).x : 5.0f;
}
)";
  NSError *error = nil;
  MTLFunctionConstantValues *const values = [[[MTLFunctionConstantValues alloc] init] autorelease];
  const bool absent = false;
  [values setConstantValue:&absent type:MTLDataTypeBool atIndex:0];
  const auto library = metal_library::compile(
      std::string("#include <metal_stdlib>\nusing namespace metal;\n") + source);
  const auto function =
      Retained<id<MTLFunction>>::adopt([library.get() newFunctionWithName:@"k"
                                                           constantValues:values
                                                                    error:&error]);
  const auto kernel =
      PipelinePointer::adopt([device() newComputePipelineStateWithFunction:function.get()
                                                                     error:&error]);
  ASSERT_TRUE(kernel) << message(error);
  const BufferPointer out = make_buffer(4);
  run(kernel, MTLSizeMake(1, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:out.get() offset:0 atIndex:0];
  });
  ASSERT_EQ(contents_of<float>(out)[0], 5.0f);
}

} // namespace
