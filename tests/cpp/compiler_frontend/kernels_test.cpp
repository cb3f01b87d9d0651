// Right programs: what the IR of each holds.
#include "compiled.hpp"

#include <regex>

namespace hostmetal::frontend::test {
namespace {

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Kernels, SaxpyHasAirsArguments) {
  const std::string ir = ir_of(R"(
kernel void saxpy(device float *y [[buffer(0)]], const device float *x [[buffer(1)]],
                  constant float &a [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  y[i] += a * x[i];
})");
  EXPECT_TRUE(contains(ir, "define void @saxpy(ptr noundef %y, ptr noundef %x, ptr"));
  EXPECT_TRUE(contains(ir, "!air.kernel = !{"));
  EXPECT_TRUE(contains(
      ir,
      R"(!{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read_write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"y"})"));
  EXPECT_TRUE(contains(ir, R"(i32 1, i32 1, !"air.read", !"air.address_space", i32 1)"));
  EXPECT_TRUE(contains(
      ir,
      R"(!{i32 2, !"air.buffer", !"air.buffer_size", i32 4, !"air.location_index", i32 2, i32 1, !"air.read", !"air.address_space", i32 2)"));
  EXPECT_TRUE(contains(
      ir,
      R"(!{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"})"));
}

TEST(Kernels, ThreadPositionsArePlainVectors) {
  const std::string ir = ir_of(R"(
kernel void k(device uint *o, uint3 g [[thread_position_in_grid]],
              ushort2 t [[thread_position_in_threadgroup]], ushort n [[thread_index_in_simdgroup]]) {
  o[g.x] = g.y + g.z + t.x + t.y + n;
})");
  EXPECT_TRUE(contains(ir, "define void @k(ptr %o, <3 x i32> %g, <2 x i16> %t, i16 %n)"));
}

TEST(Kernels, ReductionKeepsThreadgroupMemoryAndBarriers) {
  const std::string ir = ir_of(R"(
kernel void sum(const device float *x, device float *out, threadgroup float *dynamic [[threadgroup(0)]],
                uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  threadgroup float part[256];
  part[i] = x[i] + dynamic[i];
  for (uint s = n / 2; s > 0; s /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < s) part[i] += part[i + s];
  }
  if (i == 0) out[0] = part[0];
})");
  EXPECT_TRUE(contains(ir, "part = internal addrspace(3) global [256 x float] undef"));
  EXPECT_TRUE(contains(ir, "call void @air.wg.barrier(i32"));
  EXPECT_TRUE(contains(ir, R"(!"air.address_space", i32 3)"));
  EXPECT_TRUE(std::regex_search(ir, std::regex("attributes #[0-9]+ = \\{[^}]*convergent")));
}

TEST(Kernels, SimdgroupFunctionsHaveApplesNames) {
  const std::string ir = ir_of(R"(
kernel void k(device float *f, device uint *u, uint i [[thread_index_in_simdgroup]]) {
  f[i] = simd_sum(f[i]) + simd_max(f[i]) + simd_shuffle_down(f[i], 4) + simd_prefix_exclusive_sum(f[i]);
  u[i] = simd_xor(u[i]) + uint(simd_vote::vote_t(simd_ballot(f[i] > 0))) + simd_broadcast_first(u[i]);
  if (simd_all(u[i] == 0) || quad_any(u[i] > 3)) u[i] = quad_sum(u[i]);
  f[i] += simd_shuffle_and_fill_up(f[i], 1.0f, 1);
  float2 v = simd_shuffle_xor(float2(f[i]), 2);
  f[i] += v.x + v.y;
  simdgroup_barrier(mem_flags::mem_none);
})");
  for (const char *name :
       {"air.simd_sum.f32(float", "air.simd_max.f32(float", "air.simd_shuffle_down.f32(float",
        "air.simd_prefix_exclusive_sum.f32(float", "air.simd_xor.u.i32(i32",
        "i64 @air.simd_ballot.i64(i1", "air.simd_broadcast_first.u.i32(i32", "i1 @air.simd_all(i1",
        "i1 @air.quad_any(i1", "air.quad_sum.u.i32(i32", "air.simd_shuffle_and_fill_up.f32(float",
        "air.simdgroup.barrier(i32"})
    EXPECT_TRUE(contains(ir, name));
  EXPECT_EQ(count(ir, "call noundef float @air.simd_shuffle_xor.f32") +
                count(ir, "call fast noundef float @air.simd_shuffle_xor.f32"),
            2u);
}

TEST(Kernels, AtomicsNameSpaceOperationAndType) {
  const std::string ir = ir_of(R"(
kernel void k(device atomic_uint *h, const device uint *x, device atomic_float *f,
              device atomic_ulong *m, uint i [[thread_position_in_grid]]) {
  threadgroup atomic_int local;
  atomic_store_explicit(&local, 0, memory_order_relaxed);
  atomic_fetch_add_explicit(&h[x[i]], 1, memory_order_relaxed);
  atomic_fetch_max_explicit(&local, -3, memory_order_relaxed);
  atomic_fetch_add_explicit(f, 1, memory_order_relaxed);
  atomic_max_explicit(m, 5, memory_order_relaxed);
  uint expected = 0;
  while (!atomic_compare_exchange_weak_explicit(h, &expected, 7u, memory_order_relaxed, memory_order_relaxed)) {}
})");
  for (const char *name : {"air.atomic.local.store.i32", "air.atomic.global.add.u.i32",
                           "air.atomic.local.max.s.i32", "air.atomic.global.add.f32",
                           "air.atomic.global.max.u.i64", "i1 @air.atomic.global.cmpxchg.weak.i32"})
    EXPECT_TRUE(contains(ir, name));
  EXPECT_TRUE(contains(ir, R"(!"air.arg_type_name", !"metal::_atomic")"));
}

// Registers, registers of another type, and memory, as the C++ ABI has it.
TEST(Kernels, BuiltinsThatProgramsDeclareTakeVectorsAsValues) {
  const std::string ir = ir_of(R"(
void pair(ulong2, uint) __asm("air.test.pair");
void small(ushort2, float3, half4, bool2) __asm("air.test.small");
void many(ulong, ulong, ulong, ulong, ulong, ulong2, long2, int) __asm("air.test.many");
kernel void k(device ulong2 *x, device half4 *h, device float3 *f) {
  pair(x[0], 7);
  small(ushort2(1, 2), f[0], h[0], bool2(true, false));
  many(1, 2, 3, 4, 5, x[1], long2(x[2]), 6);
})");
  EXPECT_TRUE(contains(ir, "declare void @air.test.pair(<2 x i64>, i32)"));
  EXPECT_TRUE(
      contains(ir, "declare void @air.test.small(<2 x i16>, <3 x float>, <4 x half>, <2 x i8>)"));
  EXPECT_TRUE(contains(
      ir, "declare void @air.test.many(i64, i64, i64, i64, i64, <2 x i64>, <2 x i64>, i32)"));
}

// An element that is poison makes the whole register poison in which the vector is passed on.
TEST(Kernels, VectorsOfThreeAreStoredWithoutPoison) {
  const std::string ir = ir_of(R"(
kernel void k(device char3 *x, device short3 *y, uint i [[thread_position_in_grid]]) {
  char3 v = char3(1, 2, 3);
  v.x = x[i].y;
  x[i] = v;
  y[i] = short3(v);
})");
  EXPECT_TRUE(contains(ir, "<4 x i32> <i32 0, i32 1, i32 2, i32 2>"));
  EXPECT_TRUE(lacks(ir, "i32 poison>"));
}

// The same operation at each of them, whatever the parse that found them came to.
TEST(Kernels, HalfAndBfloatConvertOverFloat) {
  const std::string ir = ir_of(R"(
template <typename T> half narrow(T x) { return static_cast<half>(x); }
kernel void k(device half *h, device bfloat *b, device float *f) {
  h[0] = b[0];
  b[1] = bfloat(h[1]);
  h[2] = narrow(b[2]) + narrow(f[2]);
})");
  EXPECT_EQ(count(ir, "fpext bfloat"), 1u);
  EXPECT_EQ(count(ir, "fpext half"), 1u);
  EXPECT_TRUE(lacks(ir, "fptrunc bfloat"));
  const SourceResult wrong = compile(R"(using namespace metal;
kernel void k(device half *h, device bfloat *b) { h[0] = b[0]; h[1] = static_cast<half>(b[1]);
  h[2] = nonsense; })");
  EXPECT_FALSE(wrong.ok);
  EXPECT_EQ(count(wrong.diagnostics, "error:"), 1u) << wrong.diagnostics;
  EXPECT_TRUE(contains(wrong.diagnostics, ":4:10: error: use of undeclared identifier"));
}

TEST(Kernels, ExplicitInstancesHaveHostNames) {
  const SourceResult result = compile(R"(using namespace metal;
template <typename T, int N>
[[kernel, max_total_threads_per_threadgroup(64)]] void fill(device T *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { o[i] = T(N); }
template [[host_name("fill_float")]] [[kernel]] void fill<float, 2>(device float *, uint);
template [[host_name("fill_half")]] [[kernel]] decltype(fill<half, 3>) fill<half, 3>;
[[host_name("renamed")]] kernel void original(device int *o) { o[0] = 1; }
namespace inner { kernel void deep(device int *o) { o[0] = 2; } }
)");
  ASSERT_TRUE(result.ok) << result.diagnostics;
  std::vector<std::string> names;
  for (const FunctionSummary &function : result.functions)
    names.push_back(function.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"fill_float", "fill_half", "inner::deep", "renamed"}));
  for (const FunctionSummary &function : result.functions)
    EXPECT_EQ(function.max_total_threads_per_threadgroup,
              function.name.starts_with("fill") ? 64u : 0u);
}

