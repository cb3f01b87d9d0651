"""The functions of simdgroups and quadgroups, each type and width, against NumPy.

Every function is called inside a loop whose turns the lanes leave one by one, skip, or never enter,
in threadgroups whose last simdgroup and quadgroup are partial. A reference sees one turn of all
lanes, and which of them take part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import FLOATS, HEADER, NUMBERS, loads, vector

WIDTHS = (1, 2, 3, 4)
TURNS = 3
GROUP_SIZE = 75  # two simdgroups and eleven lanes
THREADS = 2 * GROUP_SIZE + 37  # and a threadgroup at the edge
SIMD, QUAD = 32, 4
NAMES = {SIMD: "simd", QUAD: "quad"}

QUAD_ONLY = ("long", "ulong")


@dataclass
class Lanes:
    """A turn: everything indexed by group and lane. `lane` counts from the group's first lane."""

    width: int
    active: NDArray[np.bool_]
    delta: int
    modulo: int
    pick: NDArray[np.int64]  # a lane of the own group, any

    @property
    def lane(self) -> NDArray[np.int64]:
        return np.broadcast_to(np.arange(self.width), self.active.shape)

    def fold(
        self, values: NDArray, function: np.ufunc, start: object, scan: bool, own: bool
    ) -> NDArray:
        """Over the lanes that take part: all of them, or those up to (or before) each lane."""
        wide = values.astype(np.float64) if values.dtype.kind not in "iu" else values
        wide = np.where(self.active[..., None], wide, np.array(start, wide.dtype))
        if not scan:
            folded = function.reduce(wide, axis=1, keepdims=True, dtype=wide.dtype)
            return np.broadcast_to(folded, wide.shape).astype(values.dtype)
        folded = function.accumulate(wide, axis=1, dtype=wide.dtype)
        if not own:
            first = np.full_like(folded[:, :1], start)
            folded = np.concatenate([first, folded[:, :-1]], axis=1)
        return folded.astype(values.dtype)

    def moved(self, values: NDArray, source: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
        """The values of those lanes, 0 of those that take no part; and where there is a lane."""
        source = np.broadcast_to(source, self.active.shape)
        inside = (source >= 0) & (source < self.width)
        bounded = np.where(inside, source, 0)
        takes_part = np.take_along_axis(self.active, bounded, axis=1)[..., None]
        result = np.take_along_axis(values, bounded[..., None], axis=1)
        return np.where(takes_part, result, np.zeros_like(result)), inside


Reference = Callable[[Lanes, NDArray, NDArray], tuple[NDArray, NDArray[np.bool_]]]


class Function(NamedTuple):
    """`call` takes the vectors x and y, the number `delta` and the number `pick` of each lane."""

    call: str
    reference: Reference
    integers_only: bool = False
    takes_product: bool = False  # of numbers whose product is exact

    @property
    def name(self) -> str:
        return self.call.partition("(")[0]


def move(source: Callable[[Lanes], NDArray | int]) -> Reference:
    return lambda lanes, x, y: lanes.moved(x, np.asarray(source(lanes)))


def shift(source: Callable[[Lanes], NDArray]) -> Reference:
    """As a move, and lanes into which nothing moves keep their value."""

    def reference(lanes: Lanes, x: NDArray, y: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
        result, inside = lanes.moved(x, source(lanes))
        return np.where(inside[..., None], result, x), np.ones_like(inside)

    return reference


def fill(sign: int, by_modulo: bool) -> Reference:
    def reference(lanes: Lanes, x: NDArray, y: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
        width = lanes.modulo if by_modulo else lanes.width
        segment = lanes.lane // width * width
        place = lanes.lane - segment + sign * lanes.delta
        source = segment + place % width
        outside = (place < 0) | (place >= width)
        data, defined = lanes.moved(x, source)
        filling, _ = lanes.moved(y, source)
        return np.where(outside[..., None], filling, data), defined

    return reference


def fold(
    function: np.ufunc, start: Callable[[np.dtype], object], scan: bool = False, own: bool = True
) -> Reference:
    return lambda lanes, x, y: (
        lanes.fold(x, function, start(x.dtype), scan, own),
        np.ones_like(lanes.active),
    )


def extreme(dtype: np.dtype, sign: int) -> object:
    if dtype.kind not in "iu":
        return sign * np.inf
    return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min


def number(value: int) -> Callable[[np.dtype], object]:
    return lambda dtype: value


def all_ones(dtype: np.dtype) -> object:
    return np.array(-1).astype(dtype)


FUNCTIONS = [
    Function("shuffle(x, pick)", move(lambda lanes: lanes.pick)),
    Function("broadcast(x, delta)", move(lambda lanes: lanes.delta)),
    Function("broadcast_first(x)", move(lambda lanes: lanes.active.argmax(axis=1)[:, None])),
    Function("shuffle_xor(x, delta)", move(lambda lanes: lanes.lane ^ lanes.delta)),
    Function("shuffle_up(x, delta)", shift(lambda lanes: lanes.lane - lanes.delta)),
    Function("shuffle_down(x, delta)", shift(lambda lanes: lanes.lane + lanes.delta)),
    Function(
        "shuffle_rotate_up(x, delta)", move(lambda lanes: (lanes.lane - lanes.delta) % lanes.width)
    ),
    Function(
        "shuffle_rotate_down(x, delta)",
        move(lambda lanes: (lanes.lane + lanes.delta) % lanes.width),
    ),
    Function("shuffle_and_fill_up(x, y, delta)", fill(-1, by_modulo=False)),
    Function("shuffle_and_fill_down(x, y, delta)", fill(1, by_modulo=False)),
    Function("shuffle_and_fill_up(x, y, delta, modulo)", fill(-1, by_modulo=True)),
    Function("shuffle_and_fill_down(x, y, delta, modulo)", fill(1, by_modulo=True)),
    Function("sum(x)", fold(np.add, number(0))),
    Function("product(x)", fold(np.multiply, number(1)), takes_product=True),
    Function("min(x)", fold(np.minimum, lambda dtype: extreme(dtype, 1))),
    Function("max(x)", fold(np.maximum, lambda dtype: extreme(dtype, -1))),
    Function("prefix_inclusive_sum(x)", fold(np.add, number(0), scan=True)),
    Function("prefix_exclusive_sum(x)", fold(np.add, number(0), scan=True, own=False)),
    Function(
        "prefix_inclusive_product(x)", fold(np.multiply, number(1), scan=True), takes_product=True
    ),
    Function(
        "prefix_exclusive_product(x)",
        fold(np.multiply, number(1), scan=True, own=False),
        takes_product=True,
    ),
    Function("and(x)", fold(np.bitwise_and, all_ones), integers_only=True),
    Function("or(x)", fold(np.bitwise_or, number(0)), integers_only=True),
    Function("xor(x)", fold(np.bitwise_xor, number(0)), integers_only=True),
]


def functions_of(type: str) -> list[Function]:
    return [f for f in FUNCTIONS if not (f.integers_only and type in FLOATS)]


PARAMETERS = """device const uchar *turns, device const uchar *skips, device const ushort *picks,
    constant ushort &delta, constant ushort &modulo"""
# Lanes without a turn leave at once.
LOOP = f"""
  if (turns[i] == 0)
    return;
  ushort pick = picks[i];
  for (uint turn = 0; turn < turns[i]; ++turn) {{
    if (skips[i] >> turn & 1)
      continue;
    uint place = turn * {THREADS} + i;
"""


def kernel(type: str, width: int, group: int) -> str:
    functions = functions_of(type)
    plane = THREADS * TURNS * width
    statements = ""
    for number, function in enumerate(functions):
        call = function.call
        if function.takes_product:
            call = re.sub(r"\bx\b", "p", call)
        statements += f"    {{ {vector(type, width)} r = {NAMES[group]}_{call};\n"
        for k in range(width):
            value = "r" if width == 1 else f"r[{k}]"
            statements += f"      out[{plane * number + k} + place * {width}] = {value};\n"
        statements += "    }\n"
    read = loads(type, width, "xyp").replace("[i *", "[place *")
    return f"""
kernel void {NAMES[group]}_{width}(device const {type} *x_, device const {type} *y_,
    device const {type} *p_, {PARAMETERS}, device {type} *out,
    uint i [[thread_position_in_grid]]) {{
{LOOP}{read}{statements}  }}
}}
"""


def sums(type: str, random: np.random.Generator) -> NDArray:
    """Numbers of any size; of floats, such that every sum of 32 of them is exact."""
    dtype, shape = NUMBERS[type], (TURNS, THREADS, max(WIDTHS))
    if type in FLOATS:
        return random.integers(-8, 9, shape).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def factors(type: str, random: np.random.Generator) -> NDArray:
    """Powers of two, few of them other than 1, so that products stay within half's range."""
    if type not in FLOATS:
        return sums(type, random)
    shape = (TURNS, THREADS, max(WIDTHS))
    exponents = np.where(np.arange(THREADS)[:, None] % 4 == 0, random.integers(-1, 2, shape), 0)
    return (np.exp2(exponents) * random.choice([-1.0, 1.0], shape)).astype(NUMBERS[type])


class Grid(NamedTuple):
    """Where the threads of a dispatch are, in groups of so many lanes."""

    place: NDArray[np.int64]  # [group, lane]: the thread, or -1
    turns: NDArray[np.uint8]
    skips: NDArray[np.uint8]
    picks: NDArray[np.uint16]


def grid(width: int, random: np.random.Generator) -> Grid:
    groups = []
    for first in range(0, THREADS, GROUP_SIZE):
        end = min(first + GROUP_SIZE, THREADS)
        for start in range(first, end, width):
            lanes = np.arange(start, start + width)
            groups.append(np.where(lanes < end, lanes, -1))
    turns = random.integers(0, TURNS + 1, THREADS).astype(np.uint8)
    skips = (random.integers(0, 8, THREADS) & random.integers(0, 8, THREADS)).astype(np.uint8)
    # The first threadgroup's first simdgroup, and the last, partial one take part as a whole.
    for whole in (slice(0, SIMD), slice(GROUP_SIZE // SIMD * SIMD, GROUP_SIZE)):
        turns[whole], skips[whole] = TURNS, 0
    picks = random.integers(0, width, THREADS).astype(np.uint16)
    return Grid(np.array(groups), turns, skips, picks)


def lanes_of(grid: Grid, turn: int, width: int, delta: int, modulo: int) -> Lanes:
    exists = grid.place >= 0
    takes_part = (grid.turns > turn) & ~(grid.skips >> turn & 1).astype(bool)
    return Lanes(
        width, exists & takes_part[grid.place], delta, modulo, grid.picks[grid.place].astype(int)
    )


def draw_deltas(width: int, random: np.random.Generator) -> tuple[int, int]:
    """How far, and the width of the vectors for that."""
    modulo = int(random.choice([m for m in (2, 4, 8, 16, 32) if m <= width]))
    return int(random.integers(0, modulo)), modulo


@pytest.mark.parametrize("type", NUMBERS)
def test_functions(rng: np.random.Generator, type: str) -> None:
    functions = functions_of(type)
    groups = (QUAD,) if type in QUAD_ONLY else (SIMD, QUAD)
    library = mc.compile(
        HEADER + "".join(kernel(type, width, group) for width in WIDTHS for group in groups)
    )
    numbers = {
        name: make(type, rng) for name, make in zip("xyp", (sums, sums, factors), strict=True)
    }
    for group in groups:
        threads = grid(group, rng)
        delta, modulo = draw_deltas(group, rng)
        for width in WIDTHS:
            inputs = {name: values[..., :width] for name, values in numbers.items()}
            out = mc.zeros(len(functions) * TURNS * THREADS * width, dtype=NUMBERS[type].name)
            library[f"{NAMES[group]}_{width}"](
                *(mc.asarray(np.ascontiguousarray(values)) for values in inputs.values()),
                *(mc.asarray(values) for values in threads[1:]),
                delta,
                modulo,
                out,
                threads=THREADS,
                group_size=GROUP_SIZE,
            )
            results = np.asarray(out).reshape(len(functions), TURNS, THREADS, width)
            for turn in range(TURNS):
                lanes = lanes_of(threads, turn, group, delta, modulo)
                at = {name: values[turn][threads.place] for name, values in inputs.items()}
                for number, function in enumerate(functions):
                    x = at["p"] if function.takes_product else at["x"]
                    with np.errstate(over="ignore", invalid="ignore"):
                        expected, defined = function.reference(lanes, x, at["y"])
                    checked = lanes.active & defined
                    got = results[number, turn][threads.place]
                    np.testing.assert_array_equal(
                        got[checked],
                        expected[checked],
                        err_msg=f"{NAMES[group]}_{function.call} of {vector(type, width)}, "
                        f"turn {turn}, delta {delta}, modulo {modulo}",
                    )


VOTES = {
    "all(b)": lambda lanes, b: (b | ~lanes.active).all(axis=1)[:, None],
    "any(b)": lambda lanes, b: (b & lanes.active).any(axis=1)[:, None],
    "is_first()": lambda lanes, b: lanes.lane == lanes.active.argmax(axis=1)[:, None],
    "is_helper_thread()": lambda lanes, b: np.zeros_like(b),
    "ballot(b)": lambda lanes, b: mask(b & lanes.active),
    "active_threads_mask()": lambda lanes, b: mask(lanes.active),
    "ballot(b).all()": lambda lanes, b: (b & lanes.active).all(axis=1)[:, None],
    "ballot(b).any()": lambda lanes, b: (b & lanes.active).any(axis=1)[:, None],
}


def mask(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return (bits << np.arange(bits.shape[1], dtype=np.uint64)).sum(axis=1)[:, None]


def vote_kernel(group: int) -> str:
    name = NAMES[group]
    statements = ""
    for number, call in enumerate(VOTES):
        cast = f"({name}_vote::vote_t)" if call in ("ballot(b)", "active_threads_mask()") else ""
        statements += f"    out[{number * TURNS * THREADS} + place] = {cast}{name}_{call};\n"
    return f"""
kernel void {name}(device const bool *bits, {PARAMETERS}, device ulong *out,
    uint i [[thread_position_in_grid]]) {{
{LOOP}    bool b = bits[place];
{statements}  }}
}}
"""


@pytest.mark.parametrize("group", NAMES, ids=NAMES.get)
def test_votes(rng: np.random.Generator, group: int) -> None:
    kernel = mc.compile(HEADER + vote_kernel(group))[NAMES[group]]
    threads = grid(group, rng)
    bits = rng.random((TURNS, THREADS)) < np.array([0.5, 0.02, 0.98])[:, None]
    out = mc.zeros(len(VOTES) * TURNS * THREADS, dtype="uint64")
    kernel(
        mc.asarray(bits),
        *(mc.asarray(values) for values in threads[1:]),
        0,
        0,
        out,
        threads=THREADS,
        group_size=GROUP_SIZE,
    )
    results = np.asarray(out).reshape(len(VOTES), TURNS, THREADS)
    for turn in range(TURNS):
        lanes = lanes_of(threads, turn, group, 0, 0)
        for number, (call, reference) in enumerate(VOTES.items()):
            expected = np.broadcast_to(
                reference(lanes, bits[turn][threads.place]), lanes.active.shape
            )
            np.testing.assert_array_equal(
                results[number, turn][threads.place][lanes.active],
                expected[lanes.active],
                err_msg=f"{NAMES[group]}_{call}, turn {turn}",
            )
