"""PyTorch's kernels and device functions for MPS: sorting, special functions, random numbers."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from metalcore.tools.corpora.includes import flatten_text
from msl_sources import instantiate
from source_archives import SourceArchive

TORCH = SourceArchive(
    "torch",
    "torch-2.14.1-cp311-cp311-macosx_14_0_arm64.whl",
    "b6074b130fd26bc50f5d171f07dfed70db22dd0c354ab34767729249f9e0f042",
)
Array = NDArray[np.generic]
TYPES = {
    "float": np.dtype(np.float32),
    "half": np.dtype(np.float16),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
    "uchar": np.dtype(np.uint8),
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
}


@functools.cache
def _folder() -> Path:
    """The folder that PyTorch's includes start from."""
    (header,) = TORCH.folder(".h").rglob("c10/metal/utils.h")
    return header.parents[2]


def library(*headers: str, kernels: str) -> mc.Library:
    """Headers, without their own instantiations, and kernels that use them."""
    text = "#include <metal_stdlib>\nusing namespace metal;\n" + "".join(
        f"#include <{header}>\n" for header in headers
    )
    text = flatten_text(text, [_folder()], "torch")
    return mc.compile(re.sub(r"^INSTANTIATE_\w+\(.*\);$", "", text, flags=re.MULTILINE) + kernels)


SORTING = ("c10/metal/common.h", "c10/metal/utils.h", "ATen/native/mps/kernels/SortMerge.h")


