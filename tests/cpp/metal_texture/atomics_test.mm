// Atomic functions of textures: many threads on few pixels, for each kind of texture.
#include "fixture.hpp"

#include <algorithm>
#include <map>
#include <numeric>

using namespace metal_texture;

namespace {

constexpr uint32_t pixels = 42, threads = 5001;

/// A kind of texture of 42 pixels, and how MSL names pixel `p`.
struct Kind {
  const char *name;
  MTLTextureType type;
  MTLSize size;
  NSUInteger length;
  const char *place;
};

const Kind kinds[] = {
    {"texture1d", MTLTextureType1D, {42, 1, 1}, 1, "p"},
    {"texture1d_array", MTLTextureType1DArray, {7, 1, 1}, 6, "p % 7, p / 7"},
    {"texture2d", MTLTextureType2D, {7, 6, 1}, 1, "uint2(p % 7, p / 7)"},
    {"texture2d", MTLTextureType2D, {6, 7, 1}, 1, "ushort2(p % 6, p / 6)"},
    {"texture2d_array", MTLTextureType2DArray, {7, 3, 1}, 2, "uint2(p % 7, p / 7 % 3), p / 21"},
    {"texture3d", MTLTextureType3D, {7, 3, 2}, 1, "uint3(p % 7, p / 7 % 3, p / 21)"},
    {"texture_buffer", MTLTextureTypeTextureBuffer, {42, 1, 1}, 1, "p"},
};

class AtomicsTest : public MetalTest, public testing::WithParamInterface<Kind> {
protected:
  /// Threads of a kernel whose `body` acts on image, p, the value x and the result r.
  template <typename T> void run_threads(const char *body, const std::vector<T> &values) {
    const bool is_signed = std::is_signed_v<T>;
    const Kind kind = GetParam();
    const std::string type = is_signed ? "int" : "uint", place = kind.place;
    const std::string arguments = "(" + std::string(kind.name) + "<" + type +
                                  ", access::read_write> image [[texture(0)]], device " + type +
                                  " *values [[buffer(0)]], uint i [[thread_position_in_grid]]) {";
    std::string text = body;
    for (size_t at; (at = text.find("PLACE")) != std::string::npos;)
      text.replace(at, 5, place);
    const PipelinePointer start = pipeline(
        "kernel void k" + arguments + "uint p = i; image.atomic_store(7, " + place + ");}", "k");
    const PipelinePointer act = pipeline("kernel void k" + arguments + "uint p = i % 42; " + type +
                                             " x = values[i], r = 0; " + text + " values[i] = r;}",
                                         "k");
    const PipelinePointer read =
        pipeline("kernel void k" + arguments + "uint p = i; values[i] = image.read(" + place +
                     ").x; if (image.atomic_load(" + place + ").x != values[i]) values[i] = 99;}",
                 "k");
    const TexturePointer image = make_texture(
        descriptor(kind.type, is_signed ? MTLPixelFormatR32Sint : MTLPixelFormatR32Uint, kind.size,
                   kind.length));
    ASSERT_TRUE(image);
    const BufferPointer given = make_buffer(values), seen = make_buffer(pixels * sizeof(T));
    const auto pass = [&](const PipelinePointer &kernel, uint32_t count, const BufferPointer &in) {
      run(kernel, MTLSizeMake(count, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
        [encoder setTexture:image.get() atIndex:0];
        [encoder setBuffer:in.get() offset:0 atIndex:0];
      });
    };
    pass(start, pixels, seen);
    pass(act, threads, given);
    pass(read, pixels, seen);
    const auto left = contents_of<T>(seen), returned = contents_of<T>(given);
    left_.assign(left.begin(), left.end());
    returned_.assign(returned.begin(), returned.end());
  }

  /// What came back to the threads of a pixel.
  std::vector<int64_t> returned_at(uint32_t pixel) const {
    std::vector<int64_t> found;
    for (uint32_t i = pixel; i < threads; i += pixels)
      found.push_back(returned_[i]);
    return found;
  }

  std::vector<int64_t> left_, returned_;
};

template <typename T> std::vector<T> random_values() {
  std::vector<T> values(threads);
  for (T &value : values)
    value = static_cast<T>(random_between(0, UINT32_MAX));
  return values;
}

/// The pixels hold what all values make of 7, and somebody saw the 7.
template <typename T, typename Operation>
void expect_folded(const std::vector<T> &values, const std::vector<int64_t> &left,
                   Operation operation, const char *name) {
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    T expected = 7;
    for (uint32_t i = pixel; i < threads; i += pixels)
      expected = operation(expected, values[i]);
    ASSERT_EQ(left[pixel], static_cast<int64_t>(expected)) << name << " at " << pixel;
  }
}

