// Samplers: filters, address modes, levels, gathers and comparisons against a reference in double
// precision.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

using namespace metal_texture;

namespace {

using Color = std::array<double, 4>;

Color operator*(const Color &color, double factor) {
  return {color[0] * factor, color[1] * factor, color[2] * factor, color[3] * factor};
}
Color &operator+=(Color &sum, const Color &color) {
  for (size_t at = 0; at < 4; ++at)
    sum[at] += color[at];
  return sum;
}

/// Levels of pixels, and a texture with the same.
struct Image {
  MTLTextureType type;
  MTLPixelFormat format;
  int width, height, depth, slices, levels;
  std::vector<std::vector<float>> pixels; ///< of each level, slice after slice
  TexturePointer texture;

  bool is_volume() const { return type == MTLTextureType3D; }
  bool has_alpha() const { return format == MTLPixelFormatRGBA32Float; }
  int channels() const { return format == MTLPixelFormatRGBA32Float ? 4 : 1; }
  std::array<int, 3> size(int level) const {
    return {std::max(width >> level, 1), std::max(height >> level, 1), std::max(depth >> level, 1)};
  }
  Color at(int level, int x, int y, int image) const {
    const auto [w, h, d] = size(level);
    (void)d;
    const size_t first = static_cast<size_t>(((image * h + y) * w + x) * channels());
    const auto &values = pixels[static_cast<size_t>(level)];
    if (channels() == 1)
      return {values[first], 0, 0, 1};
    return {values[first], values[first + 1], values[first + 2], values[first + 3]};
  }
};

Image make_image(MTLTextureType type, MTLPixelFormat format, int width, int height, int depth,
                 int slices, int levels) {
  Image image{type, format, width, height, depth, slices, levels, {}, {}};
  const bool is_cube = type == MTLTextureTypeCube;
  image.texture = make_texture(
      descriptor(type, format,
                 MTLSizeMake(static_cast<NSUInteger>(width), static_cast<NSUInteger>(height),
                             static_cast<NSUInteger>(depth)),
                 is_cube ? 1 : static_cast<NSUInteger>(slices), static_cast<NSUInteger>(levels)));
  for (int level = 0; level < levels; ++level) {
    const auto [w, h, d] = image.size(level);
    const size_t count = static_cast<size_t>(w * h * d * image.channels());
    auto &values = image.pixels.emplace_back();
    for (int slice = 0; slice < slices; ++slice) {
      std::vector<float> own(count);
      for (float &value : own)
        value = random_float(-1, 1);
      const NSUInteger row = static_cast<NSUInteger>(w * image.channels()) * 4;
      [image.texture.get()
          replaceRegion:MTLRegionMake3D(0, 0, 0, static_cast<NSUInteger>(w),
                                        static_cast<NSUInteger>(h), static_cast<NSUInteger>(d))
            mipmapLevel:static_cast<NSUInteger>(level)
                  slice:static_cast<NSUInteger>(slice)
              withBytes:own.data()
            bytesPerRow:row
          bytesPerImage:row * static_cast<NSUInteger>(h)];
      values.insert(values.end(), own.begin(), own.end());
    }
  }
  return image;
}

struct State {
  int min_filter = 0, mag_filter = 0, mip_filter = 0;
  std::array<int, 3> address{}; ///< MTLSamplerAddressMode
  bool is_normalized = true;
  int border = 0;
  float lod_min = 0, lod_max = 1000;
  int compare = 0;

  MTLSamplerDescriptor *descriptor() const {
    MTLSamplerDescriptor *const result = [[[MTLSamplerDescriptor alloc] init] autorelease];
    [result setMinFilter:static_cast<MTLSamplerMinMagFilter>(min_filter)];
    [result setMagFilter:static_cast<MTLSamplerMinMagFilter>(mag_filter)];
    [result setMipFilter:static_cast<MTLSamplerMipFilter>(mip_filter)];
    [result setSAddressMode:static_cast<MTLSamplerAddressMode>(address[0])];
    [result setTAddressMode:static_cast<MTLSamplerAddressMode>(address[1])];
    [result setRAddressMode:static_cast<MTLSamplerAddressMode>(address[2])];
    [result setNormalizedCoordinates:is_normalized];
    [result setBorderColor:static_cast<MTLSamplerBorderColor>(border)];
    [result setLodMinClamp:lod_min];
    [result setLodMaxClamp:lod_max];
    [result setCompareFunction:static_cast<MTLCompareFunction>(compare)];
    return result;
  }

