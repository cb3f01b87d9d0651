"""The integer functions of the standard library, each type and width, against Python's integers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER, loads, stores, vector

WIDTHS = (1, 2, 3, 4)
EACH = 12  # numbers of one thread, divisible by every width
COUNT = 100 * EACH


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

# Offset and size of bit fields in a type of so many bits; the same for all elements, as the
# functions take them.
FIELDS: dict[str, Callable[[int], tuple[int, int]]] = {
    "3u, 4u": lambda bits: (3, 4),
    "0u, 0u": lambda bits: (0, 0),
    "WIDTH, 0u": lambda bits: (bits, 0),
    "0u, WIDTH": lambda bits: (0, bits),
    "1u, WIDTH - 1": lambda bits: (1, bits - 1),
    "WIDTH - 1, 1u": lambda bits: (bits - 1, 1),
}


def rotated(type: Integer, x: int, n: int) -> int:
    n = type.unsigned(n) % type.bits
    x = type.unsigned(x)
    return type.wrap(x << n | x >> type.bits - n)


def low24(type: Integer, x: int) -> int:
    x &= (1 << 24) - 1
    return x - (1 << 24) if type.is_signed and x >> 23 else x


def extracted(field: str) -> Callable[[Integer, int], int]:
    def reference(type: Integer, x: int) -> int:
        offset, bits = FIELDS[field](type.bits)
        found = type.unsigned(x) >> offset & (1 << bits) - 1
        return found - (1 << bits) if type.is_signed and bits and found >> bits - 1 else found

    return reference


def inserted(field: str) -> Callable[[Integer, int, int], int]:
    def reference(type: Integer, base: int, insert: int) -> int:
        offset, bits = FIELDS[field](type.bits)
        mask = (1 << bits) - 1 << offset
        return type.wrap(base & ~mask | insert << offset & mask)

    return reference


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
    *(Function(f"extract_bits(x, {field})", extracted(field)) for field in FIELDS),
    *(Function(f"insert_bits(x, y, {field})", inserted(field)) for field in FIELDS),
]


def kernel(number: int, function: Function, type: Integer) -> str:
    """Writes the results of each width, one after the other."""
    result = function.result(type).name
    blocks = ""
    for place, width in enumerate(WIDTHS):
        count = EACH // width
        blocks += f"""
#pragma clang loop unroll(disable)
for (uint i = t * {count}; i < (t + 1) * {count}; ++i) {{
  device {result} *out = all + {place * COUNT};
{loads(type.name, width, "xyz")}  {vector(result, width)} r = {function.call};
{stores(width)}}}"""
    return f"""
kernel void f{number}(
    device const {type.name} *x_, device const {type.name} *y_, device const {type.name} *z_,
    device {result} *all, uint t [[thread_position_in_grid]]) {{
  constexpr uint WIDTH = {type.bits};
{blocks}
}}
"""


def arguments_of(type: Integer, random: np.random.Generator) -> list[list[int]]:
    """Numbers of all magnitudes, and between them each special value with each other."""
    special = [0, 1, type.low, type.high, type.high - 1, type.low + 1, type.wrap(-1), 2, 7]
    corners = list(itertools.product(special, repeat=3))
    shifts = random.integers(0, type.bits, (COUNT, 3))
    rows = [
        tuple(type.wrap(int.from_bytes(random.bytes(8), "little")) >> int(s) for s in row)
        for row in shifts[len(corners) :]
    ]
    rows += corners
    random.shuffle(rows)
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("type", TYPES, ids=lambda type: type.name)
def test_functions(type: Integer, rng: np.random.Generator) -> None:
    functions = [function for function in FUNCTIONS if type in function.types]
    library = mc.compile(
        HEADER + "".join(kernel(*numbered, type) for numbered in enumerate(functions))
    )
    arguments = arguments_of(type, rng)
    arrays = [mc.asarray(np.array(values, type.dtype)) for values in arguments]
    for number, function in enumerate(functions):
        rows = list(zip(*arguments[: function.arity], strict=True))
        dtype = function.result(type).dtype
        expected = np.array([function.reference(type, *row) for row in rows], dtype)
        out = mc.empty((len(WIDTHS), COUNT), dtype=dtype.name)
        library[f"f{number}"](*arrays, out, threads=COUNT // EACH)
        for width, got in zip(WIDTHS, np.asarray(out), strict=True):
            wrong = np.flatnonzero(got != expected)
            assert not wrong.size, (
                f"{function.call} of {type.name}, width {width}: {rows[wrong[0]]} gives "
                f"{got[wrong[0]]} and should give {expected[wrong[0]]}"
            )
