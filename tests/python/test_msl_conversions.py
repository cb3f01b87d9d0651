"""Conversions between all scalar types, alone and in vectors, and as_type, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import FLOATS, HEADER, NUMBERS, loads, stores, vector

COUNT = 600
WIDTHS = (1, 2, 3, 4)

TYPES = {"bool": np.dtype(np.bool_), **NUMBERS}


def numbers(source: str, target: str, random: np.random.Generator) -> NDArray:
    """Of `source`, where `target` can hold the whole part; other integers wrap around."""
    dtype = TYPES[source]
    if source == "bool":
        return random.integers(0, 2, COUNT).astype(dtype)
    if source not in FLOATS:
        info = np.iinfo(dtype)
        # A sum of two roundings is no rounding: bfloat may be reached through float.
        most = 1 << 24 if target == "bfloat" else info.max
        low, high = max(info.min, -most), min(info.max, most)
        shifts = random.integers(0, dtype.itemsize * 8, COUNT)
        values = random.integers(low, high, COUNT, dtype=dtype, endpoint=True) >> shifts.astype(
            dtype
        )
        values[:3] = low, high, 0
        return values
    high = 1e4 if target in FLOATS or target == "bool" else min(np.iinfo(TYPES[target]).max, 3e4)
    low = 0.0 if target.startswith("u") else -high if target != "char" else -128.0
    values = random.uniform(low, high, COUNT).astype(dtype)
    values[:3] = 0.0, 0.5, 1.0
    # Rounding may have gone beyond the limit.
    return np.where(values.astype(np.float64) > high, dtype.type(1.0), values).astype(dtype)


def kernel(source: str, target: str, width: int) -> str:
    result = vector(target, width)
    return f"""
kernel void {source}_to_{target}_{width}(device const {source} *x_, device {target} *out,
                                         uint i [[thread_position_in_grid]]) {{
{loads(source, width, "x")}
  {result} r = {result}(x);
{stores(width)}}}
"""


@pytest.mark.parametrize("source", TYPES)
def test_conversions(source: str) -> None:
    library = mc.compile(
        HEADER + "".join(kernel(source, target, width) for target in TYPES for width in WIDTHS),
        math_mode="safe",
    )
    random = np.random.default_rng()
    for target in TYPES:
        values = numbers(source, target, random)
        with np.errstate(over="ignore"):  # half has no more than 65504
            expected = values.astype(TYPES[target])
        for width in WIDTHS:
            out = mc.empty(COUNT, dtype=TYPES[target].name)
            library[f"{source}_to_{target}_{width}"](
                mc.asarray(values), out, threads=COUNT // width
            )
            np.testing.assert_array_equal(
                np.asarray(out), expected, err_msg=f"{source} to {target}, width {width}"
            )


def packed_kernel(source: str, target: str) -> str:
    return f"""
kernel void {source}_to_{target}(device const packed_{source}3 *x, device {target}3 *aligned,
                                 device packed_{target}3 *packed,
                                 uint i [[thread_position_in_grid]]) {{
  aligned[i] = {target}3(x[i]);
  packed[i] = packed_{target}3(x[i]);
}}
"""


@pytest.mark.parametrize("source", TYPES)
def test_conversions_of_packed_vectors(source: str) -> None:
    library = mc.compile(
        HEADER + "".join(packed_kernel(source, target) for target in TYPES), math_mode="safe"
    )
    random = np.random.default_rng()
    for target in TYPES:
        values = numbers(source, target, random).reshape(-1, 3)
        with np.errstate(over="ignore"):
            expected = values.astype(TYPES[target])
        aligned = mc.empty((len(values), 4), dtype=TYPES[target].name)
        packed = mc.empty((len(values), 3), dtype=TYPES[target].name)
        library[f"{source}_to_{target}"](mc.asarray(values), aligned, packed, threads=len(values))
        for out in np.asarray(aligned)[:, :3], np.asarray(packed):
            np.testing.assert_array_equal(out, expected, err_msg=f"{source} to {target}")


# Each way in which a number of one type becomes one of another, x, or the vector v made of four x.
FORMS = {
    "static_cast": "r = static_cast<T>(x);",
    "call": "r = T(x);",
    "cast": "r = (T)x;",
    "start": "T y = x; r = y;",
    "start_by_call": "T y(x); r = y;",
    "assignment": "r = x;",
    "pointer": "thread T *p = &r; *p = x;",
    "element": "T y[2]; y[1] = x; r = y[1];",
    "member": "Pair p; p.y = x; r = p.y;",
    "argument": "r = same(x);",
    "arguments": "r = second(1, x, 2);",
    "result": "r = returned(x);",
    "in_a_template": "r = converted<T>(x);",
    "macro": "r = CAST(T, x);",
    "there_and_back": "r = T(S(T(x)));",
    "in_an_expression": "r = (T)x + T(0) * static_cast<T>(x);",
    "vector_of_elements": "r = vec<T, 4>(0, x, T(x), x)[1];",
    "vector_of_one": "r = vec<T, 3>(x).z;",
    "vector_of_vector": "r = vec<T, 4>(v).w;",
}


@pytest.mark.parametrize(("source", "target"), [("half", "bfloat"), ("bfloat", "half")])
def test_forms_between_half_and_bfloat(rng: np.random.Generator, source: str, target: str) -> None:
    """clang knows no conversion between these two."""
    text = f"""{HEADER}
