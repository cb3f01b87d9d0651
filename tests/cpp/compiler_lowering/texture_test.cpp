// AIR's texture builtins in the forms that Apple's compiler writes: structures as results, half and
// short texels, a sampler by pointer.
#include "air.hpp"
#include "compiled.hpp"

#include "hostmetal/image/texel.hpp"

#include <gtest/gtest.h>

using namespace hostmetal;

namespace {

/// A texture of one row, in memory of the test's.
template <class T> HmTexture row_of(std::vector<T> &pixels, image::TexelKind kind, uint32_t width) {
  HmTexture texture{};
  texture.format = {static_cast<uint8_t>(kind), static_cast<uint8_t>(pixels.size() / width),
                    sizeof(T) * 8, static_cast<uint8_t>(pixels.size() / width * sizeof(T))};
  texture.level_count = 1;
  texture.levels[0] = {.pixels = reinterpret_cast<uint8_t *>(pixels.data()),
                       .bytes_per_row = pixels.size() * sizeof(T),
                       .bytes_per_image = pixels.size() * sizeof(T),
                       .width = width,
                       .height = 1,
                       .images = 1,
                       .reserved = 0};
  return texture;
}

air::Argument texture(unsigned index, const char *type, const char *access) {
  return {"ptr", "!\"air.texture\", !\"air.location_index\", i32 " + std::to_string(index) +
                     ", i32 1, !\"air." + access + "\", !\"air.arg_type_name\", !\"" + type +
                     "\", !\"air.arg_name\", !\"t" + std::to_string(index) + "\""};
}

TEST(Texture, ShortTexelsComeInAStructure) {
  air::Kernel kernel{"copy",
                     {texture(0, "texture2d<short, read>", "read"),
                      texture(1, "texture2d<short, write>", "write"),
                      air::builtin("thread_position_in_grid")},
                     R"(
  %at = insertelement <2 x i32> zeroinitializer, i32 %2, i64 0
  %pair = call { <4 x i16>, i8 } @air.read_texture_2d.s.v4i16(ptr %0, <2 x i32> %at, i32 0, i32 1)
  %texel = extractvalue { <4 x i16>, i8 } %pair, 0
  %less = sub <4 x i16> %texel, <i16 1, i16 1, i16 1, i16 1>
  call void @air.write_texture_2d.s.v4i16(ptr %1, <2 x i32> %at, <4 x i16> %less, i32 0, i32 2)
  ret void)",
                     ""};
  std::vector<int8_t> from = {-5, 6, 0, -100, 127, 1, 2, 3}, to(8);
  HmTexture source = row_of(from, image::TexelKind::sint_, 2);
  HmTexture target = row_of(to, image::TexelKind::sint_, 2);
  const image::Kernel reflection = run(
      air::bitcode({kernel},
                   "declare { <4 x i16>, i8 } @air.read_texture_2d.s.v4i16(ptr, <2 x i32>, i32, "
                   "i32)\ndeclare void @air.write_texture_2d.s.v4i16(ptr, <2 x i32>, <4 x i16>, "
                   "i32, i32)\n"),
      "copy", {{&source}, {&target}}, {3, 1, 1}, {3, 1, 1});
  EXPECT_EQ(to, (std::vector<int8_t>{-6, 5, -1, -101, 126, 0, 1, 2}));
  ASSERT_EQ(reflection.arguments.size(), 2u);
  EXPECT_EQ(reflection.arguments[0].kind, image::ArgumentKind::texture);
  EXPECT_EQ(reflection.arguments[0].texture_type, 2u); // MTLTextureType2D
  EXPECT_EQ(reflection.arguments[0].data_type, 37u);   // MTLDataTypeShort
  EXPECT_EQ(reflection.arguments[1].access, image::Access::write_only);
}

TEST(Texture, ASamplerMayComeByPointer) {
  air::Kernel kernel{"sample",
                     {texture(0, "texture1d<half, sample>", "sample"),
                      {"ptr", "!\"air.sampler\", !\"air.location_index\", i32 3, i32 1, "
                              "!\"air.arg_name\", !\"s\""},
                      air::device(0, "float", 4)},
                     R"(
  %pair = call { <4 x half>, i8 } @air.sample_texture_1d.v4f16(ptr %0, ptr %1, float 0.5, i1 false, i32 0, i1 false, float 0.0, float 0.0, i32 0)
  %texel = extractvalue { <4 x half>, i8 } %pair, 0
  %wide = fpext <4 x half> %texel to <4 x float>
  store <4 x float> %wide, ptr %2
  ret void)",
                     ""};
  std::vector<float> pixels = {1, 2, 4, 8};
  HmTexture source = row_of(pixels, image::TexelKind::float_, 4);
  source.format.components = 1;
  source.format.bytes = 4;
  const uint64_t linear = uint64_t{1} << HM_SAMPLER_MIN_FILTER |
                          uint64_t{1} << HM_SAMPLER_MAG_FILTER | uint64_t{1} << HM_SAMPLER_PRESENT;
  std::vector<float> out(4);
  const image::Kernel reflection = run(
      air::bitcode({kernel}, "declare { <4 x half>, i8 } @air.sample_texture_1d.v4f16(ptr, ptr, "
                             "float, i1, i32, i1, float, float, i32)\n"),
      "sample", {{&source}, {reinterpret_cast<void *>(linear)}, bind(out)}, {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(out, (std::vector<float>{3, 0, 0, 1}));
  EXPECT_EQ(reflection.arguments[1].kind, image::ArgumentKind::sampler);
  EXPECT_EQ(reflection.arguments[1].index, 3u);
}

TEST(Texture, OtherOperandsAreRefused) {
  air::Kernel kernel{"odd",
                     {texture(0, "texture2d<float, read>", "read"), air::device(0, "float", 4)},
                     R"(
  %texel = call <4 x float> @air.read_texture_2d.v4f32(ptr %0, <2 x i32> zeroinitializer)
  store <4 x float> %texel, ptr %1
  ret void)",
                     ""};
  const Compiled compiled = compile(
      air::bitcode({kernel}, "declare <4 x float> @air.read_texture_2d.v4f32(ptr, <2 x i32>)\n"),
      "odd");
  EXPECT_EQ(compiled.error,
            "The kernel \"odd\" calls \"air.read_texture_2d.v4f32\", which this device does not "
            "have.");
  EXPECT_TRUE(compiled.is_user_error);
}

} // namespace
