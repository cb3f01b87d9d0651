"""Relational and geometric functions, each type and width, against NumPy's float64."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER, loads, stores, vector

COUNT = 500
WIDTHS = (2, 3, 4)
SPACES = ("", "fast::", "precise::")
BEFORE_CALL = re.compile(r"\b(?=[a-z_]+\()")
DTYPES = {"float": np.float32, "half": np.float16}
RELATED = {**DTYPES, "bfloat": ml_dtypes.bfloat16}

Values = NDArray[np.floating]


def relation_library(type: str, call: str) -> mc.Library:
    """One kernel for each width, which computes `call` from vectors a and b."""
    source = HEADER
    for width in (1, *WIDTHS):
        source += f"""
kernel void f{width}(device const {type} *a_, device const {type} *b_, device bool *out,
                     uint i [[thread_position_in_grid]]) {{
{loads(type, width, "ab")}  auto r = {call};
{stores(width)}}}
"""
    return mc.compile(source, math_mode="safe")


def with_specials(
    random: np.random.Generator, dtype: type, shape: tuple[int, ...]
) -> tuple[Values, Values]:
    """Two arrays: numbers, some of them the same, and each special value beside each other."""
    a, b = random.uniform(-4, 4, (2, *shape)).astype(dtype)
    b[::3] = a[::3]
    info = ml_dtypes.finfo(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, info.smallest_subnormal, info.tiny, info.max]
    corners = np.array(list(itertools.product(special, repeat=2)), dtype).T
    places = random.permutation(a.size)[: corners.shape[1]]
    a.reshape(-1)[places], b.reshape(-1)[places] = corners
    return a, b


RELATIONS: dict[str, Callable[..., NDArray[np.bool_]]] = {
    "isfinite(a)": lambda a, b: np.isfinite(a),
    "isinf(a)": lambda a, b: np.isinf(a),
    "isnan(a)": lambda a, b: np.isnan(a),
    "isnormal(a)": lambda a, b: np.isfinite(a) & (np.abs(a) >= ml_dtypes.finfo(a.dtype).tiny),
    "signbit(a)": lambda a, b: np.signbit(a),
    "isordered(a, b)": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "isunordered(a, b)": lambda a, b: np.isnan(a) | np.isnan(b),
    "a < b": np.less,
    "a <= b": np.less_equal,
    "a == b": np.equal,
    "a != b": np.not_equal,
    "!(a > b)": lambda a, b: ~np.greater(a, b),
}


@pytest.mark.parametrize("type", RELATED)
@pytest.mark.parametrize("call", RELATIONS)
@np.errstate(invalid="ignore")
def test_relations(call: str, type: str) -> None:
    library = relation_library(type, call)
    random = np.random.default_rng()
    for width in (1, *WIDTHS):
        a, b = with_specials(random, RELATED[type], (COUNT, width))
        out = mc.empty((COUNT, width), dtype="bool")
        library[f"f{width}"](mc.asarray(a), mc.asarray(b), out, threads=COUNT)
        np.testing.assert_array_equal(np.asarray(out), RELATIONS[call](a, b), err_msg=f"{width}")


@pytest.mark.parametrize("type", RELATED)
@np.errstate(invalid="ignore")
def test_select_any_and_all(type: str) -> None:
    source = HEADER
    for width in WIDTHS:
        source += f"""