TEST(Kernels, FunctionConstantsAreListedWithTheirUses) {
  const std::string source = R"(using namespace metal;
constant bool flag [[function_constant(4)]];
constant int width [[function_constant(1)]];
constant float3 unused [[function_constant(7)]];
constant int derived = is_function_constant_defined(width) ? width * 2 : 3;
kernel void a(device int *o, device int *extra [[buffer(1), function_constant(flag)]]) {
  if (flag) o[0] = extra[0];
}
kernel void b(device int *o) { o[0] = derived; }
kernel void c(device int *o) { o[0] = 1; }
)";
  const SourceResult result = compile(source);
  ASSERT_TRUE(result.ok) << result.diagnostics;
  ASSERT_EQ(result.constants.size(), 3u);
  EXPECT_EQ(result.constants[0].name, "width");
  EXPECT_EQ(result.constants[0].index, 1u);
  EXPECT_EQ(result.constants[0].type, "int");
  EXPECT_FALSE(result.constants[0].is_required);
  EXPECT_EQ(result.constants[1].name, "flag");
  EXPECT_TRUE(result.constants[1].is_required);
  EXPECT_EQ(result.constants[2].type, "float3");
  ASSERT_EQ(result.functions.size(), 3u);
  EXPECT_EQ(result.functions[0].constants, std::vector<uint32_t>{4});
  EXPECT_EQ(result.functions[1].constants, std::vector<uint32_t>{1});
  EXPECT_TRUE(result.functions[2].constants.empty());
  const std::string ir = ir_of(source.substr(source.find('\n') + 1));
  EXPECT_TRUE(contains(
      ir, "@flag.MTL_FC_INIT_4_b = internal externally_initialized constant i8 undef, section "
          "\"air.fc_initializer\""));
  EXPECT_TRUE(contains(ir, "@width.MTL_FC_INIT_1_i = "));
  EXPECT_TRUE(contains(ir, "zeroext i1 @air.is_function_constant_defined(ptr"));
  EXPECT_TRUE(std::regex_search(
      ir,
      std::regex(
          R"(!\{i32 1, !"air.function_constant", ![0-9]+, !"air.buffer", !"air.location_index", i32 1)")));
  EXPECT_TRUE(contains(ir, R"(!"bool", !"flag", i32 4, i1 false})"));
}

