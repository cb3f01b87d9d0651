"""What a kernel call takes: arrays, NumPy arrays, numbers, vectors, structures, grids."""

from __future__ import annotations

import ctypes
import mmap

import ml_dtypes
import numpy as np
import pytest

import metalcore as mc

SOURCE = """
#include <metal_stdlib>
using namespace metal;

struct Pair {
  int first;
  float second;
};

kernel void shift(device const float *x, device float *y, constant float &by,
                  uint i [[thread_position_in_grid]]) {
  y[i] = x[i] + by;
}

kernel void difference(device const float *x, device const float *y, device float *out,
                       uint i [[thread_position_in_grid]]) {
  out[i] = x[i] - y[i];
}

kernel void scale_vectors(device float4 *x, constant float4 &by,
                          uint i [[thread_position_in_grid]]) {
  x[i] *= by;
}

kernel void lengths(device const float3 *x, device const packed_float3 *y, device float *out,
                    uint i [[thread_position_in_grid]]) {
  out[i] = length(x[i]) + length(float3(y[i]));
}

kernel void pairs(device const Pair *x, device Pair *y, constant Pair &by,
                  uint i [[thread_position_in_grid]]) {
  y[i].first = x[i].first + by.first;
  y[i].second = x[i].second * by.second;
}

kernel void magnitudes(device const float2 *x, device float *out,
                       uint i [[thread_position_in_grid]]) {
  out[i] = length(x[i]);
}

kernel void count_bytes(device const char *x, device atomic_uint *sum,
                        uint i [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(sum, uint(uchar(x[i])), memory_order_relaxed);
}

kernel void doubled(device const bfloat *x, device bfloat *y,
                    uint i [[thread_position_in_grid]]) {
  y[i] = bfloat(float(x[i]) * 2.0f);
}

kernel void numbers(device long *out, constant bool &a, constant char &b, constant ushort &c,
                    constant int &d, constant ulong &e, constant half &f) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = long(e);
  out[5] = long(float(f) * 4);
}

kernel void positions(device uint *out, uint3 p [[thread_position_in_grid]],
                      uint3 size [[threads_per_grid]]) {
  out[(p.z * size.y + p.y) * size.x + p.x] = p.x + 10 * p.y + 100 * p.z;
}

kernel void reverse(device int *x, threadgroup int *scratch, threadgroup int *more,
                    uint t [[thread_index_in_threadgroup]],
                    uint size [[threads_per_threadgroup]]) {
  scratch[t] = x[t];
  more[t] = 1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[t] = scratch[size - 1 - t] + more[size - 1 - t];
}
"""


@pytest.fixture(scope="module")
def library() -> mc.Library:
    return mc.compile(SOURCE)


def test_names(library: mc.Library) -> None:
    assert library.kernel_names[:3] == ["shift", "difference", "scale_vectors"]
    assert "shift" in library
    assert "shif" not in library
    assert {"shift", "kernel_names"} <= set(dir(library))
    assert library.shift is library["shift"]
    assert library.shift.name == "shift"
    assert library.shift.prepare().max_total_threads_per_threadgroup > 0
    assert library.warnings == ""


def test_arrays(library: mc.Library) -> None:
    x, y = mc.arange(1001, dtype="float32"), mc.zeros(1001)
    library.shift(x, y, 0.5, threads=1001)
    np.testing.assert_array_equal(np.asarray(y), np.arange(1001) + 0.5)


def test_reading_from_views(library: mc.Library) -> None:
    x, y = mc.arange(100, dtype="float32"), mc.zeros(50)
    library.shift(x[::-2], y, 1, threads=50)
    np.testing.assert_array_equal(np.asarray(y), np.arange(100)[::-2] + 1)
    library.shift(x[10:60], y[5:], 0, threads=45)
    np.testing.assert_array_equal(np.asarray(y)[5:], np.arange(10, 55))


def test_numpy_arrays_hold_the_result_at_once(library: mc.Library) -> None:
    x = np.arange(1001, dtype=np.float32)
    y = np.zeros_like(x)
    library.shift(x, y, 2, threads=1001)
    np.testing.assert_array_equal(y, x + 2)
    # What is only read need not be contiguous.
    library.shift(x[::-1], y, 0, threads=1001)
    np.testing.assert_array_equal(y, x[::-1])


def test_page_aligned_numpy_arrays(library: mc.Library) -> None:
    y = np.frombuffer(mmap.mmap(-1, 4004), np.float32)
    library.shift(np.ones(1001, np.float32), y, 2, threads=1001)
    assert (y == 3).all()


def test_one_numpy_array_as_two_arguments(library: mc.Library) -> None:
    x = np.arange(101, dtype=np.float32)
    library.shift(x, x, 1, threads=101)
    np.testing.assert_array_equal(x, np.arange(101) + 1)


def test_what_is_read_is_copied_at_the_call(library: mc.Library) -> None:
    x, y = np.ones(1_000_003, np.float32), mc.zeros(1_000_003)
    library.shift(x, y, 0, threads=x.size)
    x[:] = 7
    assert y.sum().item() == x.size