kernel void f{width}(device const packed_{type}{width} *a, device const packed_{type}{width} *b,
                     device packed_{type}{width} *out, device bool2 *truths,
                     uint i [[thread_position_in_grid]]) {{
  const {type}{width} x = a[i], y = b[i];
  out[i] = select(x, y, x < y);
  truths[i] = bool2(any(x < y), all(x < y));
}}
"""
    library = mc.compile(source, math_mode="safe")
    random = np.random.default_rng()
    for width in WIDTHS:
        a, b = with_specials(random, RELATED[type], (COUNT, width))
        out, truths = mc.empty(a.shape, dtype=a.dtype.name), mc.empty((COUNT, 2), dtype="bool")
        library[f"f{width}"](mc.asarray(a), mc.asarray(b), out, truths, threads=COUNT)
        got, chosen = (x.astype(np.float64) for x in (np.asarray(out), np.where(a < b, b, a)))
        np.testing.assert_array_equal(got, chosen)
        expected = np.stack([(a < b).any(axis=1), (a < b).all(axis=1)], axis=1)
        np.testing.assert_array_equal(np.asarray(truths), expected)


def dot(a: Values, b: Values) -> Values:
    return (a * b).sum(axis=1, keepdims=True)


def length(a: Values) -> Values:
    return np.sqrt(dot(a, a))


def refract(i: Values, n: Values) -> Values:
    eta, cosine = 0.75, dot(n, i)
    k = 1 - eta * eta * (1 - cosine * cosine)
    return np.where(k < 0, 0.0, eta * i - (eta * cosine + np.sqrt(np.maximum(k, 0))) * n)


GEOMETRY: dict[str, Callable[[Values, Values, Values], Values]] = {
    "dot(a, b)": lambda a, b, c: dot(a, b),
    "length(a)": lambda a, b, c: length(a),
    "length_squared(a)": lambda a, b, c: dot(a, a),
    "distance(a, b)": lambda a, b, c: length(a - b),
    "distance_squared(a, b)": lambda a, b, c: dot(a - b, a - b),
    "normalize(a)": lambda a, b, c: a / length(a),
    "faceforward(a, b, c)": lambda a, b, c: np.where(dot(c, b) < 0, a, -a),
    "reflect(a, normalize(b))": lambda a, b, c: a - 2 * dot(b / length(b), a) * (b / length(b)),
    "refract(normalize(a), normalize(b), T(0.75))": lambda a, b, c: refract(
        a / length(a), b / length(b)
    ),
    "cross(a, b)": lambda a, b, c: np.cross(a, b),
}


@pytest.mark.parametrize("type", DTYPES)
@pytest.mark.parametrize("call", GEOMETRY)
def test_geometry(call: str, type: str) -> None:
    is_scalar = call.startswith(("dot", "length", "distance"))
    widths = (3,) if call.startswith("cross") else WIDTHS
    source = f"{HEADER}typedef {type} T;\n"
    for width in widths:
        result = type if is_scalar else f"packed_{type}{width}"
        statements = ""
        for place, (prefix, space) in enumerate(itertools.product(("", "packed_"), SPACES)):
            statements += f"""
  {{
    const {prefix}{type}{width} a = a_[i], b = b_[i], c = c_[i];
    out[{place * COUNT} + i] = {BEFORE_CALL.sub(space, call)};
  }}"""
        source += f"""
kernel void f{width}(device const packed_{type}{width} *a_, device const packed_{type}{width} *b_,
                     device const packed_{type}{width} *c_, device {result} *out,
                     uint i [[thread_position_in_grid]]) {{{statements}
}}
"""
    library = mc.compile(source, math_mode="safe")
    random = np.random.default_rng()
    for width in widths:
        arguments = [random.uniform(-2, 2, (COUNT, width)).astype(DTYPES[type]) for _ in range(3)]
        shape = (2 * len(SPACES), COUNT, 1 if is_scalar else width)
        out = mc.empty(shape, dtype=arguments[0].dtype.name)
        library[f"f{width}"](*map(mc.asarray, arguments), out, threads=COUNT)
        expected = GEOMETRY[call](*(x.astype(np.float64) for x in arguments))
        # Sums of products of numbers up to 2, and what a square root makes of their error.
        tolerance = 64 * float(np.finfo(DTYPES[type]).eps)
        ok = np.abs(np.asarray(out).astype(np.float64) - expected) <= tolerance
        # Whether a ray is refracted at all, and which side faces it, hangs on the last bit.
        is_choice = call.startswith(("refract", "faceforward"))
        assert ok.mean() > 0.99 if is_choice else ok.all(), f"width {width}"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("type", ["char", "ushort", "int", "ulong", "half", "bfloat", "float"])
def test_vectors_pass_through_functions(type: str, width: int) -> None:
    """By value and as results, their elements assigned one by one: all of them arrive."""
    whole = vector(type, width)
    turned = "".join(f"  r[{k}] = v[{(k + 1) % width}];\n" for k in range(width))
    library = mc.compile(
        f"""{HEADER}
static __attribute__((noinline)) {whole} turned({whole} v) {{
  {whole} r = v;
{turned}  return r;
}}
kernel void f(device const {type} *x_, device {type} *out, uint i [[thread_position_in_grid]]) {{
{loads(type, width, "x")}
  {whole} r = turned(turned(x));
{stores(width)}}}
"""
    )
    values = np.random.default_rng().integers(0, 100, (COUNT, width))
    names = {"ushort": "uint16", "char": "int8", "int": "int32", "ulong": "uint64"}
    floats = {"half": "float16", "bfloat": "bfloat16", "float": "float32"}
    array = mc.asarray(values, dtype={**names, **floats}[type])
    out = mc.empty(array.shape, dtype=array.dtype)
    library.f(array, out, threads=COUNT)
    np.testing.assert_array_equal(np.asarray(out).astype(np.int64), np.roll(values, -2, axis=1))
