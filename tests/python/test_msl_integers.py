"""The integer functions of the standard library, each type and width, against Python's integers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER, loads, stores, vector

COUNT = 240  # divisible by every width
WIDTHS = (1, 2, 3, 4)


class Integer(NamedTuple):
    """A scalar type."""

    name: str
    dtype: np.dtype
    bits: int
    is_signed: bool

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.is_signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - self.is_signed) - 1

    def wrap(self, value: int) -> int:
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if value > self.high else value

    def clip(self, value: int) -> int:
        return min(max(value, self.low), self.high)

    def unsigned(self, value: int) -> int:
        return value & (1 << self.bits) - 1


TYPES = [
    Integer(prefix + name, np.dtype(f"{'u' if prefix else ''}int{bits}"), bits, not prefix)
    for name, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64))
    for prefix in ("", "u")
]
WORDS = [type for type in TYPES if type.bits == 32]

# Bit fields; the same for all elements, as the functions take them.
OFFSET, BITS = 3, 4


def rotated(type: Integer, x: int, n: int) -> int:
    n = type.unsigned(n) % type.bits
    x = type.unsigned(x)
    return type.wrap(x << n | x >> type.bits - n)


def low24(type: Integer, x: int) -> int:
    x &= (1 << 24) - 1
    return x - (1 << 24) if type.is_signed and x >> 23 else x


def extracted(type: Integer, x: int) -> int:
    field = type.unsigned(x) >> OFFSET & (1 << BITS) - 1
    return field - (1 << BITS) if type.is_signed and field >> BITS - 1 else field


def inserted(type: Integer, base: int, insert: int) -> int:
    mask = (1 << BITS) - 1 << OFFSET
    return type.wrap(base & ~mask | insert << OFFSET & mask)


class Function(NamedTuple):
    """`reference` takes the type and as many numbers as `call` has letters of x, y and z."""

    call: str
    reference: Callable[..., int]
    types: list[Integer] = TYPES
    result: Callable[[Integer], Integer] = lambda type: type

    @property
    def name(self) -> str:
        return self.call.partition("(")[0]

    @property
    def arity(self) -> int:
        return len(set(re.findall(r"\b[xyz]\b", self.call)))


def unsigned_of(type: Integer) -> Integer:
    return next(t for t in TYPES if t.bits == type.bits and not t.is_signed)


FUNCTIONS = [
    Function("abs(x)", lambda t, x: t.wrap(abs(x))),
    Function("absdiff(x, y)", lambda t, x, y: abs(x - y), result=unsigned_of),
    Function("addsat(x, y)", lambda t, x, y: t.clip(x + y)),
    Function("subsat(x, y)", lambda t, x, y: t.clip(x - y)),
    Function("hadd(x, y)", lambda t, x, y: x + y >> 1),
    Function("rhadd(x, y)", lambda t, x, y: x + y + 1 >> 1),
    Function("min(x, y)", lambda t, x, y: min(x, y)),
    Function("max(x, y)", lambda t, x, y: max(x, y)),
    Function("min3(x, y, z)", lambda t, x, y, z: min(x, y, z)),
    Function("max3(x, y, z)", lambda t, x, y, z: max(x, y, z)),
    Function("median3(x, y, z)", lambda t, x, y, z: sorted((x, y, z))[1]),
    Function("clamp(x, min(y, z), max(y, z))", lambda t, x, y, z: sorted((x, y, z))[1]),
    Function("mulhi(x, y)", lambda t, x, y: x * y >> t.bits),
    Function("madhi(x, y, z)", lambda t, x, y, z: t.wrap((x * y >> t.bits) + z)),
    Function("madsat(x, y, z)", lambda t, x, y, z: t.clip(x * y + z)),
    Function("mul24(x, y)", lambda t, x, y: t.wrap(low24(t, x) * low24(t, y)), WORDS),
    Function("mad24(x, y, z)", lambda t, x, y, z: t.wrap(low24(t, x) * low24(t, y) + z), WORDS),
    Function("rotate(x, y)", rotated),
    Function("popcount(x)", lambda t, x: t.unsigned(x).bit_count()),
    Function("clz(x)", lambda t, x: t.bits - t.unsigned(x).bit_length()),
    Function(
        "ctz(x)", lambda t, x: (t.unsigned(x) & -t.unsigned(x)).bit_length() - 1 if x else t.bits
    ),
    Function(
        "reverse_bits(x)", lambda t, x: t.wrap(int(f"{t.unsigned(x):0{t.bits}b}"[::-1], base=2))
    ),
    Function(f"extract_bits(x, {OFFSET}u, {BITS}u)", extracted),
    Function(f"insert_bits(x, y, {OFFSET}u, {BITS}u)", inserted),
]


def kernel(function: Function, type: Integer, width: int) -> str:
    result = function.result(type).name
    return f"""
kernel void {function.name}_{width}(
    device const {type.name} *x_, device const {type.name} *y_, device const {type.name} *z_,
    device {result} *out, uint i [[thread_position_in_grid]]) {{
{loads(type.name, width, "xyz")}
  {vector(result, width)} r = {function.call};
{stores(width)}}}
"""


def numbers(type: Integer, random: np.random.Generator) -> list[int]:
    """Of all magnitudes, with the special ones between."""
    special = [0, 1, type.low, type.high, type.high - 1, type.low + 1, type.wrap(-1), 2, 7]
    shifts = random.integers(0, type.bits, COUNT)
    drawn = [type.wrap(int.from_bytes(random.bytes(8), "little")) >> int(s) for s in shifts]
    values = special + drawn[len(special) :]
    random.shuffle(values)
    return values


@pytest.mark.parametrize("type", TYPES, ids=lambda type: type.name)
def test_functions(type: Integer) -> None:
    functions = [function for function in FUNCTIONS if type in function.types]
    library = mc.compile(
        HEADER
        + "".join(kernel(function, type, width) for function in functions for width in WIDTHS)
    )
    random = np.random.default_rng()
    arguments = [numbers(type, random) for _ in range(3)]
    arrays = [mc.asarray(np.array(values, type.dtype)) for values in arguments]
    for function in functions:
        rows = list(zip(*arguments[: function.arity], strict=True))
        expected = [function.reference(type, *row) for row in rows]
        for width in WIDTHS:
            out = mc.empty(COUNT, dtype=function.result(type).dtype.name)
            library[f"{function.name}_{width}"](*arrays, out, threads=COUNT // width)
            for row, got, right in zip(rows, out.tolist(), expected, strict=True):
                assert got == right, f"{function.name}{row} of {type.name}, width {width}"
