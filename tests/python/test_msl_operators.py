"""Operators of scalars and vectors, packed or not, each type and width, against NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import FLOATS, HEADER, NUMBERS, loads, stores, vector

COUNT = 240  # divisible by every width
WIDTHS = (1, 2, 3, 4)

Reference = Callable[[NDArray, NDArray, NDArray, NDArray], NDArray]


class Operator(NamedTuple):
    """`text` makes r, of type V and elements of type T, of the vectors x and y, divisors d and
    numbers of bits n. P is the packed vector."""

    text: str
    reference: Reference


def truncated(x: NDArray, d: NDArray) -> NDArray:
    """Division of integers cuts off towards zero."""
    if x.dtype.kind not in "iu":
        return x / d
    whole = x // d
    return whole + ((x % d != 0) & ((x < 0) != (d < 0)))


def remainder(x: NDArray, d: NDArray) -> NDArray:
    return x - truncated(x, d) * d


ONE, THREE = (lambda x, value=value: x.dtype.type(value) for value in (1, 3))
BINARY: dict[str, Reference] = {
    "x + y": lambda x, y, d, n: x + y,
    "x - y": lambda x, y, d, n: x - y,
    "x * y": lambda x, y, d, n: x * y,
    "x / d": lambda x, y, d, n: truncated(x, d),
}
BINARY_OF_INTEGERS: dict[str, Reference] = {
    "x % d": lambda x, y, d, n: remainder(x, d),
    "x & y": lambda x, y, d, n: x & y,
    "x | y": lambda x, y, d, n: x | y,
    "x ^ y": lambda x, y, d, n: x ^ y,
    "x << n": lambda x, y, d, n: x << n,
    "x >> n": lambda x, y, d, n: x >> n,
}
TRUTHS: dict[str, Reference] = {
    "x == y": lambda x, y, d, n: x == y,
    "x != y": lambda x, y, d, n: x != y,
    "x < y": lambda x, y, d, n: x < y,
    "x <= y": lambda x, y, d, n: x <= y,
    "x > y": lambda x, y, d, n: x > y,
    "x >= y": lambda x, y, d, n: x >= y,
    "x && y": lambda x, y, d, n: (x != 0) & (y != 0),
    "x || y": lambda x, y, d, n: (x != 0) | (y != 0),
    "!x": lambda x, y, d, n: x == 0,
    "x == T(3)": lambda x, y, d, n: x == 3,
    "T(3) < x": lambda x, y, d, n: x > 3,
}
OTHERS: dict[str, Reference] = {
    "r = -x;": lambda x, y, d, n: -x,
    "r = +x;": lambda x, y, d, n: x,
    "r = x; V s = r++; r += s;": lambda x, y, d, n: x + ONE(x) + x,
    "r = x; V s = ++r; r += s;": lambda x, y, d, n: (x + ONE(x)) + (x + ONE(x)),
    "r = x; V s = r--; r += s;": lambda x, y, d, n: x - ONE(x) + x,
    "r = x; V s = --r; r += s;": lambda x, y, d, n: (x - ONE(x)) + (x - ONE(x)),
    "r = x + T(3);": lambda x, y, d, n: x + THREE(x),
    "r = T(3) - x;": lambda x, y, d, n: THREE(x) - x,
    "r = x; r *= T(3);": lambda x, y, d, n: x * THREE(x),
}
OTHERS_OF_INTEGERS: dict[str, Reference] = {
    "r = ~x;": lambda x, y, d, n: ~x,
    "r = x >> T(3);": lambda x, y, d, n: x >> THREE(x),
    "r = T(3) << n;": lambda x, y, d, n: THREE(x) << n,
}
COMPOUND = "r = x; r {op}= {y};"
PACKED = "P p = x, q = {y}; r = p {op} q;"
MIXED = "P p = x; r = p {op} {y};"
PACKED_COMPOUND = "P p = x; p {op}= {y}; r = p;"


def operators_of(type: str) -> list[Operator]:
    binary = BINARY if type in FLOATS else {**BINARY, **BINARY_OF_INTEGERS}
    others = OTHERS if type in FLOATS else {**OTHERS, **OTHERS_OF_INTEGERS}
    found = [Operator(text, reference) for text, reference in others.items()]
    found += [Operator(f"r = V({text});", reference) for text, reference in TRUTHS.items()]
    for text, reference in binary.items():
        _, op, y = text.split()
        found.append(Operator(f"r = {text};", reference))
        found += [
            Operator(form.format(op=op, y=y), reference)
            for form in (COMPOUND, PACKED, MIXED, PACKED_COMPOUND)
        ]
    return found


def kernel(type: str, width: int) -> str:
    """The results of all operators, one after the other."""
    blocks = "".join(
        f"  {{ device {type} *out = all + {place * COUNT};\n"
        f"  V r; {operator.text}\n{stores(width)}  }}\n"
        for place, operator in enumerate(operators_of(type))
    )
    whole = vector(type, width)
    return f"""
