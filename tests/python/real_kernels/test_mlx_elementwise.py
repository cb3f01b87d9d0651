"""MLX's element-wise kernels: all operations, vectors of threads' own, strides, copies."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from mlx_kernels import EPSILON, TYPES, library, random, wide

Array = NDArray[np.generic]

COUNT = 1003  # no multiple of what a thread does
FLOATS = ("float", "half", "bfloat16_t")


class Unary(NamedTuple):
    """A function, the range of its arguments, and its error in units of the last place."""

    function: Callable[[Array], Array]
    low: float = -5.0
    high: float = 5.0
    limit: float = 4.0
    complex: bool = False


def erfinv(x: Array) -> Array:
    """By Newton's method."""
    y = np.zeros_like(x)
    for _ in range(60):
        y -= (np.vectorize(math.erf)(y) - x) * math.sqrt(math.pi) / 2 * np.exp(y * y)
    return y


UNARY = {
    "Abs": Unary(np.abs),
    "ArcCos": Unary(np.arccos, -1, 1),
    "ArcCosh": Unary(np.arccosh, 1.01, 9),
    "ArcSin": Unary(np.arcsin, -1, 1),
    "ArcSinh": Unary(np.arcsinh),
    "ArcTan": Unary(np.arctan, limit=6),
    "ArcTanh": Unary(np.arctanh, -0.95, 0.95),
    "Ceil": Unary(np.ceil),
    "Cos": Unary(np.cos, complex=True),
    "Cosh": Unary(np.cosh, complex=True),
    "Conjugate": Unary(np.conjugate, complex=True),
    "Erf": Unary(np.vectorize(math.erf)),
    "ErfInv": Unary(erfinv, -0.9, 0.9),
    "Exp": Unary(np.exp, complex=True),
    "Expm1": Unary(np.expm1, limit=120),  # the kernel's ln 2 has 19 bits
    "Floor": Unary(np.floor),
    "Log": Unary(np.log, 0.1, 9, complex=True),
    "Log2": Unary(np.log2, 0.1, 9),
    "Log10": Unary(np.log10, 0.1, 9),
    "Log1p": Unary(np.log1p, -0.9, 9),
    "Negative": Unary(np.negative, complex=True),
    "Round": Unary(np.rint),
    "Sigmoid": Unary(lambda x: 1 / (1 + np.exp(-x))),
    "Sign": Unary(np.sign),
    "Sin": Unary(np.sin, complex=True),
    "Sinh": Unary(np.sinh, complex=True),
    "Square": Unary(np.square, complex=True),
    "Sqrt": Unary(np.sqrt, 0, 9, complex=True),
    "Rsqrt": Unary(lambda x: 1 / np.sqrt(x), 0.01, 9),
    "Tan": Unary(np.tan, -1.4, 1.4, complex=True),
    "Tanh": Unary(np.tanh, complex=True),
}


def kinds_of(name: str) -> list[str]:
    """Float always; another type in turn; complex where MLX has it."""
    other = FLOATS[1 + list(UNARY).index(name) % 2]
    kinds = ["float", other] if name != "Conjugate" else []
    return [*kinds, *(["complex64_t"] if UNARY[name].complex else [])]


@functools.cache
def unary() -> mc.Library:
    return library(
        "unary_ops.h",
        "unary.h",
        kernels={
            f"{name}_{kind}": ("unary_v", kind, kind, name)
            for name in UNARY
            for kind in kinds_of(name)
        },
    )


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in UNARY for kind in kinds_of(name)]
)
def test_unary(name: str, kind: str, rng: np.random.Generator) -> None:
    operation, dtype = UNARY[name], TYPES[kind]
    x = rng.uniform(operation.low, operation.high, COUNT)
    if kind == "complex64_t":
        # Near the real axis MLX's formulas cancel.
        x = x + 1j * rng.uniform(0.5, 1, COUNT) * rng.choice([-1, 1], COUNT)
    x = x.astype(np.complex64 if kind == "complex64_t" else np.float32).astype(dtype)
    out = np.zeros(COUNT, dtype)
    width = 8 // dtype.itemsize
    unary()[f"{name}_{kind}"](x, out, COUNT, threads=-(-COUNT // width))
    expected = operation.function(wide(x))
    tolerance = (80 if kind == "complex64_t" else operation.limit) * EPSILON[kind]
    np.testing.assert_allclose(wide(out), expected, rtol=tolerance, atol=tolerance)


ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add,
    "Subtract": np.subtract,
    "Multiply": np.multiply,
    "Divide": np.divide,
    "Remainder": np.remainder,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Power": np.power,
    "LogAddExp": np.logaddexp,
    "ArcTan2": np.arctan2,
}
COMPARISONS = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
}
BITWISE = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "LeftShift": np.left_shift,
    "RightShift": np.right_shift,
    "Remainder": np.remainder,
}
SHAPES = ("ss", "sv", "vs", "vv")