def test_vectors(library: mc.Library, rng: np.random.Generator) -> None:
    x = rng.random((37, 4), np.float32)
    for by in ((1, 2, 3, 4), [1.0, 2, 3, 4], np.array([1, 2, 3, 4], np.float32)):
        y = mc.asarray(x, copy=True)
        library.scale_vectors(y, by, threads=37)
        np.testing.assert_array_equal(np.asarray(y), x * np.array([1, 2, 3, 4], np.float32))
    with pytest.raises(ValueError, match=r"is a float4 of 4 numbers; 3 were given"):
        library.scale_vectors(mc.asarray(x), (1, 2, 3), threads=37)
    with pytest.raises(ValueError, match=r"takes 4 float32 along the last axis"):
        library.scale_vectors(mc.zeros((4, 37)), (1, 2, 3, 4), threads=37)


def test_vectors_of_three_take_what_metal_gives_them(library: mc.Library) -> None:
    out = np.zeros(5, np.float32)
    padded, packed = np.ones((5, 4), np.float32), np.full((5, 3), 2, np.float32)
    library.lengths(padded, packed, out, threads=5)
    np.testing.assert_allclose(out, np.sqrt(3) + np.sqrt(12), rtol=1e-6)
    with pytest.raises(ValueError, match=r'"x" .* takes 4 float32 along the last axis'):
        library.lengths(packed, packed, out, threads=5)
    with pytest.raises(ValueError, match=r'"y" .* takes 3 float32 along the last axis'):
        library.lengths(padded, padded, out, threads=5)


def test_complex_numbers_are_pairs(library: mc.Library) -> None:
    x = np.array([3 + 4j, 5 - 12j], np.complex64)
    out = mc.zeros(2)
    library.magnitudes(x, out, threads=2)
    library.magnitudes(mc.asarray(x), out, threads=2)
    assert out.tolist() == [5.0, 13.0]


def test_structures(library: mc.Library) -> None:
    pair = np.dtype([("first", "i4"), ("second", "f4")])
    x = np.array([(1, 2.0), (3, 4.0)], pair)
    y = np.zeros_like(x)

    class Pair(ctypes.Structure):
        _fields_ = (("first", ctypes.c_int), ("second", ctypes.c_float))

    by = np.array((10, 0.5), pair)
    for value in (by, by[()], by.tobytes(), Pair(10, 0.5), bytearray(by.tobytes())):
        y[:] = (0, 0)
        library.pairs(x, y, value, threads=2)
        assert y.tolist() == [(11, 1.0), (13, 2.0)]
    with pytest.raises(ValueError, match=r"is a struct of 8 bytes; 7 were given"):
        library.pairs(x, y, bytes(7), threads=2)
    with pytest.raises(TypeError, match=r"is a struct: pass bytes or a NumPy scalar of 8 bytes"):
        library.pairs(x, y, 1, threads=2)
    with pytest.raises(ValueError, match=r"has elements of 8 bytes"):
        library.pairs(np.zeros(2, [("a", "i8"), ("b", "i8")]), y, by, threads=2)


def test_raw_bytes_and_atomics(library: mc.Library) -> None:
    data = np.arange(9, dtype=np.float32)
    for x in (data, mc.asarray(data), data.tobytes(), bytes(10_000)):
        total = mc.zeros(1, dtype="uint32")
        library.count_bytes(x, total, threads=36)
        expected = sum(data.tobytes()) if len(x) in (9, 36) else 0
        assert total.item() == expected


def test_bfloat(library: mc.Library) -> None:
    x = np.arange(11).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    library.doubled(x, y, threads=11)
    np.testing.assert_array_equal(y.astype(np.float32), 2 * np.arange(11))


NUMBERS = {
    "a": (True, 1),
    "b": (-128, -128),
    "c": (65535, 65535),
    "d": (-(1 << 31), -(1 << 31)),
    "e": ((1 << 63) - 1, (1 << 63) - 1),
    "f": (0.25, 1),
}


def test_numbers_become_the_type_of_the_argument(library: mc.Library) -> None:
    out = np.zeros(6, np.int64)
    values = [value for value, _ in NUMBERS.values()]
    expected = [result for _, result in NUMBERS.values()]
    library.numbers(out, *values, threads=1)
    assert out.tolist() == expected
    out[:] = 0
    library.numbers(out, np.bool_(True), *map(np.int64, values[1:-1]), np.float32(0.25), threads=1)
    assert out.tolist() == expected


@pytest.mark.parametrize(
    ("position", "value", "error"),
    [
        (0, 2, TypeError),
        (1, 128, OverflowError),
        (2, -1, OverflowError),
        (3, 1.0, TypeError),
        (4, 1 << 64, OverflowError),
        (5, 1j, TypeError),
        (5, None, TypeError),
        (5, "1", TypeError),
    ],
)
def test_numbers_that_do_not_fit(
    library: mc.Library, position: int, value: object, error: type[Exception]
) -> None:
    values: list[object] = [value for value, _ in NUMBERS.values()]
    values[position] = value
    with pytest.raises(error, match=r'^Argument "[a-f]" of kernel "numbers" '):
        library.numbers(mc.zeros(6, dtype="int64"), *values, threads=1)


