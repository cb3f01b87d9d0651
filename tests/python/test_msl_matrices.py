"""Matrices of float and half, all nine shapes, against NumPy: of whole numbers, so all is exact."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

DTYPES = {"float": np.dtype(np.float32), "half": np.dtype(np.float16)}
SHAPES = list(itertools.product((2, 3, 4), repeat=2))  # columns, rows
COUNT = 37

# Arrays of matrices, whose last two axes are columns and rows: what lies in memory.
Matrices = NDArray[np.int64]


def columns_and_rows(m: Matrices) -> Matrices:
    """Rows and columns, as NumPy multiplies; and back."""
    return m.swapaxes(-1, -2)


def product(a: Matrices, b: Matrices) -> Matrices:
    return columns_and_rows(columns_and_rows(a) @ columns_and_rows(b))


# What each statement makes of the matrices a and b, the vectors c (one element for each column) and
# r (for each row) and the number s: the type of the result, and its value.
OPERATIONS: dict[str, tuple[str, Callable[..., Matrices]]] = {
    "a + b": ("M", lambda a, b, c, r, s: a + b),
    "a - b": ("M", lambda a, b, c, r, s: a - b),
    "-a": ("M", lambda a, b, c, r, s: -a),
    "a * s": ("M", lambda a, b, c, r, s: a * s[:, None, None]),
    "s * a": ("M", lambda a, b, c, r, s: a * s[:, None, None]),
    "a * T(8) / T(4)": ("M", lambda a, b, c, r, s: 2 * a),
    "a * c": ("R", lambda a, b, c, r, s: (a * c[:, :, None]).sum(axis=1)),
    "r * a": ("C", lambda a, b, c, r, s: (a * r[:, None, :]).sum(axis=2)),
    "transpose(a)": ("N", lambda a, b, c, r, s: columns_and_rows(a)),
    "a * transpose(b)": ("Q", lambda a, b, c, r, s: product(a, columns_and_rows(b))),
    "added(a, b)": ("M", lambda a, b, c, r, s: a + b),
    "taken(a, b)": ("M", lambda a, b, c, r, s: a - b),
    "scaled(a, s)": ("M", lambda a, b, c, r, s: a * s[:, None, None]),
    "rebuilt(a)": ("M", lambda a, b, c, r, s: a),
    "M(a[0][0])": ("M", lambda a, b, c, r, s: a[:, :1, :1] * np.eye(*a.shape[1:], dtype=int)),
    "M(matrix<O, COLUMNS, ROWS>(a))": ("M", lambda a, b, c, r, s: a),
    "short2(a == b, a != b)": ("short2", lambda a, b, c, r, s: equality(a, b)),
}
OF_SQUARES: dict[str, tuple[str, Callable[..., Matrices]]] = {
    "determinant(a)": ("T", lambda a, b, c, r, s: np.rint(np.linalg.det(a))),
    "a * b": ("M", lambda a, b, c, r, s: product(a, b)),
    "multiplied(a, b)": ("M", lambda a, b, c, r, s: product(a, b)),
}
HELPERS = """
METAL_FUNC M added(M a, M b) { a += b; return a; }
METAL_FUNC M taken(M a, M b) { a -= b; return a; }
METAL_FUNC M scaled(M a, T s) { a *= T(2) * s; a /= T(2); return a; }
METAL_FUNC M rebuilt(M a) { return M(ELEMENTS); }
"""


def equality(a: Matrices, b: Matrices) -> Matrices:
    same = (a == b).all(axis=(1, 2))
    return np.stack([same, ~same], axis=1)


def source(type: str, columns: int, rows: int, operations: dict) -> str:
    other = "half" if type == "float" else "float"
    names = {
        "M": f"{type}{columns}x{rows}",
        "N": f"{type}{rows}x{columns}",
        "Q": f"{type}{rows}x{rows}",
        "C": f"{type}{columns}",
        "R": f"{type}{rows}",
        "T": type,
        "O": other,
    }
    text = HEADER + "".join(f"typedef {value} {name};\n" for name, value in names.items())
    text += f"constant int COLUMNS = {columns}, ROWS = {rows};\n"
    elements = [f"a[{c}][{r}]" for c in range(columns) for r in range(rows)]
    text += HELPERS.replace("ELEMENTS", ", ".join(elements))
    if columns == rows:
        text += "METAL_FUNC M multiplied(M a, M b) { a *= b; return a; }\n"
    for number, (call, (result, _)) in enumerate(operations.items()):
        text += f"""
kernel void f{number}(device const M *a_, device const M *b_, device const C *c_,
                      device const R *r_, device const T *s_, device {result} *out,
                      uint i [[thread_position_in_grid]]) {{
  const M a = a_[i], b = b_[i];
  const C c = c_[i];
  const R r = r_[i];
  const T s = s_[i];
  out[i] = {call};
}}
"""
    return text


def in_memory(values: NDArray, dtype: np.dtype) -> NDArray:
    """Vectors of three take the place of four."""
    if values.ndim > 1 and values.shape[-1] == 3:
        values = np.concatenate([values, np.zeros_like(values[..., :1])], axis=-1)
    return np.ascontiguousarray(values.astype(dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
@pytest.mark.parametrize("type", DTYPES)
def test_operations(type: str, shape: tuple[int, int], rng: np.random.Generator) -> None:
    columns, rows = shape
    operations = {**OPERATIONS, **(OF_SQUARES if columns == rows else {})}
    library = mc.compile(source(type, columns, rows, operations))
    a, b = rng.integers(-3, 4, (2, COUNT, columns, rows))
    b[::3] = a[::3]
    c, r = rng.integers(-3, 4, (COUNT, columns)), rng.integers(-3, 4, (COUNT, rows))
    s = rng.integers(-3, 4, COUNT)
    inputs = [mc.asarray(in_memory(values, DTYPES[type])) for values in (a, b, c, r, s)]
    for number, (call, (result, reference)) in enumerate(operations.items()):
        expected = reference(a, b, c, r, s)
        dtype = np.dtype(np.int16) if result == "short2" else DTYPES[type]
        shape_in_memory = in_memory(expected, dtype).shape
        out = mc.zeros(shape_in_memory, dtype=dtype.name)
        library[f"f{number}"](*inputs, out, threads=COUNT)
        got = np.asarray(out)[..., : expected.shape[-1]] if expected.ndim > 1 else np.asarray(out)
        np.testing.assert_array_equal(got, expected.astype(dtype), err_msg=call)
