"""Matrices of simdgroups: where their elements lie, in lanes and in memory, and products."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

DTYPES = {
    "float": np.dtype(np.float32),
    "half": np.dtype(np.float16),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
}
SIZE = 8
SIMDGROUPS = 3
LANES = 32 * SIMDGROUPS


def lane_of(row: int, column: int) -> tuple[int, int]:
    """The lane that holds an element, and its number there, as kernels (MLX) rely on."""
    for lane, element in itertools.product(range(32), range(2)):
        quad = lane // 4
        place = (quad & 4) + lane // 2 % 4, (quad & 2) * 2 + lane % 2 * 2 + element
        if place == (row, column):
            return lane, element
    raise AssertionError


def whole_numbers(shape: tuple[int, ...], type: str, random: np.random.Generator) -> NDArray:
    """Such that products of matrices are exact in every type."""
    return random.integers(-3, 4, shape).astype(DTYPES[type])


@pytest.mark.parametrize("type", DTYPES)
def test_elements_of_lanes(rng: np.random.Generator, type: str) -> None:
    library = mc.compile(
        f"""{HEADER}
kernel void loaded(device const {type} *x, device {type} *lanes,
                   uint lane [[thread_index_in_simdgroup]]) {{
  simdgroup_matrix<{type}, 8, 8> m;
  simdgroup_load(m, x);
  lanes[2 * lane] = m.thread_elements()[0];
  lanes[2 * lane + 1] = m.thread_elements()[1];
}}
kernel void stored(device const {type} *lanes, device {type} *x,
                   uint lane [[thread_index_in_simdgroup]]) {{
  simdgroup_matrix<{type}, 8, 8> m;
  m.thread_elements() = vec<{type}, 2>(lanes[2 * lane], lanes[2 * lane + 1]);
  simdgroup_store(m, x);
}}
"""
    )
    matrix = whole_numbers((SIZE, SIZE), type, rng)
    expected = np.zeros((32, 2), DTYPES[type])
    for row, column in np.ndindex(SIZE, SIZE):
        expected[lane_of(row, column)] = matrix[row, column]
    lanes = mc.zeros((32, 2), dtype=DTYPES[type].name)
    library.loaded(mc.asarray(matrix), lanes, threads=32, group_size=32)
    np.testing.assert_array_equal(np.asarray(lanes), expected)
    out = mc.zeros((SIZE, SIZE), dtype=DTYPES[type].name)
    library.stored(lanes, out, threads=32, group_size=32)
    np.testing.assert_array_equal(np.asarray(out), matrix)


MEMORY = """
kernel void f(device const T *x, device T *y, constant ulong &stride, constant ulong2 &origin,
              threadgroup T *local, uint t [[thread_index_in_threadgroup]],
              uint size [[threads_per_threadgroup]],
              uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  for (uint k = t; k < COUNT; k += size)
    local[k] = KEEPS_LOCAL ? y[k] : x[k];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  // One simdgroup of three, in a branch and a loop.
  if (simdgroup == 1)
    for (uint turn = 0; turn < 2; ++turn) {
      simdgroup_matrix<T, 8, 8> m;
      LOAD;
      STORE;
    }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (KEEPS_LOCAL)
    for (uint k = t; k < COUNT; k += size)
      y[k] = local[k];
}
"""


@pytest.mark.parametrize("space", ["device", "threadgroup"])
@pytest.mark.parametrize("type", DTYPES)
def test_loads_and_stores(rng: np.random.Generator, type: str, space: str) -> None:
    """A window of a larger matrix in memory, as it is and transposed."""
    rows, stride = 23, 21
    for transpose in (False, True):
        where = f"stride, origin, {str(transpose).lower()}"
        for is_store in (False, True):
            load = "simdgroup_load(m, x)" if is_store else f"simdgroup_load(m, SOURCE, {where})"
            store = f"simdgroup_store(m, TARGET, {where})" if is_store else "simdgroup_store(m, y)"
            text = MEMORY.replace("LOAD", load).replace("STORE", store)
            for name, value in (
                ("SOURCE", "local" if space == "threadgroup" else "x"),
                ("TARGET", "local" if space == "threadgroup" else "y"),
                ("KEEPS_LOCAL", str(is_store and space == "threadgroup").lower()),
                ("COUNT", str(rows * stride)),
            ):
                text = text.replace(name, value)
            kernel = mc.compile(f"{HEADER}typedef {type} T;\n{text}").f
            column, row = (int(n) for n in rng.integers(0, 13, 2))
            x = whole_numbers((rows, stride), type, rng)
            y = mc.zeros((rows, stride), dtype=DTYPES[type].name)
            kernel(
                mc.asarray(x),
                y,
                stride,
                (column, row),
                threads=LANES,
                group_size=LANES,
                threadgroup_memory=[rows * stride * DTYPES[type].itemsize],
            )
            got = np.asarray(y)
            expected = np.zeros_like(x)
            if is_store:
                window = x.ravel()[:64].reshape(SIZE, SIZE)
                expected[row : row + SIZE, column : column + SIZE] = (
                    window.T if transpose else window
                )
            else:
                window = x[row : row + SIZE, column : column + SIZE]
                expected.ravel()[:64] = (window.T if transpose else window).ravel()
            np.testing.assert_array_equal(
                got, expected, err_msg=f"store {is_store}, transposed {transpose}, {row}, {column}"
            )


PRODUCTS = """
kernel void {a}_{b}_{c}(device const {a} *x, device const {b} *y, device const {c} *z,
                        device {c} *out, uint simdgroup [[simdgroup_index_in_threadgroup]]) {{
  simdgroup_matrix<{a}, 8, 8> a;
  simdgroup_matrix<{b}, 8, 8> b;
  simdgroup_matrix<{c}, 8, 8> c, d;
  simdgroup_load(a, x + 64 * simdgroup);
  simdgroup_load(b, y + 64 * simdgroup);
  simdgroup_load(c, z + 64 * simdgroup);
  if (simdgroup == 1)
    simdgroup_multiply(d, a, b);
  else
    for (uint turn = 0; turn <= simdgroup; ++turn) {{
      simdgroup_multiply_accumulate(d, a, b, c);
      c = d;
    }}
  simdgroup_store(d, out + 64 * simdgroup);
}}
"""


def test_products_of_all_types(rng: np.random.Generator) -> None:
    """The simdgroups of a threadgroup multiply once, add twice, or add three times."""
    names = list(itertools.product(DTYPES, repeat=3))
    library = mc.compile(HEADER + "".join(PRODUCTS.format(a=a, b=b, c=c) for a, b, c in names))
    shape = (SIMDGROUPS, SIZE, SIZE)
    for a, b, c in names:
        x, y, z = (whole_numbers(shape, type, rng) for type in (a, b, c))
        # bfloat holds whole numbers up to 256; three products of eight may come to 219.
        out = mc.zeros(shape, dtype=DTYPES[c].name)
        library[f"{a}_{b}_{c}"](
            *(mc.asarray(value) for value in (x, y, z)), out, threads=LANES, group_size=LANES
        )
        product = x.astype(np.int64) @ y.astype(np.int64)
        start = z.astype(np.int64)
        expected = [start[0] + product[0], product[1], start[2] + 3 * product[2]]
        np.testing.assert_array_equal(
            np.asarray(out).astype(np.int64), expected, err_msg=f"{a} x {b} + {c}"
        )


@pytest.mark.parametrize("type", DTYPES)
def test_made_matrices_and_the_operator(rng: np.random.Generator, type: str) -> None:
    kernel = mc.compile(
        f"""{HEADER}