TEST(Kernels, StructsAreDescribedMemberByMember) {
  const std::string ir = ir_of(R"(
struct Inner { half h; packed_float3 p; };
struct Params { float scale; uint n; float3 v[3]; Inner inner; float4x4 m; };
kernel void k(constant Params &p [[buffer(3)]], device float *o) {
  o[0] = p.scale + p.n + p.v[1].z + p.inner.p.y + p.m[2].x + p.inner.h;
})");
  EXPECT_TRUE(std::regex_search(
      ir,
      std::regex(
          R"(!\{i32 0, i32 4, i32 0, !"float", !"scale", i32 4, i32 4, i32 0, !"uint", !"n", i32 16, i32 16, i32 3, !"float3", !"v", !"air.struct_type_info", ![0-9]+, i32 64, i32 16, i32 0, !"Inner", !"inner", i32 80)")));
  EXPECT_TRUE(contains(ir, R"(i32 80, i32 64, i32 0, !"float4x4", !"m"})"));
  EXPECT_TRUE(contains(
      ir,
      R"(!{i32 0, i32 2, i32 0, !"half", !"h", i32 4, i32 12, i32 0, !"packed_float3", !"p"})"));
  EXPECT_TRUE(contains(ir, R"(!"air.buffer_size", i32 144)"));
}

