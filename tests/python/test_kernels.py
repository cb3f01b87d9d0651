"""Whole algorithms in Metal Shading Language at odd sizes, compared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc

HEADER = """
#include <metal_stdlib>
using namespace metal;
"""

SAXPY = (
    HEADER
    + """
kernel void saxpy(constant float &a, device const float *x, device float *y,
                  uint i [[thread_position_in_grid]]) {
  y[i] = a * x[i] + y[i];
}
"""
)


@pytest.mark.parametrize("size", [1, 31, 33, 1000, 100_003])
def test_saxpy(rng: np.random.Generator, size: int) -> None:
    x, y = rng.standard_normal((2, size), np.float32)
    a = float(rng.standard_normal())
    result = y.copy()
    mc.compile(SAXPY).saxpy(a, x, result, threads=size)
    mc.synchronize()
    expected = np.float32(a) * x.astype(np.float64) + y
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)


def test_saxpy_of_nan_and_infinities() -> None:
    x = np.array([np.nan, np.inf, -np.inf, np.inf, 0.0], np.float32)
    y = np.array([1.0, 1.0, 1.0, -np.inf, np.nan], np.float32)
    with np.errstate(invalid="ignore"):
        expected = np.float32(2) * x + y
    mc.compile(SAXPY, math_mode="safe").saxpy(2.0, x, y, threads=x.size)
    mc.synchronize()
    np.testing.assert_array_equal(y, expected)


def test_saxpy_leaves_what_is_outside_of_the_grid(rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 100), np.float32)
    result = y.copy()
    mc.compile(SAXPY).saxpy(1.0, x, result, threads=67)
    mc.synchronize()
    np.testing.assert_array_equal(result[67:], y[67:])
    np.testing.assert_array_equal(result[:67], x[:67] + y[:67])


REDUCTION = (
    HEADER
    + """
kernel void partial_sums(device const int *in, device int *out, constant uint &count,
                         threadgroup int *scratch,
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint group [[threadgroup_position_in_grid]],
                         uint size [[threads_per_threadgroup]]) {
  scratch[t] = i < count ? in[i] : 0;
  for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < half_size)
      scratch[t] += scratch[t + half_size];
  }
  if (t == 0)
    out[group] = scratch[0];
}
"""
)


@pytest.mark.parametrize("size", [1, 255, 257, 65_535, 100_003])
def test_two_stage_reduction(rng: np.random.Generator, size: int) -> None:
    group = 256
    values = rng.integers(-1000, 1000, size, np.int32)
    expected = values.sum()
    kernel = mc.compile(REDUCTION).partial_sums
    while True:
        groups = -(-values.size // group)
        partial = np.zeros(groups, np.int32)
        kernel(
            values,
            partial,
            values.size,
            groups=groups,
            group_size=group,
            threadgroup_memory=[group * 4],
        )
        mc.synchronize()
        np.testing.assert_array_equal(
            partial, np.add.reduceat(values, np.arange(0, values.size, group))
        )
        values = partial
        if groups == 1:
            break
    assert values[0] == expected


HISTOGRAM = (
    HEADER
    + """
