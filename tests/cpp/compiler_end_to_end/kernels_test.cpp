// Whole kernels in MSL against references in float64 or exact integers.
#include "msl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace {

const char *const prelude = "#include <metal_stdlib>\nusing namespace metal;\n";

class EndToEnd : public testing::Test {
protected:
  EndToEnd() : seed_(std::random_device()()), random_(seed_), trace_(__FILE__, __LINE__, seed_) {}

  static std::string module(const std::string &source, HmMathMode mode = HM_MATH_FAST) {
    msl::Library library = msl::compile_library(prelude + source, mode);
    EXPECT_EQ(library.status, HM_OK) << library.diagnostics;
    return library.module;
  }
  std::vector<float> numbers(size_t count, float low, float high) {
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> result(count);
    for (float &value : result)
      value = uniform(random_);
    return result;
  }

  unsigned seed_;
  std::mt19937 random_;
  testing::ScopedTrace trace_;
};

TEST_F(EndToEnd, SaxpyInTwoDimensions) {
  msl::Kernel kernel(module(R"(
kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],
                  constant float &a [[buffer(2)]], constant uint2 &size [[buffer(3)]],
                  uint2 p [[thread_position_in_grid]]) {
  if (p.x >= size.x || p.y >= size.y) return;
  uint i = p.y * size.x + p.x;
  y[i] = a * x[i] + y[i];
})"),
                     "saxpy");
  for (uint32_t width : {1u, 13u, 200u}) {
    uint32_t size[2] = {width, 17};
    std::vector<float> x = numbers(width * 17, -5, 5), y = numbers(width * 17, -5, 5), old = y;
    float a = 1.75f;
    kernel.run({x.data(), y.data(), &a, size}, {width + 3, 20, 1}, {16, 4, 1});
    for (size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(y[i], double(a) * x[i] + old[i], 2e-6);
  }
}

TEST_F(EndToEnd, ReductionWithSimdgroupsAndThreadgroupMemory) {
  std::string source = R"(
kernel void reduce(device const float *in [[buffer(0)]], device float *out [[buffer(1)]],
                   constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]],
                   uint group [[threadgroup_position_in_grid]],
                   uint lane [[thread_index_in_simdgroup]],
                   uint simdgroup [[simdgroup_index_in_threadgroup]],
                   uint simdgroups [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  float sum = simd_sum(i < count ? in[i] : 0.0f);
  if (lane == 0) parts[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup == 0) {
    sum = simd_sum(lane < simdgroups ? parts[lane] : 0.0f);
    if (lane == 0) out[group] = sum;
  }
})";
  msl::Kernel kernel(module(source), "reduce");
  EXPECT_TRUE(kernel.reflection.has_barriers);
  EXPECT_TRUE(kernel.reflection.has_simd_operations);
  EXPECT_EQ(kernel.reflection.static_threadgroup_memory, 128u);
  for (uint32_t count : {1u, 999u, 5000u}) {
    std::vector<float> in = numbers(count, -1, 1), out((count + 255) / 256);
    kernel.run({in.data(), out.data(), &count}, {uint32_t(out.size()) * 256, 1, 1}, {256, 1, 1});
    for (size_t group = 0; group < out.size(); ++group) {
      auto end = std::min<size_t>((group + 1) * 256, count);
      ASSERT_NEAR(out[group], std::accumulate(&in[group * 256], &in[0] + end, 0.0), 1e-4);
    }
  }
}

TEST_F(EndToEnd, TiledMatrixProduct) {
  msl::Kernel kernel(module(R"(
constant constexpr uint tile = 8;
kernel void multiply(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                     device float *c [[buffer(2)]], constant uint3 &size [[buffer(3)]],
                     threadgroup float *left [[threadgroup(0)]],
                     uint2 p [[thread_position_in_grid]],
                     uint2 local [[thread_position_in_threadgroup]]) {
  threadgroup float right[tile][tile];
  float sum = 0;
  for (uint k = 0; k < size.z; k += tile) {
    left[local.y * tile + local.x] =
        p.y < size.y && k + local.x < size.z ? a[p.y * size.z + k + local.x] : 0;
    right[local.y][local.x] =
        k + local.y < size.z && p.x < size.x ? b[(k + local.y) * size.x + p.x] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < tile; ++i)
      sum += left[local.y * tile + i] * right[i][local.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (p.x < size.x && p.y < size.y) c[p.y * size.x + p.x] = sum;
})"),
                     "multiply");
  uint32_t columns = 37, rows = 29, inner = 21;
  uint32_t size[4] = {columns, rows, inner, 0};
  std::vector<float> a = numbers(rows * inner, -1, 1), b = numbers(inner * columns, -1, 1),
                     c(rows * columns);
  kernel.run({a.data(), b.data(), c.data(), size, nullptr}, {40, 32, 1}, {8, 8, 1},
             {0, 0, 0, 0, 256});
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (uint32_t k = 0; k < inner; ++k)
        sum += double(a[row * inner + k]) * b[k * columns + column];
      ASSERT_NEAR(c[row * columns + column], sum, 1e-4);
    }
}

