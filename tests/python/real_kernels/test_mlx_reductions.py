"""MLX's reductions along rows and columns, scans, soft-max and sorting."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from mlx_kernels import EPSILON, TYPES, library, random, wide

Array = NDArray[np.generic]

REDUCTIONS: dict[str, Callable[..., Array]] = {
    "Sum": np.sum,
    "Prod": np.prod,
    "Min": np.min,
    "Max": np.max,
    "And": np.all,
    "Or": np.any,
}
HEADERS = ("atomic.h", "reduction/ops.h", "reduce.h")

# An operation, the type that is read and the type that is made.
CASES = [
    ("Sum", "float", "float"),
    ("Sum", "bfloat16_t", "bfloat16_t"),
    ("Sum", "half", "half"),
    ("Sum", "int8_t", "int32_t"),
    ("Sum", "int64_t", "int64_t"),
    ("Sum", "complex64_t", "complex64_t"),
    ("Prod", "float", "float"),
    ("Prod", "int16_t", "int32_t"),
    ("Min", "half", "half"),
    ("Max", "float", "float"),
    ("Max", "uint64_t", "uint64_t"),
    ("Min", "int8_t", "int8_t"),
    ("And", "bool", "bool"),
    ("Or", "int32_t", "bool"),
]


def numbers(operation: str, kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    x = random(kind, shape, rng)
    if operation == "Prod":
        x = np.where(rng.random(shape) < 0.5, -1, 1) * (1 + 0.01 * wide(x))
        return (
            np.trunc(x).astype(TYPES[kind]) if TYPES[kind].kind in "iu" else x.astype(TYPES[kind])
        )
    if operation == "And":
        return x | (rng.random(shape) < 0.97)
    if operation == "Or":
        return np.where(rng.random(shape) < 0.97, 0, x).astype(TYPES[kind])
    return x


def check(operation: str, kind: str, out: Array, x: Array, axis: int | tuple[int, ...]) -> None:
    if kind in EPSILON:
        exact = wide(x)
        expected = REDUCTIONS[operation](exact, axis=axis)
        size = np.abs(exact).sum(axis=axis) if operation == "Sum" else np.abs(expected)
        steps = 8 if operation == "Sum" else 400  # roundings of a product add up
        limit = 0 if operation in ("Min", "Max") else steps * EPSILON[kind] * size
        np.testing.assert_array_less(np.abs(wide(out) - expected), limit + 1e-30)
    else:
        expected = REDUCTIONS[operation](x.astype(np.int64) if "u" not in kind else x, axis=axis)
        np.testing.assert_array_equal(out, expected.astype(out.dtype))


def of_strides(x: Array, axes: tuple[int, ...]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Shape and strides, in elements, of some axes; one zero where there are none."""
    shape = np.array([x.shape[a] for a in axes] or [0], np.int32)
    return shape, np.array([x.strides[a] // x.itemsize for a in axes] or [0], np.int64)


@pytest.mark.parametrize(("operation", "kind", "result"), CASES)
def test_reductions(operation: str, kind: str, result: str, rng: np.random.Generator) -> None:
    """Of everything, of short, contiguous and scattered rows, and of columns."""
    op = f"{operation}<{result}>"
    reduce = library(
        *HEADERS,
        kernels={
            "all": ("all_reduce", kind, result, op),
            "small": ("row_reduce_small", kind, result, op, "int", 1),
            "simple": ("row_reduce_simple", kind, result, op),
            "looped": ("row_reduce_looped", kind, result, op, "int", 2),
            "column_small": ("col_reduce_small", kind, result, op, "int", 1),
            "column_looped": ("col_reduce_looped", kind, result, op, "int", 1, 32, 32),
            "column_long": ("col_reduce_longcolumn", kind, result, op, "int", 1),
        },
    )
    dtype = TYPES[result]

    x = numbers(operation, kind, (1501,), rng)
    out = np.zeros(1, dtype)
    threads = 128 if x.itemsize == 8 else 384
    reduce.all(x, out, x.size, x.size, threads=threads, group_size=threads)
    check(operation, kind, out[0], x, 0)

    x = numbers(operation, kind, (7, 6, 5), rng)  # over the first axis and the last
    out = np.zeros(6, dtype)
    kept, reduced = of_strides(x, (1,)), of_strides(x, (0,))
    sizes = (5, 7, *kept, 1, *reduced, 1)
    reduce.small(x, out, *sizes, threads=6, group_size=6)
    check(operation, kind, out, x, (0, 2))

    x = numbers(operation, kind, (37, 150), rng)
    out = np.zeros(37, dtype)
    reduce.simple(x, out, 150, 37, threads=(64, 10), group_size=64)
    check(operation, kind, out, x, 1)

    x = numbers(operation, kind, (3, 4, 2, 90), rng)
    out = np.zeros(4, dtype)
    kept, reduced = of_strides(x, (1,)), of_strides(x, (0, 2))
    sizes = (90, 6, *kept, 1, *reduced, 2)
    reduce.looped(x, out, *sizes, threads=(32, 4), group_size=32)
    check(operation, kind, out, x, (0, 2, 3))

    x = numbers(operation, kind, (3, 70, 45), rng)
    kept, column, nothing = of_strides(x, (0,)), of_strides(x, (1,)), of_strides(x, ())
    for name, threads_, group, sizes in [
        ("column_small", (32, 3 * 8), (32, 8), (70, 45, *kept, 1, *column, 1, 1)),
        ("column_looped", (2 * 256, 3), 256, (70, 45, *kept, 1, *column, 1, 1, 0)),
    ]:
        out = np.zeros((3, 45), dtype)
        reduce[name](x, out, *sizes, threads=threads_, group_size=group)
        check(operation, kind, out, x, 1)

    x = numbers(operation, kind, (260, 9), rng)
    column = of_strides(x, (0,))
    partial = np.zeros((4, 9), dtype)
    sizes = (260, 9, *nothing, 0, *column, 1, 1, 9)
    reduce.column_long(x, partial, *sizes, threads=(9, 32, 4), group_size=(9, 32, 1))
    total = REDUCTIONS[operation](wide(partial) if kind in EPSILON else partial, axis=0)
    check(operation, kind, total, x, 0)


SCANS: dict[str, Callable[[Array], Array]] = {
    "CumSum": lambda x: np.cumsum(x, axis=1),
    "CumProd": lambda x: np.cumprod(x, axis=1),
    "CumMax": lambda x: np.maximum.accumulate(x, axis=1),
    "CumMin": lambda x: np.minimum.accumulate(x, axis=1),
    "CumLogaddexp": lambda x: np.logaddexp.accumulate(x, axis=1),
}
NEUTRAL = {"CumSum": 0, "CumProd": 1, "CumMax": -np.inf, "CumMin": np.inf, "CumLogaddexp": -np.inf}


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("CumSum", "float"),
        ("CumSum", "int32_t"),
        ("CumSum", "uint64_t"),
        ("CumSum", "half"),
        ("CumProd", "float"),
        ("CumMax", "float"),
        ("CumMax", "bfloat16_t"),
        ("CumMin", "half"),
        ("CumLogaddexp", "float"),
    ],
)
def test_scans(operation: str, kind: str, rng: np.random.Generator) -> None:
    """Both directions, with and without the own element, contiguous and along columns."""
    reads = 2 if TYPES[kind].itemsize == 8 else 4
    ways = [(inclusive, reverse) for inclusive in (False, True) for reverse in (False, True)]
    scans = library(
        "scan.h",
        kernels={
            f"{shape}_{inclusive}_{reverse}": (
                f"{shape}_scan",
                *(kind, kind, f"{operation}<{kind}>", reads),
                *(str(flag).lower() for flag in (inclusive, reverse)),
            )
            for shape in ("contiguous", "strided")
            for inclusive, reverse in ways
        },
    )
    rows, length, columns = 3, 611, 45
    x = random(kind, (rows, length), rng)
    tall = random(kind, (2, 100, columns), rng)
    if operation == "CumProd":
        x, tall = (1 + part / 50 for part in (x, tall))
        x, tall = x.astype(TYPES[kind]), tall.astype(TYPES[kind])

    def compare(out: Array, given: Array, inclusive: bool, reverse: bool) -> None:
        exact = wide(given) if kind in EPSILON else given
        turned = exact[:, ::-1] if reverse else exact
        expected = SCANS[operation](turned)
        if not inclusive:
            first = np.full_like(expected[:, :1], NEUTRAL[operation])
            expected = np.concatenate([first, expected[:, :-1]], axis=1)
        expected = expected[:, ::-1] if reverse else expected
        if kind not in EPSILON:
            np.testing.assert_array_equal(out, expected)
            return
        size = np.abs(exact).sum() / len(exact) if operation == "CumSum" else 20
        limit = 0 if operation in ("CumMax", "CumMin") else 4 * EPSILON[kind] * size
        finite = np.isfinite(expected)
        np.testing.assert_allclose(wide(out)[finite], expected[finite], rtol=limit, atol=limit)
        lowest = wide(out)[~finite]
        assert (np.sign(lowest) == np.sign(expected[~finite])).all()
        assert (np.abs(lowest) >= 60000).all()

    for inclusive, reverse in ways:
        out = np.zeros_like(x)
        scans[f"contiguous_{inclusive}_{reverse}"](
            x, out, length, threads=(96, rows), group_size=96
        )
        compare(out, x, inclusive, reverse)

        out = np.zeros_like(tall)
        blocks = -(-columns // 32)
        group = 32 // reads * 32
        scans[f"strided_{inclusive}_{reverse}"](
            tall, out, 100, columns, blocks, threads=(group, 2 * blocks), group_size=group
        )
        compare(
            out.transpose(0, 2, 1).reshape(-1, 100),
            tall.transpose(0, 2, 1).reshape(-1, 100),
            inclusive,
            reverse,
        )


@pytest.mark.parametrize(
    ("kind", "accumulated"),
    [("float", "float"), ("half", "half"), ("half", "float"), ("bfloat16_t", "float")],
)
@pytest.mark.parametrize("length", [5, 333, 1300])
def test_soft_max(kind: str, accumulated: str, length: int, rng: np.random.Generator) -> None:
    """A row at once by one threadgroup, or in a loop; and the logarithm of the sum alone."""
    rows = 7
    kernels = library(
        "softmax.h",
        "logsumexp.h",
        kernels={
            "block": ("softmax_single_row", kind, accumulated),
            "looped": ("softmax_looped", kind, accumulated),
            "log": ("logsumexp", kind),
            "log_looped": ("logsumexp_looped", kind),
        },
    )
    x = (4 * wide(random(kind, (rows, length), rng))).astype(TYPES[kind])
    exact = wide(x)
    sums = np.logaddexp.reduce(exact, axis=1)
    expected = np.exp(exact - sums[:, None])
    tolerance = (8 if accumulated == kind else 2) * EPSILON[kind]
    whole = -(-math.ceil(length / 4) // 32) * 32
    for name, threads in {"block": whole, "looped": 1024}.items():
        out = np.zeros_like(x)
        kernels[name](x, out, length, threads=threads * rows, group_size=threads)
        np.testing.assert_allclose(wide(out), expected, rtol=10 * tolerance, atol=tolerance)
    for name, threads in {"log": whole, "log_looped": 1024}.items():
        out = np.zeros(rows, TYPES[kind])
        kernels[name](x, out, length, threads=threads * rows, group_size=threads)
        np.testing.assert_allclose(wide(out), sums, rtol=2 * EPSILON[kind], atol=1e-6)


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16_t", "int8_t", "uint32_t", "int64_t"])
def test_sort(kind: str, rng: np.random.Generator) -> None:
    """One block: rows, and columns of a transposed array by its strides; with places, too."""
    threads, each, rows, length = 32, 4, 5, 117
    sorts = library(
        "sort.h",
        kernels={
            "values": ("block_sort", kind, kind, "false", threads, each),
            "places": ("block_sort", kind, "uint32_t", "true", threads, each),
            "strided": ("block_sort_nc", kind, kind, "false", threads, each),
        },
    )
    x = random(kind, (rows, length), rng)
    if kind == "float":
        x[0, ::10] = np.nan  # which come last
    out, places = np.zeros_like(x), np.zeros(x.shape, np.uint32)
    grid = {"threads": (threads, rows), "group_size": threads}
    sorts.values(x, out, length, 1, 1, length, length, **grid)
    sorts.places(x, places, length, 1, 1, length, length, **grid)
    np.testing.assert_array_equal(out, np.sort(x, axis=1))
    np.testing.assert_array_equal(np.sort(places, axis=1), np.tile(np.arange(length), (rows, 1)))
    np.testing.assert_array_equal(np.take_along_axis(x, places.astype(int), axis=1), out)

    tall = random(kind, (2, length, 3), rng)
    out = np.zeros_like(tall)
    shape, strides = np.array([2, 3], np.int32), np.array([3 * length, 1], np.int64)
    grid["threads"] = (threads, 6)
    sorts.strided(tall, out, length, 3, 3, 2, shape, strides, strides, **grid)
    np.testing.assert_array_equal(out, np.sort(tall, axis=1))


def test_sort_of_many_blocks(rng: np.random.Generator) -> None:
    """Blocks are sorted, then merged by twos: where a merge is cut is found by other threads."""
    threads, each, rows, length = 64, 4, 3, 2000
    arguments = ("float", "uint32_t", "true", threads, each)
    sorts = library(
        "sort.h",
        kernels={
            "sort": ("mb_block_sort", *arguments),
            "partition": ("mb_block_partition", *arguments),
            "merge": ("mb_block_merge", *arguments),
        },
    )
    blocks = -(-length // (threads * each))
    x = rng.standard_normal((rows, length)).astype(np.float32)
    values = [mc.zeros(x.shape) for _ in range(2)]
    places = [mc.zeros(x.shape, dtype="uint32") for _ in range(2)]
    partitions = mc.zeros((rows, blocks + 1), dtype="uint32")
    row = np.array([rows], np.int32), np.array([length], np.int64)
    grid = {"threads": (threads * blocks, rows), "group_size": threads}
    sorts.sort(x, values[0], places[0], length, 1, 1, *row, **grid)
    tiles = 2
    while tiles // 2 < blocks:
        sorts.partition(
            *(partitions, values[0], places[0], length, tiles, blocks),
            threads=(blocks + 1, rows),
            group_size=blocks + 1,
        )
        sorts.merge(
            *(partitions, values[0], places[0], values[1], places[1], length, tiles, blocks), **grid
        )
        values.reverse()
        places.reverse()
        tiles *= 2
    np.testing.assert_array_equal(np.asarray(values[0]), np.sort(x, axis=1))
    np.testing.assert_array_equal(np.asarray(places[0]), np.argsort(x, axis=1))


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted(right: bool, rng: np.random.Generator) -> None:
    searches = library(
        "sort.h",
        "searchsorted.h",
        kernels={"search": ("searchsorted", "float", str(right).lower())},
    )
    edges = np.sort(rng.integers(-20, 20, 50)).astype(np.float32)
    x = rng.integers(-25, 25, (3, 4, 11)).astype(np.float32)
    out = np.zeros(x.shape, np.uint32)
    searches.search(edges, x, out, edges.size, 1, threads=(11, 4, 3))
    np.testing.assert_array_equal(out, np.searchsorted(edges, x, "right" if right else "left"))