@functools.cache
def binary() -> mc.Library:
    kernels: dict[str, tuple[object, ...]] = {}
    for i, name in enumerate(ARITHMETIC):
        for kind in FLOATS:
            shape = SHAPES[(i + FLOATS.index(kind)) % 4]
            kernels[f"{name}_{kind}"] = (f"binary_{shape}", kind, kind, name)
    for name in COMPARISONS:
        kernels[name] = ("binary_vv", "int16_t", "bool", name)
    for i, name in enumerate(BITWISE):
        kind = ("int32_t", "uint8_t", "int64_t")[i % 3]
        kernels[f"{name}_integer"] = ("binary_vv", kind, kind, name)
    kernels["general"] = ("binary_g", "float", "float", "Subtract", 2)
    kernels["three"] = ("binary_g_nd3", "half", "half", "Add")
    kernels["complex"] = ("binary_vv", "complex64_t", "complex64_t", "Multiply")
    return library("binary_ops.h", "binary.h", kernels=kernels)


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name: str, kind: str, rng: np.random.Generator) -> None:
    """One or both operands may be a single number."""
    dtype = TYPES[kind]
    shape = SHAPES[(list(ARITHMETIC).index(name) + FLOATS.index(kind)) % 4]
    x, y = (rng.uniform(0.5, 3, COUNT).astype(np.float32).astype(dtype) for _ in range(2))
    if name in ("Remainder", "Add", "Subtract", "ArcTan2"):
        y *= rng.choice([-1, 1], COUNT).astype(dtype)
    x, y = (a[:1] if s == "s" else a for a, s in zip((x, y), shape, strict=True))
    count = 1 if shape == "ss" else COUNT
    out = np.zeros(count, dtype)
    width = 8 // dtype.itemsize
    if shape == "ss":
        binary()[f"{name}_{kind}"](x, y, out, threads=1)
    else:
        binary()[f"{name}_{kind}"](x, y, out, count, threads=-(-count // width))
    expected = np.broadcast_to(ARITHMETIC[name](wide(x), wide(y)), count)
    error = np.abs(wide(out) - expected)
    if name == "Remainder":  # the other end of the period is as near
        error = np.minimum(error, np.abs(error - np.abs(wide(y))))
    np.testing.assert_array_less(error, 8 * EPSILON[kind] * (1 + np.abs(expected)))


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name: str, rng: np.random.Generator) -> None:
    x, y = (rng.integers(-3, 4, COUNT, np.int16) for _ in range(2))
    out = np.zeros(COUNT, np.bool_)
    binary()[name](x, y, out, COUNT, threads=-(-COUNT // 4))
    np.testing.assert_array_equal(out, COMPARISONS[name](x, y))


@pytest.mark.parametrize("name", BITWISE)
def test_integers(name: str, rng: np.random.Generator) -> None:
    kind = ("int32_t", "uint8_t", "int64_t")[list(BITWISE).index(name) % 3]
    dtype = TYPES[kind]
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, COUNT, dtype, endpoint=True)
    y = rng.integers(info.min, info.max, COUNT, dtype, endpoint=True)
    if "Shift" in name:
        y = rng.integers(0, 8 * dtype.itemsize, COUNT).astype(dtype)
    y[y == 0] = 1
    out = np.zeros(COUNT, dtype)
    binary()[f"{name}_integer"](x, y, out, COUNT, threads=-(-COUNT // (8 // dtype.itemsize)))
    np.testing.assert_array_equal(out, BITWISE[name](x, y))


def strides(array: Array) -> NDArray[np.int64]:
    """In elements."""
    return np.array(array.strides, np.int64) // array.itemsize


def test_strided_operands(rng: np.random.Generator) -> None:
    """Five axes, one operand transposed and one repeated; two elements a thread."""
    shape = (2, 3, 4, 5, 7)
    x_storage = rng.standard_normal((7, 3, 5, 4, 2)).astype(np.float32)
    x = x_storage.transpose(4, 1, 3, 2, 0)
    y_storage = rng.standard_normal((4, 1, 7)).astype(np.float32)
    y = np.broadcast_to(y_storage, shape)
    out = np.zeros(shape, np.float32)
    binary()["general"](
        x_storage,
        y_storage,
        out,
        np.array(shape, np.int32),
        strides(x),
        strides(y),
        len(shape),
        threads=(4, 5, 2 * 3 * 4),
    )
    np.testing.assert_allclose(out, x - y, rtol=1e-6)

    shape3 = (3, 4, 9)
    a, b = (rng.standard_normal(shape3[::-1]).astype(np.float16) for _ in range(2))
    halves = np.zeros(shape3, np.float16)
    binary()["three"](
        a, b, halves, strides(a.T), strides(b.T), threads=(shape3[2], shape3[1], shape3[0])
    )
    np.testing.assert_array_equal(halves, a.T + b.T)


def test_complex_product(rng: np.random.Generator) -> None:
    x, y = (random("complex64_t", COUNT, rng) for _ in range(2))
    out = np.zeros(COUNT, np.complex64)
    binary()["complex"](x, y, out, COUNT, threads=COUNT)
    np.testing.assert_allclose(wide(out), wide(x) * wide(y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["float", "bfloat16_t", "uint8_t", "complex64_t"])
def test_select(kind: str, rng: np.random.Generator) -> None:
    one_number = library(
        "ternary_ops.h",
        "ternary.h",
        kernels={"select": ("ternary_v", kind, "Select", "false", "true")},
    )
    which, x, y = random("bool", COUNT, rng), random(kind, COUNT, rng), random(kind, 1, rng)
    out = np.zeros(COUNT, TYPES[kind])
    width = 8 // x.itemsize
    one_number.select(which, x, y, out, COUNT, threads=-(-COUNT // width))
    np.testing.assert_array_equal(out, np.where(which, x, y))


@pytest.mark.parametrize("source", ["float", "half", "int32_t", "bool", "bfloat16_t"])
def test_copies(source: str, rng: np.random.Generator) -> None:
    """To every type, from one number, from contiguous memory and along strides."""
    targets = [kind for kind in TYPES if kind not in ("complex64_t", source)]
    copies = library(
        "copy.h",
        kernels={
            f"{name}_{kind}": (f"copy_{name}", source, kind)
            for kind in targets
            for name in ("s", "v", "g")
        },
    )
    shape = (3, 5, 7, 11)
    x = np.abs(random(source, shape[::-1], rng)).astype(TYPES[source])
    turned = x.T
    for kind in targets:
        dtype = TYPES[kind]
        out = np.zeros((3, x.size), dtype)
        width = 8 // dtype.itemsize
        copies[f"s_{kind}"](x, out[0], x.size, threads=-(-x.size // width))
        copies[f"v_{kind}"](x, out[1], x.size, threads=-(-x.size // width))
        copies[f"g_{kind}"](
            x,
            out[2],
            np.array(shape, np.int32),
            strides(turned),
            4,
            threads=(11, 7, 3 * 5),
        )
        expected = np.stack([np.full(x.size, x.flat[0]), x.ravel(), turned.ravel()]).astype(dtype)
        np.testing.assert_array_equal(out, expected, err_msg=kind)


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16_t", "uint64_t", "int8_t"])
def test_arange(kind: str) -> None:
    ranges = library("arange.h", kernels={"arange": ("arange", kind)})
    dtype = TYPES[kind]
    start, step = np.array(3, dtype), np.array(2, dtype)
    out = np.zeros(50, dtype)
    ranges.arange(start.tobytes(), step.tobytes(), out, threads=50)
    np.testing.assert_array_equal(wide(out), 3 + 2 * np.arange(50))