  /// The same in MSL.
  std::string constexpr_arguments() const {
    const char *const filters[] = {"nearest", "linear"};
    const char *const mips[] = {"none", "nearest", "linear"};
    const char *const modes[] = {"clamp_to_edge",   "mirror_clamp_to_edge", "repeat",
                                 "mirrored_repeat", "clamp_to_zero",        "clamp_to_border"};
    const char *const colors[] = {"transparent_black", "opaque_black", "opaque_white"};
    return std::string("min_filter::") + filters[min_filter] +
           ", mag_filter::" + filters[mag_filter] + ", mip_filter::" + mips[mip_filter] +
           ", s_address::" + modes[address[0]] + ", t_address::" + modes[address[1]] +
           ", r_address::" + modes[address[2]] +
           (is_normalized ? ", coord::normalized" : ", coord::pixel") +
           ", border_color::" + colors[border] + ", lod_clamp(" + std::to_string(lod_min) + ", " +
           std::to_string(lod_max) + "), max_anisotropy(4)";
  }
};

State random_state(bool is_normalized) {
  State state;
  state.min_filter = static_cast<int>(random_between(0, 1));
  state.mag_filter = static_cast<int>(random_between(0, 1));
  state.is_normalized = is_normalized;
  state.border = static_cast<int>(random_between(0, 2));
  if (is_normalized)
    state.mip_filter = static_cast<int>(random_between(0, 2));
  for (int &mode : state.address) {
    mode = static_cast<int>(random_between(0, 5));
    if (!is_normalized && (mode == 1 || mode == 2 || mode == 3))
      mode = 0;
  }
  if (random_between(0, 2) == 0) { // multiples of an eighth: halves hold them
    state.lod_min = static_cast<float>(random_between(0, 8)) / 8;
    state.lod_max = state.lod_min + static_cast<float>(random_between(0, 24)) / 8;
  }
  return state;
}

/// The texel that an index leads to; -1 outside.
long long wrap(long long index, long long size, int mode) {
  switch (mode) {
  case 0:
    return std::clamp(index, 0LL, size - 1);
  case 1:
    return std::clamp(index < 0 ? -1 - index : index, 0LL, size - 1);
  case 2:
    return (index % size + size) % size;
  case 3: {
    const long long place = (index % (2 * size) + 2 * size) % (2 * size);
    return place < size ? place : 2 * size - 1 - place;
  }
  default:
    return index < 0 || index >= size ? -1 : index;
  }
}

Color texel(const Image &image, const State &state, int level, std::array<long long, 3> index,
            int axes, int slice) {
  const auto size = image.size(level);
  std::array<long long, 3> place{};
  for (int axis = 0; axis < axes; ++axis) {
    place[axis] = wrap(index[axis], size[axis], state.address[axis]);
    if (place[axis] >= 0)
      continue;
    if (state.address[axis] == 4)
      return {0, 0, 0, image.has_alpha() ? 0.0 : 1.0};
    const Color colors[] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    return colors[state.border];
  }
  return image.at(level, static_cast<int>(place[0]), static_cast<int>(place[1]),
                  image.is_volume() ? static_cast<int>(place[2]) : slice);
}

/// How near a coordinate is to where nearest filtering jumps: such coordinates are not compared.
double &nearness() {
  static double value;
  return value;
}

Color filtered(const Image &image, const State &state, int level, std::array<double, 3> coordinate,
               std::array<int, 3> offset, int axes, int slice, bool is_linear) {
  const auto size = image.size(level);
  std::array<long long, 3> first{};
  std::array<double, 3> part{};
  for (int axis = 0; axis < axes; ++axis) {
    double place = coordinate[axis] * (state.is_normalized ? size[axis] : 1);
    if (!is_linear)
      nearness() = std::min(nearness(), std::fabs(place - std::nearbyint(place)));
    place -= is_linear ? 0.5 : 0;
    first[axis] = static_cast<long long>(std::floor(place)) + offset[axis];
    part[axis] = place - std::floor(place);
  }
  if (!is_linear)
    return texel(image, state, level, first, axes, slice);
  Color sum{};
  for (int tap = 0; tap < 1 << axes; ++tap) {
    std::array<long long, 3> index = first;
    double weight = 1;
    for (int axis = 0; axis < axes; ++axis) {
      index[axis] += tap >> axis & 1;
      weight *= tap >> axis & 1 ? part[axis] : 1 - part[axis];
    }
    sum += texel(image, state, level, index, axes, slice) * weight;
  }
  return sum;
}

Color sampled(const Image &image, const State &state, std::array<double, 3> coordinate,
              std::array<int, 3> offset, int axes, int slice, double lod) {
  lod = std::min<double>(std::max<double>(lod, state.lod_min), state.lod_max);
  const bool is_linear = lod > 0 ? state.min_filter == 1 : state.mag_filter == 1;
  lod = std::clamp<double>(lod, 0, image.levels - 1);
  const auto of = [&](double level) {
    return filtered(image, state, static_cast<int>(level), coordinate, offset, axes, slice,
                    is_linear);
  };
  if (state.mip_filter == 0)
    return of(0);
  if (state.mip_filter == 1)
    return of(std::floor(lod + 0.5));
  const double part = lod - std::floor(lod);
  Color sum = of(std::floor(lod)) * (1 - part);
  if (part > 0)
    sum += of(std::floor(lod) + 1) * part;
  return sum;
}

struct Kind {
  const char *name;
  MTLTextureType type;
  int axes;
  bool is_array;
  const char *arguments; ///< after the sampler, with `at` a float3 and `slice` a uint
  const char *options;   ///< of the level and the offset
};

const Kind kinds[] = {
    {"texture1d", MTLTextureType1D, 1, false, "at.x", ""},
    {"texture1d_array", MTLTextureType1DArray, 1, true, "at.x, slice", ""},
    {"texture2d", MTLTextureType2D, 2, false, "at.xy", ", level(lod), int2(1, -2)"},
    {"texture2d_array", MTLTextureType2DArray, 2, true, "at.xy, slice",
     ", level(lod), int2(1, -2)"},
    {"texture3d", MTLTextureType3D, 3, false, "at", ", level(lod), int3(1, -2, 3)"},
};

class SamplerTest : public MetalTest, public testing::WithParamInterface<Kind> {};

std::string kernel_source(const Kind &kind, const std::string &sampler) {
  return "kernel void k(" + std::string(kind.name) + R"(<float> image [[texture(0)]], )" +
         (sampler.empty() ? "sampler s [[sampler(2)]]," : "") +
         R"(const device packed_float4 *places [[buffer(0)]], device float4 *seen [[buffer(1)]],
                  constant uint &slice [[buffer(2)]], uint i [[thread_position_in_grid]]) {)" +
         (sampler.empty() ? "" : "constexpr sampler s(" + sampler + ");") + R"(
  const float3 at = float3(places[i].x, places[i].y, places[i].z);
  const float lod = places[i].w;
  seen[i] = image.sample(s, )" +
         kind.arguments + kind.options + ");\n}\n";
}