TEST_F(EndToEnd, HistogramWithAtomics) {
  msl::Kernel kernel(module(R"(
kernel void histogram(device const uchar *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint local [[thread_index_in_threadgroup]],
                      uint size [[threads_per_threadgroup]]) {
  threadgroup atomic_uint mine[256];
  for (uint k = local; k < 256; k += size)
    atomic_store_explicit(&mine[k], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&mine[in[i]], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = local; k < 256; k += size)
    atomic_fetch_add_explicit(&bins[k], atomic_load_explicit(&mine[k], memory_order_relaxed),
                              memory_order_relaxed);
})"),
                     "histogram");
  std::vector<uint8_t> in(10007);
  for (uint8_t &value : in)
    value = static_cast<uint8_t>(random_() & random_());
  std::vector<uint32_t> bins(256), expected(256);
  for (uint8_t value : in)
    ++expected[value];
  kernel.run({in.data(), bins.data()}, {10007, 1, 1}, {100, 1, 1});
  EXPECT_EQ(bins, expected);
}

TEST_F(EndToEnd, BitonicSort) {
  msl::Kernel kernel(module(R"(
kernel void sort(device int *values [[buffer(0)]], constant uint &count [[buffer(1)]],
                 uint i [[thread_index_in_threadgroup]]) {
  threadgroup int shared[512];
  shared[i] = i < count ? values[i] : INT_MAX;
  for (uint size = 2; size <= 512; size <<= 1)
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      threadgroup_barrier(mem_flags::mem_threadgroup);
      uint other = i ^ stride;
      if (other > i && ((i & size) == 0) == (shared[i] > shared[other])) {
        int kept = shared[i];
        shared[i] = shared[other];
        shared[other] = kept;
      }
    }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < count) values[i] = shared[i];
})"),
                     "sort");
  for (uint32_t count : {1u, 77u, 511u}) {
    std::vector<int32_t> values(count);
    for (int32_t &value : values)
      value = static_cast<int32_t>(random_());
    std::vector<int32_t> expected = values;
    std::sort(expected.begin(), expected.end());
    kernel.run({values.data(), &count}, {512, 1, 1}, {512, 1, 1});
    EXPECT_EQ(values, expected);
  }
}

TEST_F(EndToEnd, TemplatesWithHostNames) {
  std::string library = module(R"(
template <typename T> kernel void scale(device T *values [[buffer(0)]], constant T &by [[buffer(1)]],
                                        uint i [[thread_position_in_grid]]) { values[i] *= by; }
template [[host_name("scale_half")]] kernel void scale<half>(device half *, constant half &, uint);
template [[host_name("scale_int4")]] kernel void scale<int4>(device int4 *, constant int4 &, uint);
)");
  std::vector<int32_t> values(40), by{1, -2, 3, 4};
  std::iota(values.begin(), values.end(), 0);
  msl::Kernel integers(library, "scale_int4");
  integers.run({values.data(), by.data()}, {10, 1, 1}, {4, 1, 1});
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(values[i], i * by[i % 4]);
  std::vector<_Float16> halves(33, static_cast<_Float16>(1.5)), factor{static_cast<_Float16>(0.25)};
  for (const char *target : {"x86-64-v2", static_cast<const char *>(nullptr)}) {
    msl::Kernel half(library, "scale_half", {}, target);
    half.run({halves.data(), factor.data()}, {33, 1, 1}, {8, 1, 1});
  }
  for (_Float16 value : halves)
    EXPECT_EQ(static_cast<float>(value), 1.5f / 16);
}

/// An iteration whose number differs from thread to thread.
TEST_F(EndToEnd, Mandelbrot) {
  msl::Kernel kernel(module(R"(
kernel void mandelbrot(device uint *out [[buffer(0)]], constant float4 &window [[buffer(1)]],
                       uint2 p [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
  float2 c = window.xy + window.zw * float2(p) / float2(size), z = 0;
  uint n = 0;
  for (; n < 100 && dot(z, z) < 4; ++n)
    z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
  out[p.y * size.x + p.x] = n;
})",
                            HM_MATH_SAFE),
                     "mandelbrot");
  const uint32_t width = 61, height = 43;
  std::vector<uint32_t> out(width * height);
  float window[4] = {-2, -1.25f, 2.5f, 2.5f};
  kernel.run({out.data(), window}, {width, height, 1}, {8, 8, 1});
  int different = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      double cx = -2 + 2.5 * x / width, cy = -1.25 + 2.5 * y / height, zx = 0, zy = 0;
      uint32_t n = 0;
      for (; n < 100 && zx * zx + zy * zy < 4; ++n) {
        double next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
      }
      different += out[y * width + x] != n;
    }
  // Rounding moves the count of a few points at the edge.
  EXPECT_LT(different, 40);
}

/// Many threads compile, load and run different kernels at once; each gets its own.
TEST_F(EndToEnd, CompilesFromManyThreads) {
  std::string source;
  for (int i = 0; i < 8; ++i)
    source +=
        "kernel void add" + std::to_string(i) +
        "(device uint *a, uint i [[thread_position_in_grid]]) { a[i] += " + std::to_string(i) +
        "; }\n";
  std::string library = module(source);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 3; ++round) {
        msl::Kernel kernel(library, "add" + std::to_string(t));
        std::vector<uint32_t> values(100, 1);
        kernel.run({values.data()}, {100, 1, 1}, {32, 1, 1});
        EXPECT_EQ(values, std::vector<uint32_t>(100, 1 + t));
      }
    });
}

} // namespace