#define TEST_ATOMICS(test, T)                                                                      \
  TEST_P(AtomicsTest, test) {                                                                      \
    const auto values = random_values<T>();                                                        \
    const auto check = [&](const char *call, auto operation) {                                     \
      const std::string text = "r = " + std::string(call) + ".x;";                                 \
      run_threads(text.c_str(), values);                                                           \
      expect_folded(values, left_, operation, call);                                               \
      for (uint32_t pixel = 0; pixel < pixels; ++pixel) {                                          \
        const auto seen = returned_at(pixel);                                                      \
        ASSERT_NE(std::find(seen.begin(), seen.end(), 7), seen.end()) << call;                     \
      }                                                                                            \
    };                                                                                             \
    check("image.atomic_fetch_add(PLACE, x)",                                                      \
          [](T a, T b) { return static_cast<T>(uint32_t(a) + uint32_t(b)); });                     \
    check("image.atomic_fetch_sub(PLACE, x)",                                                      \
          [](T a, T b) { return static_cast<T>(uint32_t(a) - uint32_t(b)); });                     \
    check("image.atomic_fetch_and(PLACE, x)", [](T a, T b) { return static_cast<T>(a & b); });     \
    check("image.atomic_fetch_or(PLACE, x)", [](T a, T b) { return static_cast<T>(a | b); });      \
    check("image.atomic_fetch_xor(PLACE, x)", [](T a, T b) { return static_cast<T>(a ^ b); });     \
    check("image.atomic_fetch_min(PLACE, x)", [](T a, T b) { return std::min(a, b); });            \
    check("image.atomic_fetch_max(PLACE, x)", [](T a, T b) { return std::max(a, b); });            \
  }
TEST_ATOMICS(FetchAndModifyInt, int32_t)
TEST_ATOMICS(FetchAndModifyUint, uint32_t)

TEST_P(AtomicsTest, NothingIsLostInAnExchange) {
  std::vector<uint32_t> values(threads);
  std::iota(values.begin(), values.end(), 100);
  run_threads("r = image.atomic_exchange(PLACE, x).x;", values);
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    auto seen = returned_at(pixel);
    seen.push_back(left_[pixel]);
    std::vector<int64_t> expected = {7};
    for (uint32_t i = pixel; i < threads; i += pixels)
      expected.push_back(values[i]);
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen, expected);
  }
}

TEST_P(AtomicsTest, LoopsOfCompareAndExchangeCount) {
  run_threads("int4 old = image.atomic_load(PLACE); int4 next;"
              "do next = old + 1; while (!image.atomic_compare_exchange_weak(PLACE, &old, next));"
              "r = old.x;",
              random_values<int32_t>());
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    auto seen = returned_at(pixel);
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(left_[pixel], 7 + static_cast<int64_t>(seen.size()));
    for (size_t i = 0; i < seen.size(); ++i)
      ASSERT_EQ(seen[i], 7 + static_cast<int64_t>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, AtomicsTest, testing::ValuesIn(kinds), [](const auto &info) {
  return std::string(info.param.name) + "_" + std::to_string(info.index);
});

class AtomicPlacesTest : public MetalTest {};

TEST_F(AtomicPlacesTest, NothingIsOutside) {
  const PipelinePointer kernel = pipeline(R"(
kernel void k(texture2d<uint, access::read_write> image [[texture(0)]],
              device uint *seen [[buffer(0)]]) {
  const uint2 outside(9, 1);
  image.atomic_store(5, outside);
  seen[0] = image.atomic_fetch_add(outside, 1).x;
  seen[1] = image.atomic_load(outside).x;
  uint4 old = 3;
  while (!image.atomic_compare_exchange_weak(outside, &old, old + 1)) {
  }
  seen[2] = image.atomic_load(uint2(8, 1)).x;
}
)",
                                          "k");
  const TexturePointer image =
      make_texture(descriptor(MTLTextureType2D, MTLPixelFormatR32Uint, MTLSizeMake(9, 4, 1)));
  const BufferPointer seen = make_buffer(std::vector<uint32_t>{9, 9, 9});
  run(kernel, MTLSizeMake(1, 1, 1), [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setTexture:image.get() atIndex:0];
    [encoder setBuffer:seen.get() offset:0 atIndex:0];
  });
  EXPECT_EQ(contents_of<uint32_t>(seen), (std::vector<uint32_t>{0, 0, 0}));
}

TEST_F(AtomicPlacesTest, OnlyIntegersThatAreReadAndWritten) {
  EXPECT_NE(compile_error("kernel void k(texture2d<float, access::read_write> image) {"
                          "  image.atomic_fetch_add(uint2(0), 1); }")
                .find("the texture does not hold int or uint"),
            std::string::npos);
  EXPECT_NE(compile_error("kernel void k(texture2d<uint, access::write> image) {"
                          "  image.atomic_store(1, uint2(0)); }")
                .find("the texture's access is not access::read_write"),
            std::string::npos);
}

} // namespace