kernel void histogram(device const uchar *in, device atomic_uint *bins, constant uint &count,
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint size [[threads_per_threadgroup]]) {
  threadgroup atomic_uint local[256];
  for (uint bin = t; bin < 256; bin += size)
    atomic_store_explicit(&local[bin], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (i < count)
    atomic_fetch_add_explicit(&local[in[i]], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint bin = t; bin < 256; bin += size) {
    uint found = atomic_load_explicit(&local[bin], memory_order_relaxed);
    if (found > 0)
      atomic_fetch_add_explicit(&bins[bin], found, memory_order_relaxed);
  }
}
"""
)


@pytest.mark.parametrize("size", [1, 97, 50_021])
def test_histogram(rng: np.random.Generator, size: int) -> None:
    values = rng.binomial(255, 0.3, size).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    group = 96
    kernel = mc.compile(HISTOGRAM).histogram
    kernel(values, bins, size, groups=-(-size // group), group_size=group)
    mc.synchronize()
    np.testing.assert_array_equal(bins, np.bincount(values, minlength=256))


MATRIX_PRODUCT = (
    HEADER
    + """
constant uint TILE = 16;

kernel void matrix_product(device const float *a, device const float *b, device float *c,
                           constant uint3 &shape, uint2 p [[thread_position_in_grid]],
                           uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float tile_a[TILE][TILE];
  threadgroup float tile_b[TILE][TILE];
  uint rows = shape.x, inner = shape.y, columns = shape.z;
  float sum = 0;
  for (uint k = 0; k < inner; k += TILE) {
    tile_a[t.y][t.x] = p.y < rows && k + t.x < inner ? a[p.y * inner + k + t.x] : 0;
    tile_b[t.y][t.x] = k + t.y < inner && p.x < columns ? b[(k + t.y) * columns + p.x] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < TILE; ++j)
      sum += tile_a[t.y][j] * tile_b[j][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (p.y < rows && p.x < columns)
    c[p.y * columns + p.x] = sum;
}
"""
)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 1, 1), (17, 33, 15), (101, 67, 203)])
def test_tiled_matrix_product(
    rng: np.random.Generator, rows: int, inner: int, columns: int
) -> None:
    a = rng.standard_normal((rows, inner), np.float32)
    b = rng.standard_normal((inner, columns), np.float32)
    c = np.full((rows, columns), np.nan, np.float32)
    tile = 16
    mc.compile(MATRIX_PRODUCT).matrix_product(
        a,
        b,
        c,
        (rows, inner, columns),
        groups=(-(-columns // tile), -(-rows // tile)),
        group_size=(tile, tile),
    )
    mc.synchronize()
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


BITONIC_SORT = (
    HEADER
    + """
kernel void bitonic_step(device float *values, constant uint &distance, constant uint &block,
                         uint i [[thread_position_in_grid]]) {
  uint partner = i ^ distance;
  if (partner <= i)
    return;
  float low = values[i], high = values[partner];
  if ((low > high) == ((i & block) == 0)) {
    values[i] = high;
    values[partner] = low;
  }
}
"""
)


@pytest.mark.parametrize("size", [1, 2, 37, 1023, 5003])
def test_bitonic_sort(rng: np.random.Generator, size: int) -> None:
    padded = 1 << (size - 1).bit_length()
    values = np.full(padded, np.inf, np.float32)
    values[:size] = rng.standard_normal(size, np.float32)
    expected = np.sort(values)
    device_values = mc.asarray(values)
    kernel = mc.compile(BITONIC_SORT).bitonic_step
    block = 2
    while block <= padded:
        distance = block // 2
        while distance:
            kernel(device_values, distance, block, threads=padded)
            distance //= 2
        block *= 2
    np.testing.assert_array_equal(np.asarray(device_values), expected)


SIMD = (
    HEADER
    + """
kernel void simd_totals(device const float *in, device float *sums, device float *maxima,
                        uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                        uint width [[threads_per_simdgroup]]) {
  float total = simd_sum(in[i]), largest = simd_max(in[i]);
  if (lane == 0) {
    sums[i / width] = total;
    maxima[i / width] = largest;
  }
}
"""
)


def test_simdgroup_reductions_at_a_ragged_edge(rng: np.random.Generator) -> None:
    size, width = 32 * 7 + 5, 32
    values = rng.standard_normal(size, np.float32)
    starts = np.arange(0, size, width)
    sums, maxima = np.zeros((2, starts.size), np.float32)
    mc.compile(SIMD).simd_totals(values, sums, maxima, threads=size, group_size=64)
    mc.synchronize()
    np.testing.assert_allclose(
        sums, np.add.reduceat(values.astype(np.float64), starts), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_array_equal(maxima, np.maximum.reduceat(values, starts))


TEMPLATES = (
    HEADER
    + """
constant int offset [[function_constant(0)]];
constant bool negate [[function_constant(1)]];

template <typename T>
kernel void shifted(device const T *in, device T *out, uint i [[thread_position_in_grid]]) {
  T value = in[i] + T(offset);
  out[i] = negate ? -value : value;
}

template [[host_name("shifted_half")]] kernel void shifted<half>(device const half *, device half *,
                                                                 uint);
template [[host_name("shifted_int4")]] kernel void shifted<int4>(device const int4 *, device int4 *,
                                                                 uint);
"""
)


@pytest.mark.parametrize("negate", [False, True])
def test_templates_with_function_constants(rng: np.random.Generator, negate: bool) -> None:
    library = mc.compile(TEMPLATES)
    sign = -1 if negate else 1
    constants = {"offset": 3, "negate": negate}

    halves = rng.integers(-100, 100, 77).astype(np.float16)
    half_out = np.zeros_like(halves)
    library["shifted_half"](halves, half_out, threads=halves.size, constants=constants)
    vectors = rng.integers(-100, 100, (19, 4), np.int32)
    vector_out = np.zeros_like(vectors)
    library["shifted_int4"](vectors, vector_out, threads=len(vectors), constants=constants)
    mc.synchronize()
    np.testing.assert_array_equal(half_out, sign * (halves + np.float16(3)))
    np.testing.assert_array_equal(vector_out, sign * (vectors + 3))


def test_three_dimensional_grid_with_ragged_edges() -> None:
    source = (
        HEADER
        + """
kernel void position(device uint *out, uint3 p [[thread_position_in_grid]],
                     uint3 size [[threads_per_grid]]) {
  out[(p.z * size.y + p.y) * size.x + p.x] = p.x | p.y << 8 | p.z << 16;
}
"""
    )
    width, height, depth = 13, 7, 5
    out = np.zeros((depth, height, width), np.uint32)
    mc.compile(source).position(out, threads=(width, height, depth), group_size=(4, 4, 2))
    mc.synchronize()
    z, y, x = np.indices(out.shape, np.uint32)
    np.testing.assert_array_equal(out, x | y << np.uint32(8) | z << np.uint32(16))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_integer_division_never_ends_the_process(dtype: str) -> None:
    """MSL leaves division by zero, and of the least number by -1, undefined; the rest is exact."""
    types = {"int8": "char", "int16": "short", "int32": "int", "int64": "long"}
    types |= {"uint8": "uchar", "uint32": "uint", "uint64": "ulong"}
    source = f"""
#include <metal_stdlib>
kernel void divide(device const {types[dtype]} *a, device const {types[dtype]} *b,
                   device {types[dtype]} *quotient, device {types[dtype]} *remainder,
                   uint i [[thread_position_in_grid]]) {{
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
}}"""
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.min + 1, 0, 1, 7, info.max, info.max - 1], dtype)
    divisors = np.array([0, 1, 3, info.max, info.min] + [-1, -4] * (info.min < 0), dtype)
    a, b = (x.ravel().copy() for x in np.meshgrid(edges, divisors))
    quotient, remainder = mc.zeros(a.size, dtype=dtype), mc.zeros(a.size, dtype=dtype)
    mc.compile(source).divide(mc.asarray(a), mc.asarray(b), quotient, remainder, threads=a.size)
    defined = (b != 0) & ~((a == info.min) & (b == -1) & (info.min < 0))
    # Python's whole numbers do not overflow.
    expected = abs(a.astype(object)) // (abs(b.astype(object)) + (b == 0))
    signs = np.where((a < 0) != (b < 0), -1, 1)
    for i in np.flatnonzero(defined):
        assert int(np.asarray(quotient)[i]) == expected[i] * int(signs[i])
        assert int(np.asarray(remainder)[i]) == int(a[i]) - int(b[i]) * expected[i] * int(signs[i])