kernel void f{width}(device const {type} *x_, device const {type} *y_, device const {type} *d_,
                     device const {type} *n_, device {type} *all,
                     uint i [[thread_position_in_grid]]) {{
  typedef {type} T;
  typedef {whole} V;
  typedef {f"packed_{whole}" if width > 1 else whole} P;
{loads(type, width, "xydn")}{blocks}}}
"""


def special(type: str) -> list:
    dtype = NUMBERS[type]
    if type in FLOATS:
        info = ml_dtypes.finfo(dtype)
        return [0.0, -0.0, 1.0, -1.0, 3.0, info.max, info.min, np.inf, -np.inf, np.nan]
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return sorted({0, 1, 3, low, low + 1, high, high - 1, high // 2, max(low, -1)})


def arguments_of(type: str, random: np.random.Generator) -> list[NDArray]:
    """Numbers of all magnitudes, and between them each special value with each other."""
    dtype = NUMBERS[type]
    if type in FLOATS:
        drawn = (random.uniform(-40, 40, (2, COUNT)) ** 3).astype(dtype)
    else:
        info = np.iinfo(dtype)
        drawn = random.integers(info.min, info.max, (2, COUNT), dtype=dtype, endpoint=True)
        drawn >>= random.integers(0, dtype.itemsize * 8, drawn.shape).astype(dtype)
    corners = np.array(list(itertools.product(special(type), repeat=2)), dtype).T
    drawn[:, : corners.shape[1]] = corners
    x, y = drawn[:, random.permutation(COUNT)]
    if type in FLOATS:
        return [x, y, y, y]
    # Where nothing is said of a quotient: by zero, and of the lowest number by -1.
    d = np.where((y == 0) | (dtype.kind == "i") & (y == np.array(-1).astype(dtype)), 1, y)
    n = random.integers(0, dtype.itemsize * 8, COUNT)
    return [x, y, d.astype(dtype), n.astype(dtype)]


@pytest.mark.parametrize("type", NUMBERS)
def test_operators(type: str, rng: np.random.Generator) -> None:
    dtype, operators = NUMBERS[type], operators_of(type)
    library = mc.compile(
        HEADER + "".join(kernel(type, width) for width in WIDTHS), math_mode="safe"
    )
    arguments = arguments_of(type, rng)
    for width in WIDTHS:
        out = mc.empty((len(operators), COUNT), dtype=dtype.name)
        library[f"f{width}"](*map(mc.asarray, arguments), out, threads=COUNT // width)
        for operator, got in zip(operators, np.asarray(out), strict=True):
            with np.errstate(all="ignore"):
                expected = operator.reference(*arguments).astype(dtype)
            if type in FLOATS:  # NumPy takes those of bfloat that are no numbers for different
                got, expected = got.astype(np.float64), expected.astype(np.float64)
            np.testing.assert_array_equal(
                got, expected, err_msg=f"{operator.text} of {vector(type, width)}"
            )


@pytest.mark.parametrize("width", WIDTHS[1:])
@pytest.mark.parametrize("type", [*NUMBERS, "bool"])
def test_swizzles(type: str, width: int, rng: np.random.Generator) -> None:
    """Every selection of up to four components, by both sets of letters, read and written."""
    dtype = NUMBERS.get(type, np.dtype(np.bool_))
    whole = vector(type, width)
    reads, writes, text = [], [], ""
    for count in (2, 3, 4):
        for chosen in itertools.product(range(width), repeat=count):
            letters = str(rng.choice(["xyzw", "rgba"]))
            name = "".join(letters[k] for k in chosen)
            reads += chosen
            text += f"  {{ {vector(type, count)} s = x.{name};\n"
            text += "".join(f"    *read++ = s[{k}];\n" for k in range(count)) + "  }\n"
            if len(set(chosen)) == count:
                place = {c: k for k, c in enumerate(chosen)}
                writes += [place.get(k, -1) for k in range(width)]
                text += f"  {{ {whole} r = y; r.{name} = {vector(type, count)}("
                text += ", ".join(f"x[{k}]" for k in range(count)) + ");\n"
                text += "".join(f"    *written++ = r[{k}];\n" for k in range(width)) + "  }\n"
    library = mc.compile(
        f"""{HEADER}
kernel void f(device const {type} *x_, device const {type} *y_, device {type} *read,
              device {type} *written) {{
  const uint i = 0;
{loads(type, width, "xy")}{text}}}
"""
    )
    x, y = (rng.permutation(100)[:width].astype(dtype) for _ in range(2))
    if type == "bool":
        x, y = rng.integers(0, 2, (2, width)).astype(dtype)
    read, written = (mc.empty(len(places), dtype=dtype.name) for places in (reads, writes))
    library.f(mc.asarray(x), mc.asarray(y), read, written, threads=1)
    np.testing.assert_array_equal(np.asarray(read), x[reads])
    stay = np.tile(y, len(writes) // width)
    np.testing.assert_array_equal(
        np.asarray(written), np.where(np.array(writes) < 0, stay, x[np.maximum(writes, 0)])
    )
