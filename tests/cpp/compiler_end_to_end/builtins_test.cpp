// Every builtin that the standard library declares is one that the device library defines.
#include "msl.hpp"

#include <gtest/gtest.h>

namespace {

/// A kernel whose body stores each expression of type T in out.
std::string kernel(const std::string &name, const std::string &type,
                   const std::vector<std::string> &expressions) {
  std::string text = "kernel void " + name + "(device " + type +
                     " *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  " + type +
                     " x = out[i], y = out[i + 1], z = out[i + 2];\n  ushort n = ushort(i % 4);\n"
                     "  bool b = i % 3 == 0;\n  (void)y; (void)z; (void)n; (void)b;\n";
  int place = 3;
  for (const std::string &expression : expressions)
    text += "  out[i + " + std::to_string(place++) + "] = " + type + "(" + expression + ");\n";
  return text + "}\n";
}

/// Compiles the kernel in each math mode.
void expect_compiles(const std::string &text, const std::string &name) {
  for (HmMathMode mode : {HM_MATH_SAFE, HM_MATH_FAST}) {
    msl::Library library =
        msl::compile_library("#include <metal_stdlib>\nusing namespace metal;\n" + text, mode);
    ASSERT_EQ(library.status, HM_OK) << library.diagnostics << text;
    msl::Kernel compiled(library.module, name);
    EXPECT_EQ(compiled.status, HM_OK) << compiled.diagnostics;
  }
}

TEST(Builtins, Mathematics) {
  std::vector<std::string> expressions;
  for (const char *space : {"", "fast::", "precise::"}) {
    for (const char *name :
         {"acos",  "acosh", "asin",  "asinh", "atan",  "atanh", "cos",   "cosh", "cospi", "exp",
          "exp10", "exp2",  "log",   "log10", "log2",  "rsqrt", "sin",   "sinh", "sinpi", "tan",
          "tanh",  "tanpi", "floor", "ceil",  "trunc", "rint",  "round", "fabs", "sqrt",  "fract"})
      expressions.push_back(std::string(space) + name + "(x)");
    for (const char *name : {"atan2", "fmod", "pow", "powr", "fmin", "fmax", "copysign", "fdim"})
      expressions.push_back(std::string(space) + name + "(x, y)");
    expressions.push_back(std::string(space) + "fma(x, y, z)");
  }
  for (const char *expression : {"sign(x)", "saturate(x)", "clamp(x, y, z)", "mix(x, y, z)",
                                 "step(x, y)", "smoothstep(x, y, z)"})
    expressions.push_back(expression);
  for (std::string type : {"float", "half", "float3", "half4"})
    expect_compiles(kernel("math", type, expressions), "math");
}

TEST(Builtins, SimdgroupsAndQuadgroups) {
  for (std::string type :
       {"float", "half", "char", "uchar", "short", "ushort", "int", "uint", "float4", "int2"}) {
    std::vector<std::string> expressions;
    bool is_integer = type.find("float") == std::string::npos && type != "half";
    for (std::string group : {"simd_", "quad_"}) {
      for (const char *name :
           {"sum", "product", "min", "max", "prefix_inclusive_sum", "prefix_exclusive_sum",
            "prefix_inclusive_product", "prefix_exclusive_product", "broadcast_first"})
        expressions.push_back(group + name + "(x)");
      for (const char *name : {"shuffle", "shuffle_xor", "shuffle_up", "shuffle_down",
                               "shuffle_rotate_up", "shuffle_rotate_down", "broadcast"})
        expressions.push_back(group + name + "(x, n)");
      for (const char *name : {"and", "or", "xor"})
        if (is_integer)
          expressions.push_back(group + name + "(x)");
      expressions.push_back(group + "all(b) ? x : y");
      expressions.push_back(group + "any(b) ? x : y");
      expressions.push_back(group + "is_first() ? x : y");
    }
    expressions.push_back("simd_shuffle_and_fill_up(x, y, n)");
    expressions.push_back("simd_shuffle_and_fill_down(x, y, n, ushort(8))");
    expressions.push_back("ulong(simd_ballot(b)) > 1 ? x : y");
    expressions.push_back("simd_active_threads_mask().all() ? x : y");
    expect_compiles(kernel("groups", type, expressions), "groups");
  }
}

TEST(Builtins, IntegersAndPacking) {
  std::vector<std::string> expressions;
  for (const char *name : {"popcount", "clz", "ctz", "reverse_bits", "abs"})
    expressions.push_back(std::string(name) + "(x)");
  for (const char *name :
       {"min", "max", "absdiff", "addsat", "subsat", "mulhi", "hadd", "rhadd", "rotate"})
    expressions.push_back(std::string(name) + "(x, y)");
  for (const char *name : {"clamp", "madhi", "madsat", "min3", "max3", "median3"})
    expressions.push_back(std::string(name) + "(x, y, z)");
  expressions.push_back("extract_bits(x, 3, 4)");
  expressions.push_back("insert_bits(x, y, 3, 4)");
  for (std::string type : {"char", "uchar", "short", "ushort", "int", "uint", "long"})
    expect_compiles(kernel("integers", type, expressions), "integers");
  expect_compiles(kernel("packing", "uint",
                         {"pack_float_to_unorm4x8(float4(x))", "pack_float_to_snorm2x16(float2(y))",
                          "unpack_unorm4x8_to_float(x).z * 100"}),
                  "packing");
}

TEST(Builtins, Atomics) {
  std::string text = R"(
kernel void atomics(device atomic_uint *a [[buffer(0)]], device atomic_int *b [[buffer(1)]],
                    device atomic_float *c [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  threadgroup atomic_int local;
  atomic_store_explicit(&local, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint u = atomic_load_explicit(a, memory_order_relaxed);
  u += atomic_exchange_explicit(a, i, memory_order_relaxed);
  int e = 4;
  if (atomic_compare_exchange_weak_explicit(b, &e, 7, memory_order_relaxed, memory_order_relaxed))
    u += atomic_fetch_add_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_sub_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_min_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_max_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_and_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_or_explicit(a, 1u, memory_order_relaxed);
  u += atomic_fetch_xor_explicit(a, 1u, memory_order_relaxed);
  atomic_fetch_min_explicit(b, int(u), memory_order_relaxed);
  atomic_fetch_add_explicit(c, 0.5f, memory_order_relaxed);
  atomic_fetch_add_explicit(&local, e, memory_order_relaxed);
})";
  expect_compiles(text, "atomics");
}

TEST(Builtins, SimdgroupMatrices) {
  msl::Library library = msl::compile_library(R"(
#include <metal_stdlib>
using namespace metal;
kernel void multiply(device const float *a [[buffer(0)]], device const half *b [[buffer(1)]],
                     device float *c [[buffer(2)]]) {
  simdgroup_float8x8 x, sum = simdgroup_float8x8(1);
  simdgroup_half8x8 y;
  for (int k = 0; k < 3; ++k) {
    simdgroup_load(x, a + 8 * k, 24);
    simdgroup_load(y, b + 64 * k, 8, ulong2(0, 0), true);
    simdgroup_multiply_accumulate(sum, x, y, sum);
  }
  simdgroup_store(sum, c, 8);
})");
  ASSERT_EQ(library.status, HM_OK) << library.diagnostics;
  std::vector<float> a(8 * 24), c(64);
  std::vector<_Float16> b(3 * 64);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 7 % 13) - 6;
    b[i] = static_cast<_Float16>(static_cast<float>(i * 5 % 11) - 5);
  }
  msl::Kernel(library.module, "multiply")
      .run({a.data(), b.data(), c.data()}, {32, 1, 1}, {32, 1, 1});
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      float expected = row == column;
      for (int k = 0; k < 24; ++k)
        expected += a[row * 24 + k] * static_cast<float>(b[k / 8 * 64 + column * 8 + k % 8]);
      ASSERT_EQ(c[row * 8 + column], expected) << row << " " << column;
    }
}

} // namespace