TEST(Kernels, ArgumentsWithoutAnIndexTakeTheFreeOnes) {
  const std::string ir = ir_of("kernel void k(device int *a, device int *b [[buffer(0)]], device "
                               "int *c) { a[0] = b[0] + c[0]; }");
  EXPECT_TRUE(contains(ir, R"(!{i32 0, !"air.buffer", !"air.location_index", i32 1,)"));
  EXPECT_TRUE(contains(ir, R"(!{i32 1, !"air.buffer", !"air.location_index", i32 0,)"));
  EXPECT_TRUE(contains(ir, R"(!{i32 2, !"air.buffer", !"air.location_index", i32 2,)"));
}

TEST(MathModes, ChooseFlagsAndFunctions) {
  constexpr char source[] = R"(
kernel void k(device float *x) {
  x[0] = sin(x[1]) * x[2] + precise::exp(x[3]) + fast::log(x[4]);
  x[5] = isnan(x[6]) ? 1 : 0;
})";
  SourceRequest request;
  request.math_mode = MathMode::safe;
  const std::string safe = ir_of(source, request);
  EXPECT_TRUE(contains(safe, "@air.sin.f32(float"));
  EXPECT_TRUE(contains(safe, "fmul contract float"));
  request.math_mode = MathMode::fast;
  const std::string fast = ir_of(source, request);
  EXPECT_TRUE(contains(fast, "@air.fast_sin.f32(float"));
  EXPECT_TRUE(contains(fast, "fmul fast float"));
  request.math_mode = MathMode::relaxed;
  const std::string relaxed = ir_of(source, request);
  EXPECT_TRUE(contains(relaxed, "fmul reassoc nsz arcp contract afn float"));
  for (const std::string &ir : {safe, fast, relaxed}) {
    EXPECT_TRUE(contains(ir, "@air.exp.f32(float"));
    EXPECT_TRUE(contains(ir, "@air.fast_log.f32(float"));
    EXPECT_TRUE(lacks(ir, "fcmp uno"));
  }
}

