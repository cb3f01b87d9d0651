// Every pixel format, read and written by kernels of every type of component.
#include "fixture.hpp"
#include "formats.hpp"

#include <cmath>
#include <cstring>
#include <limits>

using namespace metal_texture;

namespace {

class FormatTest : public MetalTest, public testing::WithParamInterface<Format> {};

const char *const source = R"(
template <typename T>
kernel void load(texture2d<T, access::read> image [[texture(0)]],
                 device vec<T, 4> *pixels [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
  pixels[at.y * image.get_width() + at.x] = image.read(at);
}
template <typename T>
kernel void store(texture2d<T, access::write> image [[texture(0)]],
                  const device vec<T, 4> *pixels [[buffer(0)]],
                  uint2 at [[thread_position_in_grid]]) {
  image.write(pixels[at.y * image.get_width() + at.x], at);
}
#define INSTANTIATE(T)                                                                             \
  template [[host_name("load_" #T)]] [[kernel]] void load<T>(                                      \
      texture2d<T, access::read>, device vec<T, 4> *, uint2);                                      \
  template [[host_name("store_" #T)]] [[kernel]] void store<T>(                                    \
      texture2d<T, access::write>, const device vec<T, 4> *, uint2);
INSTANTIATE(float)
INSTANTIATE(half)
INSTANTIATE(int)
INSTANTIATE(short)
INSTANTIATE(uint)
INSTANTIATE(ushort)
)";

struct Image {
  const Format &format;
  NSUInteger width = random_between(1, 70), height = random_between(1, 20);
  TexturePointer texture = make_texture(descriptor(
      MTLTextureType2D, static_cast<MTLPixelFormat>(format.value), MTLSizeMake(width, height, 1)));

  size_t row() const { return width * format.bytes(); }
  MTLSize threads() const { return MTLSizeMake(width, height, 1); }
  MTLRegion region() const { return MTLRegionMake2D(0, 0, width, height); }
  const uint8_t *pixel(const std::vector<uint8_t> &bytes, size_t number) const {
    return bytes.data() + number * format.bytes();
  }
};

/// What kernels with components of T see of the bytes.
template <typename T>
std::vector<T> load(const Image &image, const std::vector<uint8_t> &bytes, const char *kernel) {
  [image.texture.get() replaceRegion:image.region()
                         mipmapLevel:0
                           withBytes:bytes.data()
                         bytesPerRow:image.row()];
  const BufferPointer pixels = make_buffer(image.width * image.height * 4 * sizeof(T));
  run(pipeline(source, kernel), image.threads(), [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setTexture:image.texture.get() atIndex:0];
    [encoder setBuffer:pixels.get() offset:0 atIndex:0];
  });
  return contents_of<T>(pixels);
}

/// What such kernels leave behind.
template <typename T>
std::vector<uint8_t> store(const Image &image, const std::vector<T> &values, const char *kernel) {
  const BufferPointer pixels = make_buffer(values);
  run(pipeline(source, kernel), image.threads(), [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setTexture:image.texture.get() atIndex:0];
    [encoder setBuffer:pixels.get() offset:0 atIndex:0];
  });
  std::vector<uint8_t> bytes(image.row() * image.height);
  [image.texture.get() getBytes:bytes.data()
                    bytesPerRow:image.row()
                     fromRegion:image.region()
                    mipmapLevel:0];
  return bytes;
}

template <typename T>
void expect_same(const Image &image, const std::vector<uint8_t> &bytes,
                 const std::vector<T> &seen) {
  for (size_t number = 0; number < seen.size() / 4; ++number) {
    const Pixel expected = decode(image.format, image.pixel(bytes, number));
    for (size_t channel = 0; channel < 4; ++channel) {
      const T value = seen[number * 4 + channel];
      if (std::isnan(expected[channel]))
        ASSERT_TRUE(std::isnan(static_cast<double>(value)));
      else // the value nearest to the exact one, in the kernel's type by way of float
        ASSERT_EQ(value, static_cast<T>(static_cast<float>(expected[channel])))
            << "pixel " << number << " channel " << channel;
    }
  }
}

std::vector<float> values_to_store(size_t count) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           -1.0f,
                           2.0f,
                           -2.0f,
                           infinity,
                           -infinity,
                           std::nanf(""),
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::max(),
                           65504.0f,
                           65519.0f,
                           65520.0f,
                           0x1p-24f,
                           0x1p-25f,
                           0x1.8p-25f,
                           0x1p-14f,
                           0x1.ffcp-15f,
                           0.0031308f,
                           std::nextafter(1.0f, 0.0f)};
  std::vector<float> values(count);
  for (float &value : values)
    switch (random_between(0, 4)) {
    case 0:
      value = special[random_between(0, std::size(special) - 1)];
      break;
    case 1: // ties, and next to them
      value = (static_cast<float>(random_between(0, 255)) + 0.5f) / 255.0f;
      break;
    case 2:
      value = std::ldexp(random_float(-2, 2), static_cast<int>(random_between(0, 40)) - 20);
      break;
    default:
      value = random_float(-1.1f, 1.1f);
    }
  return values;
}

TEST_P(FormatTest, IsReadAsItsPixelsAre) {
  const Image image{GetParam()};
  ASSERT_TRUE(image.texture);
  auto bytes = random_bytes(image.row() * image.height);
  if (image.format.encoding == Encoding::sint || image.format.encoding == Encoding::uint) {
    // Integers of 32 bits lose nothing on the way through double, but do through float.
    const bool is_signed = image.format.encoding == Encoding::sint;
    const auto wide = is_signed ? load<uint32_t>(image, bytes, "load_int")
                                : load<uint32_t>(image, bytes, "load_uint");
    const auto narrow = is_signed ? load<uint16_t>(image, bytes, "load_short")
                                  : load<uint16_t>(image, bytes, "load_ushort");
    for (size_t number = 0; number < wide.size() / 4; ++number) {
      const Pixel expected = decode(image.format, image.pixel(bytes, number));
      for (size_t channel = 0; channel < 4; ++channel) {
        const auto exact = static_cast<uint32_t>(static_cast<int64_t>(expected[channel]));
        ASSERT_EQ(wide[number * 4 + channel], exact);
        ASSERT_EQ(narrow[number * 4 + channel], static_cast<uint16_t>(exact));
      }
    }
    return;
  }
  expect_same(image, bytes, load<float>(image, bytes, "load_float"));
  if (image.format.encoding != Encoding::floating || image.format.components[0].bits != 32)
    expect_same(image, bytes, load<_Float16>(image, bytes, "load_half"));
}

TEST_P(FormatTest, StoresWhatIsNearest) {
  const Image image{GetParam()};
  ASSERT_TRUE(image.texture);
  const size_t count = image.width * image.height * 4;
  if (image.format.is_integer()) {
    const bool is_signed = image.format.encoding == Encoding::sint;
    std::vector<int32_t> values(count);
    for (int32_t &value : values)
      value = static_cast<int32_t>(random_source()()) >> random_between(0, 31);
    const auto bytes = store(image, values, is_signed ? "store_int" : "store_uint");
    for (size_t number = 0; number < count / 4; ++number) {
      const auto codes = stored(image.format, image.pixel(bytes, number));
      for (size_t at = 0; at < codes.size(); ++at) {
        const auto [channel, bits] = image.format.components[at];
        const int32_t given = values[number * 4 + static_cast<size_t>(channel)];
        const int64_t value = is_signed ? int64_t{given} : int64_t{static_cast<uint32_t>(given)};
        const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
        const int64_t low = is_signed ? -high - 1 : 0;
        ASSERT_EQ(codes[at], static_cast<uint32_t>(std::clamp(value, low, high)) &
                                 ((uint64_t{1} << bits) - 1));
      }
    }
    return;
  }
  const auto values = values_to_store(count);
  const auto bytes = store(image, values, "store_float");
  for (size_t number = 0; number < count / 4; ++number) {
    const std::array<float, 4> given = {values[number * 4], values[number * 4 + 1],
                                        values[number * 4 + 2], values[number * 4 + 3]};
    const auto expected = encode(image.format, given);
    const auto codes = stored(image.format, image.pixel(bytes, number));
    for (size_t at = 0; at < codes.size(); ++at) {
      SCOPED_TRACE(testing::Message() << given[0] << ' ' << given[1] << ' ' << given[2] << ' '
                                      << given[3] << " component " << at);
      if (image.format.encoding == Encoding::srgb)
        ASSERT_LE(std::fabs(codes[at] - expected[at]), 0.5001); // Metal asks for 0.6
      else if (image.format.encoding == Encoding::floating && std::isnan(given[at % 4]) &&
               image.format.components[at].bits == 32)
        ASSERT_GT(codes[at] & 0x7fffffff, 0x7f800000u);
      else
        ASSERT_EQ(codes[at], expected[at]);
    }
  }
}

class FloatFormatTest : public FormatTest {};

TEST_P(FloatFormatTest, StoresHalfAsFloat) {
  const Image image{GetParam()};
  const size_t count = image.width * image.height * 4;
  std::vector<_Float16> narrow;
  std::vector<float> wide;
  for (const float value : values_to_store(count)) {
    narrow.push_back(static_cast<_Float16>(std::isnan(value) ? 0.25f : value));
    wide.push_back(static_cast<float>(narrow.back()));
  }
  const auto bytes = store(image, narrow, "store_half");
  ASSERT_EQ(bytes, store(image, wide, "store_float"));
}

std::vector<Format> float_formats() {
  std::vector<Format> formats = all_formats();
  std::erase_if(formats, [](const Format &format) { return format.is_integer(); });
  return formats;
}

INSTANTIATE_TEST_SUITE_P(All, FormatTest, testing::ValuesIn(all_formats()),
                         [](const auto &info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(All, FloatFormatTest, testing::ValuesIn(float_formats()),
                         [](const auto &info) { return info.param.name; });

} // namespace