TEST_P(SamplerTest, FiltersAsTheReferenceDoes) {
  const Kind kind = GetParam();
  const bool has_options = *kind.options != 0;
  for (int round = 0; round < 24; ++round) {
    const bool is_normalized = round % 4 != 3;
    const State state = random_state(is_normalized);
    const auto side = [&](int axis) {
      return kind.axes > axis ? static_cast<int>(random_between(1, 19)) : 1;
    };
    const int width = side(0), height = side(1), depth = side(2);
    int levels = 1;
    while (has_options && std::max({width, height, depth}) >> levels > 0)
      ++levels;
    const Image image =
        make_image(kind.type, round % 2 == 0 ? MTLPixelFormatRGBA32Float : MTLPixelFormatR32Float,
                   width, height, depth, kind.is_array ? 3 : 1, levels);
    ASSERT_TRUE(image.texture);
    const uint32_t slice =
        static_cast<uint32_t>(random_between(0, 4)); // the last is for all beyond
    std::vector<float> places;
    for (int at = 0; at < 400; ++at) {
      for (int axis = 0; axis < 3; ++axis) {
        const float reach = is_normalized ? 1.0f : 20.0f;
        places.push_back(random_float(-1.5f, 2.5f) * reach);
      }
      places.push_back(random_between(0, 3) == 0 ? 0.0f : random_float(-1, 6));
    }
    const SamplerPointer sampler = make_sampler(state.descriptor());
    const BufferPointer where = make_buffer(places), seen = make_buffer(places.size() * 4);
    // Few of the constexpr ones: each is a compile.
    const bool is_constexpr = round % 6 == 5;
    run(pipeline(kernel_source(kind, is_constexpr ? state.constexpr_arguments() : ""), "k"),
        MTLSizeMake(places.size() / 4, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
          [encoder setTexture:image.texture.get() atIndex:0];
          [encoder setSamplerState:sampler.get() atIndex:2];
          [encoder setBuffer:where.get() offset:0 atIndex:0];
          [encoder setBuffer:seen.get() offset:0 atIndex:1];
          [encoder setBytes:&slice length:4 atIndex:2];
        });
    const auto values = contents_of<float>(seen);
    size_t compared = 0;
    for (size_t at = 0; at < places.size() / 4; ++at) {
      const float *const place = &places[at * 4];
      nearness() = 1;
      const double lod = has_options ? place[3] : 0;
      const Color expected =
          sampled(image, state, {place[0], place[1], place[2]},
                  has_options ? std::array{1, -2, 3} : std::array{0, 0, 0}, kind.axes,
                  std::min(static_cast<int>(slice), image.slices - 1), lod);
      const double jump = state.mip_filter == 1 ? std::fabs(lod - std::floor(lod) - 0.5) : 1;
      if (nearness() < 1e-4 || jump < 1e-4)
        continue;
      ++compared;
      // Weights are floats of coordinates up to 50 texels: 1e-5 of a texel of values up to 1.
      for (size_t channel = 0; channel < 4; ++channel)
        ASSERT_NEAR(values[at * 4 + channel], expected[channel], 4e-5)
            << state.constexpr_arguments() << " at " << place[0] << ' ' << place[1] << ' '
            << place[2] << " level " << lod << " of " << width << " x " << height << " x " << depth
            << " channel " << channel;
    }
    ASSERT_GT(compared, 300u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SamplerTest, testing::ValuesIn(kinds),
                         [](const auto &info) { return std::string(info.param.name); });

class SampleTest : public MetalTest {};

/// A kernel that gives four floats for each of the places.
std::vector<float> results_at(const std::string &body, const Image &image, const State &state,
                              const std::vector<float> &places,
                              const char *type = "texture2d<float>") {
  const std::string source = "kernel void k(" + std::string(type) + R"( image [[texture(0)]],
                  sampler s [[sampler(0)]], const device packed_float4 *places [[buffer(0)]],
                  device float4 *seen [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  const float4 p = places[i];
  seen[i] = float4()" + body +
                             ");\n}\n";
  const SamplerPointer sampler = make_sampler(state.descriptor());
  const BufferPointer where = make_buffer(places), seen = make_buffer(places.size() * 4);
  run(pipeline(source, "k"), MTLSizeMake(places.size() / 4, 1, 1),
      [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:image.texture.get() atIndex:0];
        [encoder setSamplerState:sampler.get() atIndex:0];
        [encoder setBuffer:where.get() offset:0 atIndex:0];
        [encoder setBuffer:seen.get() offset:0 atIndex:1];
      });
  return contents_of<float>(seen);
}

std::vector<float> random_places(size_t count, float low, float high) {
  std::vector<float> places(count * 4);
  for (float &value : places)
    value = random_float(low, high);
  return places;
}

void expect_near(const std::vector<float> &seen, const std::vector<float> &expected) {
  ASSERT_EQ(seen.size(), expected.size());
  for (size_t at = 0; at < seen.size(); ++at)
    ASSERT_NEAR(seen[at], expected[at], 1e-5) << at;
}

TEST_F(SampleTest, TheLevelComesFromBiasGradientOrLimits) {
  State state;
  state.mip_filter = 2;
  state.min_filter = state.mag_filter = 1;
  const Image image = make_image(MTLTextureType2D, MTLPixelFormatRGBA32Float, 64, 16, 1, 1, 7);
  const auto places = random_places(200, 0, 1);
  const auto at_level = [&](const std::string &level) {
    return results_at("image.sample(s, p.xy, level(" + level + "))", image, state, places);
  };
  // Kernels have no derivatives: the level is 0 but for what is said.
  expect_near(results_at("image.sample(s, p.xy)", image, state, places), at_level("0"));
  expect_near(results_at("image.sample(s, p.xy, bias(p.z * 5))", image, state, places),
              at_level("p.z * 5"));
  expect_near(results_at("image.sample(s, p.xy, min_lod_clamp(2.5))", image, state, places),
              at_level("2.5"));
  expect_near(
      results_at("image.sample(s, p.xy, bias(1), min_lod_clamp(0.5))", image, state, places),
      at_level("1"));
  // A step of 64 p.z texels along x, or of 16 p.w along y: the longer counts.
  expect_near(results_at("image.sample(s, p.xy, gradient2d(float2(p.z, 0), float2(0, p.w)))", image,
                         state, places),
              at_level("log2(max(64 * p.z, 16 * p.w))"));
}

TEST_F(SampleTest, GradientsHaveThreeDimensions) {
  State state;
  state.mip_filter = 2;
  state.min_filter = state.mag_filter = 1;
  const Image image = make_image(MTLTextureType3D, MTLPixelFormatR32Float, 16, 8, 4, 1, 5);
  const auto places = random_places(200, 0, 1);
  expect_near(results_at("image.sample(s, p.xyz, gradient3d(float3(p.w, 0, 0), float3(0, 0, p.x)))",
                         image, state, places, "texture3d<float>"),
              results_at("image.sample(s, p.xyz, level(log2(max(16 * p.w, 4 * p.x))))", image,
                         state, places, "texture3d<float>"));
}

TEST_F(SampleTest, LimitsAreSetWithTheState) {
  State state;
  state.mip_filter = 2;
  const Image image = make_image(MTLTextureType2D, MTLPixelFormatR32Float, 8, 8, 1, 1, 4);
  const PipelinePointer kernel = pipeline(R"(
kernel void k(texture2d<float> image [[texture(0)]], sampler s [[sampler(1)]],
              device float *seen [[buffer(0)]]) {
  seen[0] = image.sample(s, float2(0.3, 0.3)).x;
}
)",
                                          "k");
  const SamplerPointer sampler = make_sampler(state.descriptor());
  const BufferPointer seen = make_buffer(4);
  for (const float level : {0.0f, 1.0f, 2.0f, 3.0f}) {
    run(kernel, MTLSizeMake(1, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setTexture:image.texture.get() atIndex:0];
      [encoder setSamplerState:sampler.get() lodMinClamp:level lodMaxClamp:9 atIndex:1];
      [encoder setBuffer:seen.get() offset:0 atIndex:0];
    });
    const int side = 8 >> static_cast<int>(level);
    const int place = static_cast<int>(0.3f * static_cast<float>(side));
    ASSERT_EQ(contents_of<float>(seen)[0],
              static_cast<float>(image.at(static_cast<int>(level), place, place, 0)[0]));
  }
}

