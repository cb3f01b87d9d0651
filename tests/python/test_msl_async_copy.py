"""Copies that a simdgroup makes between device and threadgroup memory, as metal-flash-attention
declares them, and its own way to multiply matrices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

DECLARATIONS = """
struct _simdgroup_event_t;
#define EVENT thread _simdgroup_event_t *
EVENT copy_1d(ulong size, ulong alignment, threadgroup void *, const device void *, ulong count)
    __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");
EVENT copy_1d(ulong size, ulong alignment, device void *, const threadgroup void *, ulong count)
    __asm("air.simdgroup_async_copy_1d.p1i8.p3i8");
EVENT copy_2d(ulong size, ulong alignment, threadgroup void *, ulong row, ulong step, ulong2 tile,
              const device void *, ulong from_row, ulong from_step, ulong2 from_tile, long2 offset,
              int clamp) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
EVENT copy_2d(ulong size, ulong alignment, device void *, ulong row, ulong step, ulong2 tile,
              const threadgroup void *, ulong from_row, ulong from_step, ulong2 from_tile,
              long2 offset, int clamp) __asm("air.simdgroup_async_copy_2d.p1i8.p3i8");
void wait_for(int count, thread _simdgroup_event_t **) __asm("air.wait_simdgroup_events");
"""
SIZE = 4096
TYPES = {"uchar": np.uint8, "half": np.float16, "uint": np.uint32, "float4": np.float32}
GROUP_SIZES = [64, 37, 7]


@pytest.mark.parametrize("group_size", GROUP_SIZES)
@pytest.mark.parametrize("type", TYPES)
def test_rows(rng: np.random.Generator, type: str, group_size: int) -> None:
    kernel = mc.compile(
        f"""{HEADER}{DECLARATIONS}
kernel void f(device const {type} *x, device {type} *y, constant ulong &count,
              threadgroup {type} *local, uint simdgroup [[simdgroup_index_in_threadgroup]]) {{
  if (simdgroup == 0) {{
    EVENT event = copy_1d(sizeof({type}), alignof({type}), local, x, count);
    wait_for(1, &event);
    event = copy_1d(sizeof({type}), alignof({type}), y, local, count);
    wait_for(1, &event);
  }}
}}
"""
    ).f
    width = 4 if type == "float4" else 1
    count = int(rng.integers(1, 300))
    x = rng.integers(0, 100, (300, width)).astype(TYPES[type])
    y = mc.zeros(x.shape, dtype=x.dtype.name)
    kernel(
        mc.asarray(x),
        y,
        count,
        threads=group_size,
        group_size=group_size,
        threadgroup_memory=[300 * width * x.itemsize],
    )
    x[count:] = 0
    np.testing.assert_array_equal(np.asarray(y), x)


def tile(
    source: NDArray,
    size: tuple[int, int],
    tile_size: tuple[int, int],
    offset: tuple[int, int],
    clamps_to_edge: bool,
) -> NDArray:
    """That many rows and columns of a tile at the source's corner."""
    result = np.zeros(size, source.dtype)
    for row, column in np.ndindex(*size):
        y, x = row + offset[0], column + offset[1]
        if clamps_to_edge:
            y, x = (min(max(n, 0), end - 1) for n, end in zip((y, x), tile_size, strict=True))
        if 0 <= y < tile_size[0] and 0 <= x < tile_size[1]:
            result[row, column] = source[y, x]
    return result


@pytest.mark.parametrize("group_size", GROUP_SIZES)
@pytest.mark.parametrize("type", ["uchar", "half", "uint"])
def test_tiles(rng: np.random.Generator, type: str, group_size: int) -> None:
    """To threadgroup memory with an edge, in a branch of some lanes, and back as a whole."""
    kernel = mc.compile(
        f"""{HEADER}{DECLARATIONS}
kernel void f(device const {type} *x, device {type} *y, constant ulong2 &tile,
              constant ulong2 &from_tile, constant long2 &offset, constant int &clamp,
              constant uint &lanes, threadgroup {type} *local,
              uint lane [[thread_index_in_simdgroup]],
              uint simdgroup [[simdgroup_index_in_threadgroup]]) {{
  if (simdgroup == 0 && lane < lanes) {{
    EVENT events[1];
    events[0] = copy_2d(sizeof({type}), alignof({type}), local, 40, 1, tile, x, 50, 1, from_tile,
                        offset, clamp);
    wait_for(1, events);
    events[0] = copy_2d(sizeof({type}), alignof({type}), y, 40, 1, tile, local, 40, 1, tile,
                        long2(0), 0);
    wait_for(1, events);
  }}
}}
"""
    ).f
    for clamp in (0, 1):
        size = tuple(int(n) for n in rng.integers(1, 30, 2))
        from_size = tuple(int(n) for n in rng.integers(1, 30, 2))
        offset = tuple(int(n) for n in rng.integers(-3, 4, 2))
        x = rng.integers(0, 100, (50, 50)).astype(TYPES[type])
        y = mc.zeros((40, 40), dtype=x.dtype.name)
        kernel(
            mc.asarray(x),
            y,
            size[::-1],
            from_size[::-1],
            offset[::-1],
            clamp,
            int(rng.integers(1, 33)),
            threads=group_size,
            group_size=group_size,
            threadgroup_memory=[40 * 40 * x.itemsize],
        )
        expected = np.zeros((40, 40), x.dtype)
        expected[: size[0], : size[1]] = tile(x, size, from_size, offset, clamp == 1)
        np.testing.assert_array_equal(
            np.asarray(y), expected, err_msg=f"{size} {from_size} {offset}"
        )


def test_products_of_whole_matrices(rng: np.random.Generator) -> None:
    """With the builtin below simdgroup_multiply_accumulate, on vectors of 64 elements."""
    kernel = mc.compile(
        f"""{HEADER}
template <typename T> struct storage {{
  typedef vec<T, 64> storage_type;
  storage_type t;
  METAL_FUNC thread vec<T, 2> *elements() thread {{
    return reinterpret_cast<thread vec<T, 2> *>(&t);
  }}
}};
kernel void f(device const half2 *x, device const float2 *y, device float2 *out,
              uint lane [[thread_index_in_simdgroup]]) {{
  storage<half> a;
  storage<float> b, c;
  *a.elements() = x[lane];
  *b.elements() = y[lane];
  *c.elements() = float2(0);
  c.t = __metal_simdgroup_matrix_8x8_multiply_accumulate(a.t, b.t, c.t,
                                                         typename storage<float>::storage_type());
  out[lane] = *c.elements();
}}
"""
    ).f
    x, y = (rng.integers(-3, 4, (8, 8)) for _ in range(2))
    # The elements of a lane: rows and columns of the places of a quad of lanes.
    lane = np.arange(32)
    quad = lane // 4
    rows = (quad & 4) + lane // 2 % 4
    columns = (quad & 2) * 2 + lane % 2 * 2
    place = rows[:, None], columns[:, None] + np.arange(2)
    out = mc.zeros((32, 2), dtype="float32")
    kernel(
        mc.asarray(x[place].astype(np.float16)),
        mc.asarray(y[place].astype(np.float32)),
        out,
        threads=32,
        group_size=32,
    )
    np.testing.assert_array_equal(np.asarray(out), (x @ y)[place])
