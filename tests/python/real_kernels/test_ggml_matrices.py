"""ggml's quantised matrices: their rows, and products with vectors and with matrices."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ggml_blocks import FORMATS
from ggml_kernels import arguments, library, number, run, tensor

Array = NDArray[np.generic]
Doubles = NDArray[np.float64]

FLOATS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def random_matrix(
    name: str, shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[Array, Doubles, dict[str, int]]:
    """Storage, the numbers in it, and the fields of the tensor."""
    if name in FLOATS:
        numbers = rng.standard_normal(shape, np.float32).astype(FLOATS[name])
        return numbers, numbers.astype(np.float64), tensor("0", numbers)
    kind = FORMATS[name]
    blocks = kind.random((*shape[:-1], shape[-1] // kind.count), rng)
    return blocks, kind.values(blocks), tensor("0", blocks, kind.count)


@pytest.mark.parametrize("name", [*FORMATS, *FLOATS])
def test_get_rows(name: str, rng: np.random.Generator) -> None:
    """Rows in a random order, with repeats, for each of two matrices."""
    columns, rows, wanted = 512, 11, 7
    storage, numbers, fields = random_matrix(name, (2, rows, columns), rng)
    index = rng.integers(0, rows, (2, wanted), np.int32)
    out = np.zeros((2, wanted, columns), np.float32)
    tiles = columns // 16 if name in FORMATS else columns
    threads = min(tiles, 24)
    run(
        library("quantize")[f"kernel_get_rows_{name}"],
        arguments("get_rows", fields | tensor("1", index) | tensor("", out), ne00t=tiles),
        storage.view(np.uint8),
        index.view(np.uint8),
        out.view(np.uint8),
        groups=(wanted * -(-tiles // threads), 2, 1),
        group_size=threads,
    )
    expected = np.take_along_axis(numbers, index[..., None].astype(np.int64), axis=1)
    np.testing.assert_allclose(out, expected, rtol=2e-3, atol=2e-3 if name in FORMATS else 0)


def assert_products(out: Array, matrix: Doubles, vectors: Doubles, tolerance: float) -> None:
    """Errors are measured by what went into each sum."""
    expected = np.einsum("bmk,bnk->bnm", matrix, vectors)
    size = np.einsum("bmk,bnk->bnm", np.abs(matrix), np.abs(vectors))
    np.testing.assert_array_less(np.abs(out - expected), tolerance * size + 1e-6)


@pytest.mark.parametrize("name", [*FORMATS, *FLOATS])
def test_matrix_times_vector(name: str, rng: np.random.Generator) -> None:
    """A count of rows that no group of simdgroups divides; one matrix for every two vectors."""
    columns, rows = 768, 19
    storage, numbers, fields = random_matrix(name, (2, rows, columns), rng)
    vectors = rng.standard_normal((4, 1, columns), np.float32)
    out = np.zeros((4, 1, rows), np.float32)
    if name in FLOATS:
        simdgroups, rows_each, suffix = 4, 2, "_4"
    else:
        simdgroups, rows_each = (number(f"{n}_{name.upper()}") for n in ("N_SG", "N_R0"))
        suffix = ""
    shares_rows = name in FLOATS or name == "q8_0"
    step = rows_each if shares_rows else rows_each * simdgroups
    run(
        library("mul_mv")[f"kernel_mul_mv_{name}_f32{suffix}"],
        arguments(
            "mul_mv",
            fields | tensor("1", vectors) | tensor("", out),
            nr0=rows_each,
            r2=2,
            r3=1,
        ),
        storage.view(np.uint8),
        vectors,
        out,
        groups=(-(-rows // step), 1, 4),
        group_size=(32, simdgroups, 1),
        memory=32 * 4 * rows_each,
        FC_mul_mv_nsg=simdgroups,
        FC_mul_mv_ne12=4,
        FC_mul_mv_r2=2,
        FC_mul_mv_r3=1,
    )
    assert_products(out, np.repeat(numbers, 2, axis=0), vectors.astype(np.float64), 1e-5)


@pytest.mark.parametrize(
    ("name", "count"), [("f32", 2), ("f16", 3), ("bf16", 4), ("q4_0", 5), ("q8_0", 2), ("q4_K", 4)]
)
def test_matrix_times_few_vectors(name: str, count: int, rng: np.random.Generator) -> None:
    """A simdgroup works on several rows at once, each by eight lanes."""
    columns, rows, lanes, simdgroups = 512, 21, 8, 2
    storage, numbers, fields = random_matrix(name, (1, rows, columns), rng)
    vectors = rng.standard_normal((1, count, columns), np.float32)
    out = np.zeros((1, count, rows), np.float32)
    rows_each = 32 // lanes * simdgroups
    run(
        library("mul_mv")[f"kernel_mul_mv_ext_{name}_f32_r1_{count}"],
        arguments("mul_mv_ext", fields | tensor("1", vectors) | tensor("", out), r2=1, r3=1),
        storage.view(np.uint8),
        vectors,
        out,
        groups=(-(-rows // rows_each), 1, 1),
        group_size=(32, simdgroups, 1),
        FC_mul_mv_nsg=simdgroups,
        FC_mul_mv_nxpsg=lanes,
        FC_mul_mv_ne12=1,
        FC_mul_mv_r2=1,
        FC_mul_mv_r3=1,
    )
    assert_products(out, numbers, vectors.astype(np.float64), 1e-5)


@pytest.mark.parametrize(
    ("name", "rows", "columns", "count"),
    [
        ("f32", 64, 64, 32),
        ("f32", 77, 50, 41),
        ("f16", 70, 96, 35),
        ("bf16", 64, 96, 33),
        ("q4_0", 100, 96, 5),
        ("q8_0", 64, 128, 64),
        ("mxfp4", 65, 64, 31),
        ("q4_K", 66, 256, 33),
        ("q6_K", 128, 256, 32),
    ],
)
def test_matrix_times_matrix(
    name: str, rows: int, columns: int, count: int, rng: np.random.Generator
) -> None:
    """Eight by eight matrices of simdgroups, filled from threadgroup memory."""
    storage, numbers, fields = random_matrix(name, (1, rows, columns), rng)
    vectors = rng.standard_normal((2, count, columns), np.float32)
    out = np.zeros((2, count, rows), np.float32)
    checks_output = rows % 64 != 0 or count % 32 != 0
    run(
        library("mul_mm")[f"kernel_mul_mm_{name}_f32"],
        arguments("mul_mm", fields | tensor("1", vectors) | tensor("", out), r2=2, r3=1),
        storage.view(np.uint8),
        vectors,
        out,
        groups=(-(-count // 32), -(-rows // 64), 2),
        group_size=(32, 4, 1),
        memory=8192 if checks_output else 4096 + 2048,
        FC_mul_mm_bc_inp=columns % 32 != 0,
        FC_mul_mm_bc_out=checks_output,
        FC_mul_mm_ne12=2,
        FC_mul_mm_r2=2,
        FC_mul_mm_r3=1,
    )
    held = ml_dtypes.bfloat16 if name == "bf16" else np.float16  # what the matrices are made of
    assert_products(
        out,
        np.repeat(numbers, 2, axis=0).astype(held).astype(np.float64),
        vectors.astype(held).astype(np.float64),
        1e-5 if name in FLOATS else 1e-3,
    )


@pytest.mark.parametrize("name", ["q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"])
def test_quantise_and_back(name: str, rng: np.random.Generator) -> None:
    """What the kernels make of numbers is within half a step, and the way back is exact."""
    kind, rows, columns = FORMATS[name], 9, 320
    x = rng.normal(0, 2, (rows, columns)).astype(np.float32)
    blocks = np.zeros((rows, columns // kind.count), kind.block)
    of_blocks = tensor("", blocks, kind.count)
    of_blocks["nb0"] = blocks.itemsize
    run(
        library("quantize")[f"kernel_cpy_f32_{name}"],
        arguments("cpy", tensor("0", x) | of_blocks, nk0=columns // kind.count),
        x.view(np.uint8),
        blocks.view(np.uint8),
        groups=(rows, 1, 1),
        group_size=columns // kind.count,
    )
    numbers = kind.values(blocks)
    steps = {"q8_0": 127, "iq4_nl": 4}.get(name, 8 if name.startswith("q4") else 16)
    largest = np.abs(x).reshape(rows, -1, kind.count).max(axis=-1).repeat(kind.count, axis=-1)
    if name.endswith("_1"):
        steps /= 1.2
    np.testing.assert_array_less(np.abs(numbers - x), largest / steps * 1.01)

    out = np.zeros_like(x)
    if f"kernel_cpy_{name}_f32" not in library("quantize"):
        return
    run(
        library("quantize")[f"kernel_cpy_{name}_f32"],
        arguments("cpy", tensor("0", blocks, kind.count) | tensor("", out), nk0=columns // 16),
        blocks.view(np.uint8),
        out.view(np.uint8),
        groups=(rows * 2, 1, 1),
        group_size=columns // 32,
    )
    np.testing.assert_allclose(out, numbers, rtol=1e-3, atol=1e-3)