TEST_F(SampleTest, GathersFourTexels) {
  State state;
  state.address = {2, 0, 0};
  const Image image = make_image(MTLTextureType2D, MTLPixelFormatRGBA32Float, 13, 7, 1, 1, 1);
  const auto places = random_places(200, -0.5f, 1.5f);
  const char *const components[] = {"x", "y", "z", "w"};
  for (size_t component = 0; component < 4; ++component) {
    const auto seen = results_at(
        "image.gather(s, p.xy, int2(2, 1), component::" + std::string(components[component]) + ")",
        image, state, places);
    for (size_t at = 0; at < places.size() / 4; ++at) {
      const double x = places[at * 4] * 13.0 - 0.5, y = places[at * 4 + 1] * 7.0 - 0.5;
      if (std::fabs(x - std::nearbyint(x)) < 1e-4 || std::fabs(y - std::nearbyint(y)) < 1e-4)
        continue;
      const long long left = static_cast<long long>(std::floor(x)) + 2,
                      top = static_cast<long long>(std::floor(y)) + 1;
      const std::array<std::array<long long, 3>, 4> corners = {
          {{left, top + 1, 0}, {left + 1, top + 1, 0}, {left + 1, top, 0}, {left, top, 0}}};
      for (size_t corner = 0; corner < 4; ++corner)
        ASSERT_EQ(seen[at * 4 + corner],
                  static_cast<float>(texel(image, state, 0, corners[corner], 2, 0)[component]));
    }
  }
}