class SortedBlocks:
    """Rows in sorted blocks, which merges make twice as long each time."""

    def __init__(
        self, kernels: mc.Library, x: Array, threads: int, each: int, *, descending: bool
    ) -> None:
        rows, self._length = x.shape
        self._kernels, self._descending = kernels, descending
        self.values, self._next_values = (mc.zeros(x.shape, dtype=x.dtype.name) for _ in "12")
        self.places, self._next_places = (mc.zeros(x.shape, dtype="uint32") for _ in "12")
        self._blocks = -(-self._length // (threads * each))
        self._merged = 1
        self.grid = {"groups": (self._blocks, rows, 1), "group_size": threads}
        strides = (1, self._length)
        kernels.blocks(x, self.values, self.places, self._length, strides, descending, **self.grid)

    @property
    def count(self) -> int:
        """Blocks of a row."""
        return -(-self._blocks // self._merged)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """What a merge is told."""
        return self._length, 2 * self._merged, 0

    def merge(self) -> None:
        self._kernels.merge(
            *(self.values, self.places, self._next_values, self._next_places),
            *(self.sizes, self._descending),
            **self.grid,
        )
        self.values, self._next_values = self._next_values, self.values
        self.places, self._next_places = self._next_places, self.places
        self._merged *= 2


@pytest.mark.parametrize("kind", TYPES)
def test_stable_sort(kind: str, rng: np.random.Generator) -> None:
    """One block per row, up or down; and blocks of a row that others merge."""
    dtype, rows, threads, each = TYPES[kind], 4, 32, 4
    arguments = kind, threads, each
    sorts = library(
        *SORTING,
        kernels=instantiate("block", "sort_block", (*arguments, "true"))
        + instantiate("blocks", "mb_sort_block", (kind, "uint", threads, each, "true"))
        + instantiate("merge", "mb_merge", (kind, "uint", "uint", threads, each)),
    )
    length = 101
    x = rng.integers(0, 60, (rows, length)).astype(dtype)  # with many equal
    if dtype.kind == "f":
        x[:, ::20] = np.nan
    for descending in (False, True):
        key = -x.astype(np.float64) if descending else x.astype(np.float64)
        if descending and dtype.kind == "f":
            key[np.isnan(key)] = -np.inf  # the largest of all
        order = np.argsort(key, axis=1, kind="stable")
        out, places = np.zeros_like(x), np.zeros(x.shape, np.int64)
        sorts.block(
            *(x, out, places, length, (1, length), descending),
            groups=(1, rows, 1),
            group_size=threads,
        )
        np.testing.assert_array_equal(places, order)
        np.testing.assert_array_equal(out, np.take_along_axis(x, order, axis=1))

    length = 700
    x = rng.integers(0, 250, (rows, length)).astype(dtype)
    sorted_blocks = SortedBlocks(sorts, x, threads, each, descending=False)
    while sorted_blocks.count > 1:
        sorted_blocks.merge()
    order = np.argsort(x.astype(np.float64), axis=1, kind="stable")
    np.testing.assert_array_equal(sorted_blocks.values, np.take_along_axis(x, order, axis=1))
    np.testing.assert_array_equal(sorted_blocks.places, order)


def ordered(x: Array, descending: bool) -> NDArray[np.float64]:
    """Rows from the first to the last of a sort: what is not a number is the largest of all."""
    key = np.where(np.isnan(x), np.inf, x) if x.dtype.kind == "f" else x
    rows = np.sort(key.astype(np.float64), axis=1)
    return rows[:, ::-1] if descending else rows


def check_selection(x: Array, values: Array, places: Array, first: int, descending: bool) -> None:
    """Those of these ranks, each from a place of its own."""
    last = first + values.shape[1]
    np.testing.assert_array_equal(
        ordered(values, descending), ordered(x, descending)[:, first:last]
    )
    wide = np.where(np.isnan(values), np.inf, values) if x.dtype.kind == "f" else values
    wide = wide.astype(np.float64)
    assert (np.diff(wide) * (-1 if descending else 1) >= 0)[~np.isinf(wide[:, 1:])].all()
    np.testing.assert_array_equal(np.take_along_axis(x, places, axis=1), values)
    assert all(np.unique(row).size == row.size for row in places)


@pytest.mark.parametrize("kind", TYPES)
def test_top_k(kind: str, rng: np.random.Generator) -> None:
    """Of rows that one threadgroup sorts, and of longer ones, whose blocks are merged."""
    dtype, rows, threads, each = TYPES[kind], 3, 32, 4
    topk = library(
        *SORTING[:2],
        "ATen/native/mps/kernels/SortTopK.h",
        kernels=instantiate("block", "sort_block_topk", (kind, threads, each))
        + instantiate("blocks", "mb_sort_block", (kind, "uint", threads, each, "false"))
        + instantiate("merge", "mb_merge", (kind, "uint", "uint", threads, each))
        + instantiate("last", "mb_merge_final_topk", (kind, "uint", threads, each)),
    )

    def numbers(length: int) -> Array:
        x = rng.integers(0, 120, (rows, length)).astype(dtype)  # with some equal
        if dtype.kind == "f":
            x[:, ::50] = np.nan
        return x

    for descending in (False, True):
        x = numbers(101)
        first, count = int(rng.integers(0, 40)), int(rng.integers(1, 60))
        values, places = np.zeros((rows, count), dtype), np.zeros((rows, count), np.int64)
        topk.block(
            *(x, values, places, 101, (1, 101), descending, (first, count)),
            groups=(1, rows, 1),
            group_size=threads,
        )
        check_selection(x, values, places, first, descending)

        length = 700
        x = numbers(length)
        first, count = int(rng.integers(0, 300)), int(rng.integers(1, 400))
        sorted_blocks = SortedBlocks(topk, x, threads, each, descending=descending)
        while sorted_blocks.count > 2:
            sorted_blocks.merge()
        values, places = np.zeros((rows, count), dtype), np.zeros((rows, count), np.int64)
        topk.last(
            *(sorted_blocks.values, sorted_blocks.places, values, places),
            *(sorted_blocks.sizes, descending, (first, count)),
            **sorted_blocks.grid,
        )
        mc.synchronize()
        check_selection(x, values, places, first, descending)


Doubles = NDArray[np.float64]


def each(function: Callable[[float], float]) -> Callable[[Doubles], Doubles]:
    return np.vectorize(function)


def integral(function: Callable[[Doubles, Doubles], Doubles]) -> Callable[[Doubles], Doubles]:
    """The mean over half a period, which for periodic functions is exact with few points."""
    angles = (np.arange(400) + 0.5) * math.pi / 400
    return lambda x: function(x[:, None], angles).mean(axis=1)


def digamma(x: Doubles) -> Doubles:
    """Up to where the asymptotic series holds."""
    sum = np.zeros_like(x)
    for _ in range(20):
        sum -= 1 / x
        x = x + 1
    return sum + np.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - 1 / (252 * x**6)


# A function, its arguments from and to, and the relative error.
SPECIAL: dict[str, tuple[Callable[[Doubles], Doubles], float, float, float]] = {
    "erf": (each(math.erf), -4, 4, 1e-6),
    "erfc": (each(math.erfc), -2, 3, 5e-6),
    "digamma": (digamma, 0.1, 20, 1e-5),
    "i0": (integral(lambda x, t: np.exp(x * np.cos(t))), -5, 12, 2e-6),
    "i0e": (integral(lambda x, t: np.exp(x * np.cos(t) - np.abs(x))), -5, 12, 2e-6),
    "i1": (integral(lambda x, t: np.exp(x * np.cos(t)) * np.cos(t)), -5, 12, 3e-6),
    "bessel_j0_forward": (integral(lambda x, t: np.cos(x * np.sin(t))), -15, 15, 1e-5),
    # These two call themselves.
    "bessel_j1_forward": (integral(lambda x, t: np.cos(t - x * np.sin(t))), -15, 15, 1e-5),
    "log_gamma": (each(math.lgamma), -0.9, 20, 1e-5),
    "sinc": (np.sinc, -4, 4, 2e-6),
    "entr": (lambda x: -x * np.log(x), 0.01, 5, 2e-6),
}


@functools.cache
def special() -> mc.Library:
    return library(
        "c10/metal/special_math.h",
        kernels="".join(
            f"kernel void {name}(device const float *x, device float *out, "
            f"uint i [[thread_position_in_grid]]) {{ out[i] = c10::metal::{name}(x[i]); }}\n"
            for name in SPECIAL
        ),
    )


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions(name: str, rng: np.random.Generator) -> None:
    function, low, high, tolerance = SPECIAL[name]
    x = rng.uniform(low, high, 1001).astype(np.float32)
    out = np.zeros_like(x)
    special()[name](x, out, threads=x.size)
    np.testing.assert_allclose(out, function(x.astype(np.float64)), rtol=tolerance, atol=tolerance)


def philox(seed: int, index: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Philox4x32 as Random123 defines it, with PyTorch's order of words; nine of the ten rounds."""
    low = np.uint64(0xFFFFFFFF)
    counter = [np.zeros_like(index), np.zeros_like(index), index >> np.uint64(32), index & low]
    key = [np.uint64(seed >> 32), np.uint64(seed & 0xFFFFFFFF)]
    for _ in range(9):
        first = counter[0] * np.uint64(0xD2511F53)
        second = counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            second >> np.uint64(32) ^ counter[1] ^ key[0],
            second & low,
            first >> np.uint64(32) ^ counter[3] ^ key[1],
            first & low,
        ]
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    return np.stack(counter, axis=1)


def test_random_numbers(rng: np.random.Generator) -> None:
    """Integers to the bit, and the distributions made of them."""
    numbers = library(
        "c10/metal/random.h",
        kernels="""
kernel void draw(constant long &seed, device uint4 *bits, device float *uniform,
                 device float *normal, uint i [[thread_position_in_grid]]) {
  const long index = (long(i) << 20) + i;
  bits[i] = c10::metal::philox4::rand(seed, index);
  uniform[i] = c10::metal::rand(seed, index);
  normal[i] = c10::metal::randn(seed, index);
}
""",
    )
    count, seed = 20_000, int(rng.integers(0, 1 << 62))
    bits = np.zeros((count, 4), np.uint32)
    uniform, normal = np.zeros(count, np.float32), np.zeros(count, np.float32)
    numbers.draw(seed, bits, uniform, normal, threads=count)
    index = np.arange(count, dtype=np.uint64)
    expected = philox(seed, (index << np.uint64(20)) + index)
    np.testing.assert_array_equal(bits, expected)
    scale = 4.6566127342e-10
    parts = (expected & 0x7FFFFFFF).astype(np.float64) * scale
    np.testing.assert_allclose(uniform, parts[:, 0], rtol=1e-6)
    u, v = 1 - parts[:, 0], 1 - parts[:, 1]
    far = u < 0.99  # near 1 its logarithm cancels
    gauss = np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)
    np.testing.assert_allclose(normal[far], gauss[far], rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize(
    ("kind", "threads"),
    [
        ("float", 20),
        ("float", 1000),
        ("int", 20),
        ("int", 1000),
        ("long", 1024),
        ("long", 256),
    ],
)
def test_reductions_of_threadgroups(kind: str, threads: int, rng: np.random.Generator) -> None:
    """Sums, extremes and their places."""
    reduce = library(
        "c10/metal/reduction_utils.h",
        kernels=f"""
typedef {kind} T;
kernel void reduce(device const T *x, device c10::metal::opmath_t<T> *sum, device T *most,
                   device T *least, device uint *place, uint i [[thread_index_in_threadgroup]],
                   uint group [[threadgroup_position_in_grid]],
                   uint size [[threads_per_threadgroup]]) {{
  threadgroup c10::metal::opmath_t<T> sums[32];
  threadgroup T largest[32], smallest[32], values[32];
  threadgroup uint places[32];
  const T value = x[group * size + i];
  const auto total = c10::metal::threadgroup_sum(sums, value, i, size);
  const T high = c10::metal::threadgroup_max(largest, value, i, size);
  const T low = c10::metal::threadgroup_min(smallest, value, i, size);
  const uint at = c10::metal::threadgroup_argmax(values, places, value, i, i, size);
  if (i == 0) {{
    sum[group] = total;
    most[group] = high;
    least[group] = low;
    place[group] = at;
  }}
}}
""",
    )
    groups = 5
    x = rng.permuted(np.tile(np.arange(threads) - threads // 3, (groups, 1)), axis=1).astype(
        TYPES[kind]
    )
    sums = np.zeros(groups, TYPES[kind])
    most, least = np.zeros_like(sums), np.zeros_like(sums)
    place = np.zeros(groups, np.uint32)
    reduce.reduce(x, sums, most, least, place, groups=(groups, 1, 1), group_size=threads)
    np.testing.assert_array_equal(sums, x.sum(axis=1))
    np.testing.assert_array_equal(most, x.max(axis=1))
    np.testing.assert_array_equal(least, x.min(axis=1))
    np.testing.assert_array_equal(place, x.argmax(axis=1))