kernel void f(device const {type} *x, constant {type} &value, device {type} *out) {{
  simdgroup_matrix<{type}, 8, 8> a;
  simdgroup_load(a, x);
  simdgroup_store(make_filled_simdgroup_matrix<{type}, 8, 8>(value), out);
  simdgroup_store(simdgroup_matrix<{type}, 8, 8>(value), out + 64);
  simdgroup_store(a * simdgroup_matrix<{type}, 8, 8>(value), out + 128);
  simdgroup_{type}8x8 filled = make_filled_simdgroup_matrix<{type}, 8>({type}(1));
  simdgroup_store(filled * a, out + 192);
  simdgroup_store(make_diagonal_simdgroup_matrix<{type}, 8>(value), out + 256);
}}
"""
    ).f
    x = whole_numbers((SIZE, SIZE), type, rng)
    out = mc.zeros((5, SIZE, SIZE), dtype=DTYPES[type].name)
    kernel(mc.asarray(x), 2.0, out, threads=32, group_size=32)
    wide = x.astype(np.int64)
    eye, ones = np.eye(SIZE, dtype=np.int64), np.ones((SIZE, SIZE), np.int64)
    np.testing.assert_array_equal(
        np.asarray(out).astype(np.int64), [2 * ones, 2 * eye, 2 * wide, ones @ wide, 2 * eye]
    )