TEST_F(SampleTest, ComparesDepths) {
  const Image image = make_image(MTLTextureType2D, MTLPixelFormatDepth32Float, 9, 6, 1, 1, 1);
  const auto places = random_places(200, -0.2f, 1.2f);
  const auto compare = [](int function, double reference, double depth) {
    const bool results[] = {false,
                            reference < depth,
                            reference == depth,
                            reference <= depth,
                            reference > depth,
                            reference != depth,
                            reference >= depth,
                            true};
    return results[function] ? 1.0 : 0.0;
  };
  for (int function = 0; function < 8; ++function) {
    State state;
    state.compare = function;
    state.min_filter = state.mag_filter = 1;
    const auto seen = results_at("image.sample_compare(s, p.xy, p.z, level(0)), "
                                 "image.sample(s, p.xy), image.read(uint2(1, 2)), 0",
                                 image, state, places, "depth2d<float>");
    for (size_t at = 0; at < places.size() / 4; ++at) {
      const double x = places[at * 4] * 9.0 - 0.5, y = places[at * 4 + 1] * 6.0 - 0.5;
      double passed = 0, mean = 0;
      for (int tap = 0; tap < 4; ++tap) {
        const double weight = (tap & 1 ? x - std::floor(x) : 1 - (x - std::floor(x))) *
                              (tap & 2 ? y - std::floor(y) : 1 - (y - std::floor(y)));
        const double depth = texel(image, state, 0,
                                   {static_cast<long long>(std::floor(x)) + (tap & 1),
                                    static_cast<long long>(std::floor(y)) + (tap >> 1), 0},
                                   2, 0)[0];
        passed += weight * compare(function, places[at * 4 + 2], depth);
        mean += weight * depth;
      }
      ASSERT_NEAR(seen[at * 4], passed, 1e-5) << function;
      ASSERT_NEAR(seen[at * 4 + 1], mean, 1e-5);
      ASSERT_EQ(seen[at * 4 + 2], static_cast<float>(image.at(0, 1, 2, 0)[0]));
    }
  }
}