def test_one_value_for_an_array(library: mc.Library) -> None:
    with pytest.raises(TypeError, match=r'"x" .* is an array of float, not one value'):
        library.shift(1.0, mc.zeros(1), 0, threads=1)


@pytest.mark.parametrize("group_size", [None, 3, (2, 2), (3, 1, 2), [4, 4, 4]])
def test_grids(library: mc.Library, group_size: object) -> None:
    out = mc.zeros((3, 5, 7), dtype="uint32")
    library.positions(out, threads=(7, 5, 3), group_size=group_size)
    z, y, x = np.indices((3, 5, 7))
    np.testing.assert_array_equal(np.asarray(out), x + 10 * y + 100 * z)


def test_groups(library: mc.Library) -> None:
    out = mc.zeros((4, 6), dtype="uint32")
    library.positions(out, groups=(3, 2), group_size=(2, 2))
    y, x = np.indices((4, 6))
    np.testing.assert_array_equal(np.asarray(out), x + 10 * y)


@pytest.mark.parametrize("threads", [0, (0, 3), (4, 0, 2)])
def test_no_threads(library: mc.Library, threads: object) -> None:
    out = mc.full(8, 9, dtype="uint32")
    library.positions(out, threads=threads)
    assert out.tolist() == [9] * 8


@pytest.mark.parametrize("threads", [1.5, "3", (1, 2, 3, 4), (), None.__class__, True, (1, 2.0)])
def test_grids_of_other_types(library: mc.Library, threads: object) -> None:
    with pytest.raises(TypeError):
        library.positions(mc.zeros(8, dtype="uint32"), threads=threads)


def test_threadgroup_memory(library: mc.Library) -> None:
    x = mc.arange(8, dtype="int32")
    library.reverse(x, threads=8, group_size=8, threadgroup_memory=[32, np.int64(32)])
    assert x.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]
    for lengths in (None, 32, [32], [32, 32, 32]):
        with pytest.raises(TypeError, match="takes 2 lengths of threadgroup memory"):
            library.reverse(x, threads=8, threadgroup_memory=lengths)
    with pytest.raises(ValueError, match="is not positive"):
        library.reverse(x, threads=8, threadgroup_memory=[32, 0])


def test_constants_of_different_types() -> None:
    library = mc.compile(
        "constant int a [[function_constant(0)]];\n"
        "constant float b [[function_constant(1)]];\n"
        "constant bool c [[function_constant(2)]];\n"
        "kernel void f(device float *x) { *x = c ? a + b : -1; }"
    )
    x = mc.zeros(1)
    for a, b, c, expected in ((1, 0.5, True, 1.5), (np.int8(2), 1, 1, 3), (1, 1.0, False, -1)):
        library.f(x, threads=1, constants={"a": a, "b": b, "c": bool(c)})
        assert x.item() == expected
    with pytest.raises(TypeError, match='Function constant "a" must be a bool, int or float'):
        library.f(x, threads=1, constants={"a": "1", "b": 1.0, "c": True})


def test_many_kernels_are_not_all_named() -> None:
    names = [f"kernel_{letter}" for letter in "abcdefghijkl"]
    library = mc.compile("\n".join(f"kernel void {n}(device int *x) {{ *x = 1; }}" for n in names))
    with pytest.raises(KeyError, match=r"among its 12; near it are: kernel_"):
        library["kernel_z"]
    assert "12 in all" in repr(library)


def test_macros_and_math_mode() -> None:
    source = "kernel void f(device float *x) { *x = VALUE; }"
    x = mc.zeros(1)
    for value, expected in (("1 + 1", 2), (3, 3), (0.5, 0.5), (True, 1)):
        mc.compile(source, macros={"VALUE": value}, math_mode="fast").f(x, threads=1)
        assert x.item() == expected
    with pytest.raises(ValueError, match='math_mode must be "safe", "relaxed" or "fast"'):
        mc.compile(source, math_mode="slow")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="source must be a str"):
        mc.compile(source.encode())  # type: ignore[arg-type]


def test_warnings_of_the_compiler() -> None:
    library = mc.compile("kernel void f(device int *x) { int unused; \n#warning mind this\n }")
    assert "mind this" in library.warnings


def test_copies_of_two_views_are_kept_apart(library: mc.Library) -> None:
    """Both are copied to be contiguous; the second copy must not be taken for the first."""
    x, y = np.arange(4000, dtype=np.float32).reshape(2, 2000)
    for _ in range(20):
        out = np.zeros(1000, np.float32)
        library.difference(y[::2], x[::2], out, threads=1000)
        assert (out == 2000).all()
