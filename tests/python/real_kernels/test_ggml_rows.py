"""ggml's kernels that work along rows: reductions in simdgroups and threadgroups, sorting."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from ggml_kernels import arguments, library, number, run, tensor

MEMORY = 32 * 4  # a float for each simdgroup


def threads_for(columns: int) -> int:
    """Whole simdgroups that cover a row, if that many fit."""
    return min(1024, 32 * 2 ** max(0, math.ceil(math.log2(columns / 32))))


@pytest.mark.parametrize("mask_type", [np.float32, np.float16])
@pytest.mark.parametrize("columns", [1, 61, 300])
def test_soft_max_with_sinks(
    columns: int, mask_type: type[np.floating], rng: np.random.Generator
) -> None:
    """A mask for some of the heads, ALiBi slopes, and one more logit per head."""
    batches, heads, rows = 2, 6, 3
    x = rng.normal(0, 3, (batches, heads, rows, columns)).astype(np.float32)
    mask = rng.standard_normal((1, heads // 2, rows, columns)).astype(mask_type)
    mask[rng.random(mask.shape) < 0.2] = -np.inf
    sinks = rng.normal(0, 3, heads).astype(np.float32)
    out = np.zeros_like(x)
    scale, max_bias, log2_heads = 0.37, 8.0, 4
    m0, m1 = 2 ** (-max_bias / log2_heads), 2 ** (-max_bias / 2 / log2_heads)
    kind = "f16" if mask_type is np.float16 else "f32"
    run(
        library("softmax")[f"kernel_soft_max_{kind}{'_4' if columns % 4 == 0 else ''}"],
        arguments(
            "soft_max",
            tensor("0", x) | tensor("1", mask) | tensor("", out),
            scale=scale,
            max_bias=max_bias,
            m0=m0,
            m1=m1,
            n_head_log2=log2_heads,
        ),
        x,
        mask,
        sinks,
        out,
        groups=(rows, heads, batches),
        group_size=64,
        memory=MEMORY,
    )
    head = np.arange(heads)
    slope = np.where(
        head < log2_heads, m0 ** (head + 1.0), m1 ** (2.0 * (head - log2_heads) + 1)
    ).reshape(1, heads, 1, 1)
    logits = x * np.float64(scale) + slope * np.tile(mask.astype(np.float64), (1, 2, 1, 1))
    sink = np.broadcast_to(sinks.reshape(1, heads, 1, 1), (batches, heads, rows, 1))
    largest = np.maximum(logits.max(axis=-1, keepdims=True), sink)
    weights = np.exp(logits - largest)
    expected = weights / (weights.sum(axis=-1, keepdims=True) + np.exp(sink - largest))
    np.testing.assert_allclose(out, expected, rtol=2e-5, atol=1e-8)


NORMS = [
    (f"{kind}{fused}", fused) for kind in ("norm", "rms_norm") for fused in ("", "_mul", "_mul_add")
]


@pytest.mark.parametrize("columns", [37, 1500])
@pytest.mark.parametrize(("name", "fused"), NORMS)
def test_norms(name: str, fused: str, columns: int, rng: np.random.Generator) -> None:
    """Fused with a factor that is one row for all, and an addend per row."""
    batches, rows, epsilon = 2, 5, 1e-5
    x = rng.normal(1, 2, (batches, 1, rows, columns)).astype(np.float32)
    factor = rng.standard_normal((1, 1, 1, columns), np.float32)
    addend = rng.standard_normal((1, 1, rows, columns), np.float32)
    out = np.zeros_like(x)
    width = 1 if columns % 4 else 4
    parts = [x, factor, addend]
    run(
        library("norm")[f"kernel_{name}_f32{'_4' if width == 4 else ''}"],
        arguments(
            "norm",
            tensor("0", x) | tensor("", out),
            ne00_t=columns // width,
            eps=epsilon,
            scale=1.0,
            **{f"nef{axis}": [part.shape[3 - axis] for part in parts] for axis in (1, 2, 3)},
            **{f"nbf{axis}": [part.strides[3 - axis] for part in parts] for axis in (1, 2, 3)},
        ),
        x,
        factor,
        addend,
        out,
        groups=(rows, 1, batches),
        group_size=threads_for(columns // width),
        memory=MEMORY,
        **({"FC_norm_use_scale": False} if fused == "_mul" else {}),
    )
    exact = x.astype(np.float64)
    if name.startswith("norm"):
        exact = exact - exact.mean(axis=-1, keepdims=True)
    expected = exact / np.sqrt((exact**2).mean(axis=-1, keepdims=True) + epsilon)
    if fused:
        expected = expected * factor
    if fused == "_mul_add":
        expected = expected + addend
    np.testing.assert_allclose(out, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("columns", [45, 700])
def test_l2_norm(columns: int, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3, 4, columns), np.float32)
    x[0, 0] = 0
    out = np.full_like(x, np.nan)
    width = 1 if columns % 4 else 4
    fields = tensor("0", x) | tensor("", out)
    fields["ne00"] //= width
    run(
        library("norm")[f"kernel_l2_norm_f32_f32{'_4' if width == 4 else ''}"],
        arguments("l2_norm", fields, eps=1e-3),
        x,
        out,
        groups=(4, 3, 2),
        group_size=threads_for(columns),
        memory=MEMORY,
    )
    exact = x.astype(np.float64)
    length = np.sqrt((exact**2).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(out, exact / np.maximum(length, 1e-3), rtol=1e-5, atol=1e-7)


def test_group_norm(rng: np.random.Generator) -> None:
    channels, groups, epsilon = 12, 3, 1e-4
    x = rng.normal(-1, 2, (channels, 7, 9)).astype(np.float32)
    out = np.zeros_like(x)
    run(
        library("norm")["kernel_group_norm_f32"],
        arguments("group_norm", tensor("0", x), ngrp=groups, eps=epsilon),
        x,
        out,
        groups=(groups, 1, 1),
        group_size=32,
        memory=MEMORY,
    )
    exact = x.reshape(groups, -1).astype(np.float64)
    exact -= exact.mean(axis=1, keepdims=True)
    expected = exact / np.sqrt(exact.var(axis=1, keepdims=True) + epsilon)
    np.testing.assert_allclose(out.reshape(groups, -1), expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("operation", ["SUM_ROWS", "MEAN"])
@pytest.mark.parametrize("columns", [7, 130, 2000])
def test_sums_of_rows(operation: str, columns: int, rng: np.random.Generator) -> None:
    """Threads of an incomplete simdgroup; sums of vectors."""
    storage = rng.standard_normal((2, 3, 5, columns + 8), np.float32)
    x = storage[..., :columns]
    out = np.zeros((2, 3, 5, 1), np.float32)
    width = 1 if columns % 4 else 4
    fields = tensor("0", x) | tensor("", out)
    fields["ne00"] //= width
    run(
        library("reduce")[f"kernel_sum_rows_f32_f32{'_4' if width == 4 else ''}"],
        arguments("sum_rows", fields),
        storage,
        out,
        groups=(5, 3, 2),
        group_size=min(threads_for(columns // width), columns // width),
        memory=MEMORY * width,
        FC_sum_rows_op=number(f"OP_SUM_ROWS_NUM_{operation}"),
    )
    exact = x.astype(np.float64)
    expected = (exact.sum if operation == "SUM_ROWS" else exact.mean)(axis=-1, keepdims=True)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5 * math.sqrt(columns))


def test_cumulative_sum(rng: np.random.Generator) -> None:
    """Blocks of 256, then their totals, then both together: three launches on one buffer."""
    rows, columns, block = 3, 1500, 256
    blocks = -(-columns // block)
    x = rng.standard_normal((rows, columns), np.float32)
    out = np.zeros_like(x)
    totals = np.zeros((rows, blocks), np.float32)
    scan, add = (library("reduce")[f"kernel_cumsum_{step}_f32"] for step in ("blk", "add"))
    memory = MEMORY
    of_totals = tensor("t", totals)
    run(
        scan,
        arguments("cumsum_blk", tensor("0", x), of_totals, outb=True),
        x,
        totals,
        out,
        groups=(blocks * rows, 1, 1),
        group_size=block,
        memory=memory,
    )
    summed = np.zeros_like(totals)
    run(
        scan,
        arguments("cumsum_blk", tensor("0", totals), of_totals, outb=False),
        totals,
        np.zeros_like(totals),
        summed,
        groups=(rows, 1, 1),
        group_size=block,
        memory=memory,
    )
    run(
        add,
        arguments("cumsum_add", tensor("0", x), of_totals),
        summed,
        out,
        groups=(blocks * rows, 1, 1),
        group_size=block,
    )
    np.testing.assert_allclose(out, x.astype(np.float64).cumsum(axis=1), rtol=1e-5, atol=3e-4)


@pytest.mark.parametrize(("columns", "threads"), [(3, 32), (1001, 256)])
def test_argmax(columns: int, threads: int, rng: np.random.Generator) -> None:
    x = rng.permuted(np.tile(np.arange(columns, dtype=np.float32), (9, 1)), axis=1) - columns
    out = np.zeros(9, np.int32)
    run(
        library("misc")["kernel_argmax_f32"],
        arguments("argmax", tensor("0", x)),
        x,
        out,
        groups=(9, 1, 1),
        group_size=threads,
        memory=2 * MEMORY,
    )
    np.testing.assert_array_equal(out, x.argmax(axis=1))


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("columns", [1, 100, 1500])
def test_argsort(order: str, columns: int, rng: np.random.Generator) -> None:
    """A bitonic sort in each threadgroup, then merges from one buffer to the other."""
    threads = min(256, 2 ** math.ceil(math.log2(columns)))
    rows = 4
    x: NDArray[np.float32] = rng.permuted(
        np.tile(np.arange(columns, dtype=np.float32), (2, rows, 1)), axis=2
    )
    buffers = [mc.zeros(x.shape, dtype="int32") for _ in range(2)]
    fields = tensor("0", x) | tensor("", np.empty(x.shape, np.int32))
    run(
        library("argsort")[f"kernel_argsort_f32_i32_{order}"],
        arguments("argsort", fields, top_k=threads),
        x,
        buffers[0],
        groups=(rows * -(-columns // threads), 2, 1),
        group_size=threads,
        memory=max(16, threads * 4),
    )
    length = threads
    while length < columns:
        run(
            library("argsort")[f"kernel_argsort_merge_f32_i32_{order}"],
            arguments("argsort_merge", fields, top_k=columns, len=length),
            x,
            *buffers,
            groups=(rows * -(-columns // (2 * length)), 2, 1),
            group_size=100,
        )
        buffers.reverse()
        length *= 2
    expected = np.argsort(x if order == "asc" else -x, axis=-1)
    np.testing.assert_array_equal(np.asarray(buffers[0]), expected)