/// The face that a direction meets, and where on it, from 0 to 1.
struct CubePlace {
  int face;
  double x, y;
};
CubePlace place_on_cube(std::array<double, 3> d) {
  const double size[] = {std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])};
  const int axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
  const bool is_negative = d[static_cast<size_t>(axis)] < 0;
  const double sign = is_negative ? -1 : 1, depth = size[axis];
  double x, y;
  if (axis == 0) {
    x = -sign * d[2];
    y = -d[1];
  } else if (axis == 1) {
    x = d[0];
    y = sign * d[2];
  } else {
    x = sign * d[0];
    y = -d[1];
  }
  return {axis * 2 + is_negative, (x / depth + 1) / 2, (y / depth + 1) / 2};
}

TEST_F(SampleTest, CubesAreSampledByDirection) {
  const Image image = make_image(MTLTextureTypeCube, MTLPixelFormatRGBA32Float, 8, 8, 1, 6, 1);
  const auto places = random_places(500, -1, 1);
  State state;
  const auto nearest =
      results_at("image.sample(s, p.xyz)", image, state, places, "texturecube<float>");
  state.min_filter = state.mag_filter = 1;
  const auto smooth =
      results_at("image.sample(s, p.xyz)", image, state, places, "texturecube<float>");
  size_t compared = 0;
  for (size_t at = 0; at < places.size() / 4; ++at) {
    const CubePlace place = place_on_cube({places[at * 4], places[at * 4 + 1], places[at * 4 + 2]});
    const double x = place.x * 8, y = place.y * 8;
    if (std::fabs(x - std::nearbyint(x)) < 1e-3 || std::fabs(y - std::nearbyint(y)) < 1e-3)
      continue;
    const Color expected = image.at(0, static_cast<int>(x), static_cast<int>(y), place.face);
    for (size_t channel = 0; channel < 4; ++channel)
      ASSERT_EQ(nearest[at * 4 + channel], static_cast<float>(expected[channel]));
    if (x < 0.5 || y < 0.5 || x > 7.5 || y > 7.5)
      continue; // beside another face
    ++compared;
    const int left = static_cast<int>(x - 0.5), top = static_cast<int>(y - 0.5);
    for (size_t channel = 0; channel < 4; ++channel) {
      double sum = 0;
      for (int tap = 0; tap < 4; ++tap)
        sum += image.at(0, left + (tap & 1), top + (tap >> 1), place.face)[channel] *
               (tap & 1 ? x - 0.5 - left : left + 1.5 - x) *
               (tap & 2 ? y - 0.5 - top : top + 1.5 - y);
      ASSERT_NEAR(smooth[at * 4 + channel], sum, 1e-4);
    }
  }
  ASSERT_GT(compared, 100u);
}