TEST(Types, VectorsMatricesAndLiteralsCompile) {
  const std::string ir = ir_of(R"(
constant float4 table[2] = {float4(1, 2, 3, 4), {5, 6, 7, 8}};
constant constexpr half limit = 65504.0h;
kernel void k(device float4 *o, device half3 *h, device packed_float3 *p, device bfloat4 *b,
              device bool *flags, device int4 *n) {
  float4 v = o[0].wzyx + table[1];
  v.xy += v.zw * 2;
  v.rgb = p[0] + p[1] * 0.5;
  v[3] = dot(v, o[1]) + length(p[1]) + 1.5e-3h + 2.0bf;
  float3x3 m = float3x3(v.xyz, float3(1), cross(v.xyz, v.yzx));
  v.xyz = transpose(m) * v.xyz + m[1];
  h[0] = min(half3(v.xyz), limit);
  b[0] = bfloat4(v);
  flags[0] = any(v > 1.0f) && all(isfinite(v));
  n[0] = select(int4(v), -n[1] >> 2, n[2] == 3) & 7;
  p[2] = as_type<float3>(uint3(1, 2, 3));
  o[2] = clamp(mix(v, o[3], 0.25), 0.0, 1.0) + smoothstep(0.0f, 1.0f, v) + float4(v.xy, 0, 1);
  o[3] = uint4(v).x < 3u ? v : -v;
})");
  EXPECT_TRUE(contains(ir, "define void @k(ptr"));
  EXPECT_TRUE(contains(ir, "llvm.fptosi.sat"));
  EXPECT_TRUE(lacks(ir, "fmul double"));
  EXPECT_TRUE(lacks(ir, "fadd double"));
}

TEST(Types, MembersAndFunctionsOverloadOnAddressSpaces) {
  const std::string ir = ir_of(R"(
template <typename T> struct is_device { static constexpr constant int value = 0; };
template <typename T> struct is_device<device T *> { static constexpr constant int value = 1; };
int where(const device float *) { return 1; }
int where(const threadgroup float *) { return 2; }
int where(const thread float *) { return 3; }
int where(constant float *) { return 4; }
struct View {
  device float *data;
  float get(uint i) const { return data[i]; }
  float get(uint i) const device { return data[i] + 1; }
};
kernel void k(device float *a, constant float *c, device View *views) {
  threadgroup float t[4];
  float local[4];
  View v{a};
  t[0] = v.get(0); local[0] = is_device<device float *>::value;
  a[0] = where(a) + where(t) + where(local) + where(c);
})");
  for (const char *part : {"ret i32 1", "ret i32 2", "ret i32 3", "ret i32 4"})
    EXPECT_TRUE(contains(ir, part));
}

TEST(Types, SimdgroupMatricesAreValuesOf64Elements) {
  const std::string ir = ir_of(R"(
kernel void k(const device half *a, device float *c) {
  simdgroup_half8x8 x;
  simdgroup_float8x8 y = make_filled_simdgroup_matrix<float, 8, 8>(0.f);
  simdgroup_load(x, a, 8, ulong2(0, 8), true);
  simdgroup_multiply_accumulate(y, x, x, y);
  y.thread_elements()[0] += 1;
  simdgroup_store(y, c, 8);
})");
  EXPECT_TRUE(contains(
      ir, "declare <64 x float> @air.simdgroup_matrix_8x8_multiply_accumulate.v64f32.v64f16.v64f16."
          "v64f32(<64 x half>, <64 x half>, <64 x float>)"));
  EXPECT_TRUE(contains(ir, "@air.simdgroup_matrix_8x8_load.v64f16.p1f16(ptr"));
  EXPECT_TRUE(
      contains(ir, "declare void @air.simdgroup_matrix_8x8_store.v64f32.p1f32(<64 x float>, ptr,"));
}

TEST(Preprocessor, KnowsMacrosVersionsAndHeaders) {
  SourceRequest request;
  request.macros = {{"WIDTH", "17"}, {"TYPE", "float"}, {"EMPTY", ""}};
  request.language_version = 3u << 16 | 1u;
  const std::string ir = ir_of(R"(
#include <metal_math>
#include <metal_simdgroup>
#if __METAL_VERSION__ != 310 || !defined(__METAL__) || !defined(EMPTY) || !defined(__METAL_MACOS__)
#error wrong version
#endif
kernel void k(device TYPE *o) { o[0] = WIDTH; }
)",
                               request);
  EXPECT_TRUE(contains(ir, "1.700000e+01"));
}

} // namespace
} // namespace hostmetal::frontend::test