typedef {source} S;
typedef {target} T;
#define CAST(type, value) ((type)(value))
struct Pair {{ int x; T y; }};
inline T same(T x) {{ return x; }}
inline T second(int, T x, float) {{ return x; }}
inline T returned(S x) {{ return x; }}
template <typename U, typename V> U converted(V x) {{ return static_cast<U>(x); }}
"""
    for name, statement in FORMS.items():
        text += f"""
kernel void by_{name}(device const S *x_, device T *out, uint i [[thread_position_in_grid]]) {{
  S x = x_[i];
  vec<S, 4> v = vec<S, 4>(x);
  T r = T(v.x);
  {statement}
  out[i] = r;
}}
"""
    library = mc.compile(text, math_mode="safe")
    values = numbers(source, target, rng)
    expected = values.astype(TYPES[target])
    for name in FORMS:
        out = mc.zeros(COUNT, dtype=TYPES[target].name)
        library[f"by_{name}"](mc.asarray(values), out, threads=COUNT)
        np.testing.assert_array_equal(np.asarray(out), expected, err_msg=FORMS[name])


def test_many_conversions_between_half_and_bfloat(rng: np.random.Generator) -> None:
    """More than the errors after which clang gives up, also within each other."""
    inside = "half(bfloat(" * 5 + "x[i]" + "))" * 5
    lines = "".join(f"  half h{k} = x[{k}]; out[{k}] = h{k};\n" for k in range(200))
    kernel = mc.compile(
        f"""{HEADER}
kernel void f(device const bfloat *x, device half *out, uint i [[thread_position_in_grid]]) {{
{lines}  out[200] = {inside};
}}
"""
    ).f
    x = rng.uniform(-4, 4, 201).astype(TYPES["bfloat"])
    out = mc.zeros(201, dtype="float16")
    kernel(mc.asarray(x), out, threads=1)
    expected = x.astype(np.float16)
    expected[200] = x[0].astype(np.float16)
    np.testing.assert_array_equal(np.asarray(out), expected)


def test_templates_with_half_and_bfloat_among_others(rng: np.random.Generator) -> None:
    """What is done for one instance of a template leaves the others as they are."""
    kernels = "".join(
        f"""template [[host_name("{a}_{b}")]] kernel void copy<{a}, {b}>(
    device const {a} *, device {b} *, uint);
"""
        for a in TYPES
        for b in TYPES
    )
    library = mc.compile(
        f"""{HEADER}
template <typename A, typename B>
kernel void copy(device const A *x, device B *out, uint i [[thread_position_in_grid]]) {{
  out[i] = static_cast<B>(x[i]);
}}
{kernels}""",
        math_mode="safe",
    )
    for a in TYPES:
        for b in TYPES:
            values = numbers(a, b, rng)
            with np.errstate(over="ignore"):
                expected = values.astype(TYPES[b])
            out = mc.zeros(COUNT, dtype=TYPES[b].name)
            library[f"{a}_{b}"](mc.asarray(values), out, threads=COUNT)
            np.testing.assert_array_equal(np.asarray(out), expected, err_msg=f"{a} to {b}")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("half4 v = bfloat4(x);", "no viable conversion"),
        ("half y = x; half z = nonsense;", "undeclared identifier 'nonsense'"),
        ("thread half *p = &x;", "cannot initialize"),
    ],
)
def test_what_is_wrong_beside_half_and_bfloat(statement: str, error: str) -> None:
    with pytest.raises(mc.CompileError, match=error):
        mc.compile(f"{HEADER}kernel void f(device bfloat *o) {{ bfloat x = o[0]; {statement} }}")


@pytest.mark.parametrize(
    ("source", "target", "size"),
    [
        ("float", "uint", 4),
        ("int", "float", 4),
        ("half", "ushort", 2),
        ("ushort", "bfloat", 2),
        ("float2", "long", 8),
        ("uint2", "float2", 8),
        ("uchar4", "uint", 4),
        ("half4", "uint2", 8),
    ],
)
def test_as_type_keeps_the_bits(source: str, target: str, size: int) -> None:
    library = mc.compile(
        f"""
#include <metal_stdlib>
using namespace metal;
kernel void f(device const uchar *x, device uchar *out, uint i [[thread_position_in_grid]]) {{
  device const {source} *from = (device const {source} *)(x + {size} * i);
  *(device {target} *)(out + {size} * i) = as_type<{target}>(*from);
}}
"""
    )
    bits = np.random.default_rng().integers(0, 256, COUNT * size, dtype=np.uint8)
    out = mc.zeros(bits.size, dtype="uint8")
    library.f(mc.asarray(bits), out, threads=COUNT)
    np.testing.assert_array_equal(np.asarray(out), bits)