TEST_F(SampleTest, CubesHaveNoSeams) {
  const Image image = make_image(MTLTextureTypeCube, MTLPixelFormatR32Float, 4, 4, 1, 6, 1);
  State state;
  state.min_filter = state.mag_filter = 1;
  // Pairs of directions on the two sides of an edge.
  std::vector<float> places;
  for (int at = 0; at < 200; ++at) {
    std::array<float, 3> direction{};
    const size_t first = random_between(0, 2), second = (first + 1 + random_between(0, 1)) % 3;
    direction[first] = random_between(0, 1) ? 1.0f : -1.0f;
    direction[second] = random_between(0, 1) ? 1.0f : -1.0f;
    direction[3 - first - second] = random_float(-0.7f, 0.7f); // away from corners
    for (const size_t longer : {first, second}) {
      auto moved = direction;
      moved[longer] *= 1.0001f;
      places.insert(places.end(), {moved[0], moved[1], moved[2], 0.0f});
    }
  }
  const auto seen =
      results_at("image.sample(s, p.xyz)", image, state, places, "texturecube<float>");
  for (size_t at = 0; at < seen.size(); at += 8)
    ASSERT_NEAR(seen[at], seen[at + 4], 2e-3) << at;
}

TEST_F(SampleTest, StrangeCoordinatesGiveSomeTexel) {
  const Image image = make_image(MTLTextureType2D, MTLPixelFormatR32Float, 5, 3, 1, 1, 1);
  std::vector<float> places;
  for (const float x : {NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 1e-45f})
    for (const float y : {NAN, INFINITY, -INFINITY, 1e38f, 0.5f})
      places.insert(places.end(), {x, y, 0, 0});
  for (int mode = 0; mode < 4; ++mode)
    for (int filter = 0; filter < 2; ++filter) {
      State state;
      state.address = {mode, mode, mode};
      state.min_filter = state.mag_filter = filter;
      const auto seen = results_at("image.sample(s, p.xy)", image, state, places);
      for (size_t at = 0; at < seen.size(); at += 4)
        ASSERT_LE(std::fabs(seen[at]), 1.0f);
    }
}

TEST_F(SampleTest, IntegersAreNotFiltered) {
  const TexturePointer texture =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR32Uint, MTLSizeMake(4, 1, 1)));
  const std::vector<uint32_t> pixels = {0xffffffff, 7, 0x80000001, 12};
  [texture.get() replaceRegion:MTLRegionMake2D(0, 0, 4, 1)
                   mipmapLevel:0
                     withBytes:pixels.data()
                   bytesPerRow:16];
  const BufferPointer seen = make_buffer(16);
  run(pipeline(R"(
kernel void k(texture2d<uint> image [[texture(0)]], device uint *seen [[buffer(0)]],
              uint i [[thread_position_in_grid]]) {
  constexpr sampler s(coord::pixel, filter::nearest);
  seen[i] = image.sample(s, float2(i + 0.5, 0.5)).x;
}
)",
               "k"),
      MTLSizeMake(4, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:texture.get() atIndex:0];
        [encoder setBuffer:seen.get() offset:0 atIndex:0];
      });
  ASSERT_EQ(contents_of<uint32_t>(seen), pixels);
}

} // namespace
