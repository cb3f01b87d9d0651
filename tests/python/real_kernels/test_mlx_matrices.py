"""MLX's products of matrices and vectors, plain and quantised, and its attention."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from mlx_kernels import EPSILON, TYPES, library, parameters, random, wide
from msl_sources import pack

Array = NDArray[np.generic]
Doubles = NDArray[np.float64]


def assert_products(
    out: Array, a: Array, b: Array, kind: str, rounded: Array | None = None
) -> None:
    """Errors are measured by what went into each sum, and by what was rounded."""
    expected = wide(a) @ wide(b)
    size = np.abs(wide(a)) @ np.abs(wide(b))
    rounded = np.abs(expected) if rounded is None else rounded
    limit = 1e-6 * size + 2 * EPSILON[kind] * rounded + 1e-7
    np.testing.assert_array_less(np.abs(wide(out) - expected), limit)


GEMV = {
    # Simdgroups, threads of a simdgroup and elements of a thread, down and across.
    "rows": ("gemv", (4, 1, 1, 32, 4, 4)),
    "narrow": ("gemv", (1, 8, 1, 32, 4, 4)),
    "columns": ("gemv_t", (1, 4, 8, 4, 4, 4)),
}


@pytest.mark.parametrize("kind", ["float", "half", "bfloat16_t", "complex64_t"])
@pytest.mark.parametrize("name", GEMV)
def test_matrix_times_vector(name: str, kind: str, rng: np.random.Generator) -> None:
    """For each of some matrices, times a factor, plus another vector."""
    template, shape = GEMV[name]
    products = library("gemv.h", kernels={"gemv": (template, kind, *shape, "false", "true")})
    bm, bn, sm, sn, tm, tn = shape
    batches, outputs, inputs = 3, 93, 210
    x = random(kind, (batches, inputs, 1), rng)
    stored = (inputs, outputs) if template == "gemv_t" else (outputs, inputs)
    storage = random(kind, (batches, *stored), rng)
    matrix = storage.transpose(0, 2, 1) if template == "gemv_t" else storage
    bias, alpha, beta = random(kind, (outputs, 1), rng), 0.5, 2.0
    out = np.zeros((batches, outputs, 1), TYPES[kind])
    each = bn * sn * tn if template == "gemv_t" else bm * sm * tm
    one, sizes = np.array([batches], np.int32), np.array([inputs * outputs], np.int64)
    products.gemv(
        storage,
        x,
        bias,
        out,
        *(inputs, outputs, stored[1], alpha, beta, 1, one),
        *(np.array([inputs], np.int64), sizes, np.array([0], np.int64), 1),
        groups=(-(-outputs // each), 1, batches),
        group_size=(32, bn, bm),
    )
    joined = np.concatenate([alpha * wide(matrix), wide(np.broadcast_to(bias, out.shape))], axis=2)
    factors = np.concatenate([wide(x), np.full((batches, 1, 1), beta)], axis=1)
    rounded = np.abs(alpha * wide(matrix) @ wide(x)) + np.abs(beta * wide(bias))
    assert_products(out, joined, factors, kind, rounded)


@pytest.mark.parametrize(
    ("kind", "ways", "tile", "sizes"),
    [
        ("float", "nn", (64, 64, 16, 2, 2), (128, 64, 32)),
        ("float", "tt", (32, 32, 16, 2, 2), (75, 41, 50)),
        ("half", "nt", (64, 32, 32, 2, 2), (70, 90, 100)),
        ("half", "tn", (32, 64, 16, 1, 2), (64, 128, 37)),
        ("bfloat16_t", "nn", (64, 64, 16, 1, 2), (65, 63, 64)),
        ("bfloat16_t", "nt", (64, 32, 8, 4, 1), (100, 32, 24)),
        ("complex64_t", "nt", (32, 32, 16, 2, 2), (40, 33, 21)),
    ],
)
def test_steel_gemm(
    kind: str,
    ways: str,
    tile: tuple[int, ...],
    sizes: tuple[int, int, int],
    rng: np.random.Generator,
) -> None:
    """Aligned or not, each operand transposed or not, in a batch with a shared operand."""
    (bm, bn, bk, wm, wn), (rows, columns, inner) = tile, sizes
    kernels = library(
        "steel/gemm/gemm.h",
        "steel/gemm/kernels/steel_gemm_fused.h",
        kernels={"gemm": ("gemm", kind, *tile, *("true" if w == "t" else "false" for w in ways))},
    )
    batches = 2
    a_storage = random(kind, (batches, *((inner, rows) if ways[0] == "t" else (rows, inner))), rng)
    b_storage = random(kind, (inner, columns) if ways[1] == "n" else (columns, inner), rng)
    a = a_storage.transpose(0, 2, 1) if ways[0] == "t" else a_storage
    b = b_storage.T if ways[1] == "t" else b_storage
    out = np.zeros((batches, rows, columns), TYPES[kind])
    tiles = -(-rows // bm), -(-columns // bn)
    kernels["gemm"](
        a_storage,
        b_storage,
        None,
        out,
        pack(
            parameters("steel/gemm/params.h")["GEMMParams"],
            M=rows,
            N=columns,
            K=inner,
            lda=a_storage.shape[2],
            ldb=b_storage.shape[1],
            ldd=columns,
            tiles_n=tiles[1],
            tiles_m=tiles[0],
            batch_stride_a=rows * inner,
            batch_stride_b=0,
            batch_stride_d=rows * columns,
            swizzle_log=0,
            gemm_k_iterations_aligned=inner // bk,
            batch_ndim=1,
        ),
        *(None, None, None),
        groups=(tiles[1], tiles[0], batches),
        group_size=(32, wn, wm),
        constants={
            "has_batch": False,
            "use_out_source": False,
            "do_axpby": False,
            "align_M": rows % bm == 0,
            "align_N": columns % bn == 0,
            "align_K": inner % bk == 0,
        },
    )
    assert_products(out, a, b, kind)


def quantised(
    bits: int, group: int, kind: str, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[Array, Array, Array, Doubles]:
    """Random words, scales and biases, and the numbers they stand for."""
    rows, columns = shape
    values = rng.integers(0, 1 << bits, shape, np.uint8)
    planes = (values[..., None] >> np.arange(bits, dtype=np.uint8)) & np.uint8(1)
    words = np.packbits(planes.reshape(rows, -1), axis=1, bitorder="little").view(np.uint32)
    scales, biases = (random(kind, (rows, columns // group), rng) for _ in range(2))
    numbers = np.repeat(wide(scales), group, 1) * values + np.repeat(wide(biases), group, 1)
    return words, scales, biases, numbers


QUANTISED = ("steel/gemm/gemm.h", "quantized_utils.h", "quantized.h")


@pytest.mark.parametrize(
    ("kind", "bits", "group"),
    [("float", 4, 64), ("half", 8, 32), ("bfloat16_t", 2, 128), ("float", 3, 64), ("half", 6, 64)],
)
def test_quantised_products(kind: str, bits: int, group: int, rng: np.random.Generator) -> None:
    """Restored, times vectors from either side, and times a matrix."""
    arguments = kind, group, bits
    products = library(
        *QUANTISED,
        kernels={
            "dequantize": ("affine_dequantize", *arguments),
            "qmv_fast": ("affine_qmv_fast", *arguments, "false"),
            "qmv": ("affine_qmv", *arguments, "false"),
            "qvm": ("affine_qvm", *arguments, "false"),
            "qmm_t": ("affine_qmm_t", *arguments, "false", "false"),
            "qmm_n": ("affine_qmm_n", *arguments, "false"),
        },
    )
    rows, columns = 64, 512
    words, scales, biases, numbers = quantised(bits, group, kind, (rows, columns), rng)
    packed = 8 if bits in (3, 5) else 4 if bits == 6 else 8 // bits
    out = np.zeros((rows, columns), TYPES[kind])
    products.dequantize(
        words.view(np.uint8), scales, biases, out, threads=(columns // packed, rows)
    )
    step = EPSILON[kind] * np.abs(numbers).max()
    np.testing.assert_allclose(wide(out), numbers, rtol=0, atol=2 * step)

    none = np.zeros(1, np.int32), np.zeros(1, np.int64)
    batch = (1, *none, 1, *none, none[1], none[1])
    vectors = 3
    x = random(kind, (vectors, columns), rng)
    for name, count in {"qmv_fast": rows, "qmv": 53}.items():
        y = np.zeros((vectors, count), TYPES[kind])
        products[name](
            *(words[:count], scales[:count], biases[:count], x, y, columns, count, *batch),
            groups=(vectors, -(-count // 8), 1),
            group_size=(32, 2, 1),
        )
        assert_products(y, x, numbers[:count].T, kind)

    x = random(kind, (vectors, rows), rng)
    y = np.zeros((vectors, columns), TYPES[kind])
    products.qvm(
        *(words, scales, biases, x, y, rows, columns, *batch),
        groups=(vectors, columns // (2 * min(group, 32)), 1),
        group_size=(32, 2, 1),
    )
    assert_products(y, x, numbers, kind)

    # These hold the restored numbers in the type of the vectors.
    rounded = numbers.astype(np.float32).astype(TYPES[kind])
    many = 37
    x, count = random(kind, (many, columns), rng), 53
    y = np.zeros((many, count), TYPES[kind])
    products.qmm_t(
        *(words[:count], scales[:count], biases[:count], x, y, columns, count, many, *batch),
        groups=(-(-count // 32), -(-many // 32), 1),
        group_size=(32, 2, 2),
    )
    tolerance = 4 * EPSILON[kind] * np.abs(wide(x)) @ np.abs(wide(rounded[:count])).T
    np.testing.assert_array_less(np.abs(wide(y) - wide(x) @ numbers[:count].T), tolerance + 1e-5)

    x = random(kind, (many, rows), rng)
    y = np.zeros((many, columns), TYPES[kind])
    products.qmm_n(
        *(words, scales, biases, x, y, rows, columns, many, *batch),
        groups=(columns // 32, -(-many // 32), 1),
        group_size=(32, 2, 2),
    )
    tolerance = 4 * EPSILON[kind] * np.abs(wide(x)) @ np.abs(wide(rounded))
    np.testing.assert_array_less(np.abs(wide(y) - wide(x) @ numbers), tolerance + 1e-5)


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
def test_quantise(bits: int, rng: np.random.Generator) -> None:
    """What comes back is within a step of what went in."""
    group, rows, columns = 64, 5, 320
    kernels = library(
        *QUANTISED,
        kernels={
            "quantize": ("affine_quantize", "float", group, bits),
            "dequantize": ("affine_dequantize", "float", group, bits),
        },
    )
    x = random("float", (rows, columns), rng)
    words = np.zeros((rows, columns * bits // 8), np.uint8)
    scales, biases = (np.zeros((rows, columns // group), np.float32) for _ in range(2))
    kernels.quantize(x, words, scales, biases, threads=(columns // 2, rows))
    back = np.zeros_like(x)
    packed = 8 if bits in (3, 5) else 4 if bits == 6 else 8 // bits
    kernels.dequantize(words, scales, biases, back, threads=(columns // packed, rows))
    steps = np.repeat(np.abs(scales), group, axis=1)
    assert (np.abs(back - x) <= 1.01 * steps).all()
    assert np.abs(back - x).mean() < 0.4 * steps.mean()


def attention(q: Array, k: Array, v: Array, scale: float, mask: Doubles | None) -> Doubles:
    repeats = q.shape[1] // k.shape[1]
    keys, values = (np.repeat(wide(part), repeats, axis=1) for part in (k, v))
    logits = wide(q) @ np.swapaxes(keys, -1, -2) * scale
    if mask is not None:
        logits = logits + mask
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ values


@pytest.mark.parametrize(
    ("kind", "masked", "causal"),
    [("float", False, False), ("half", True, False), ("bfloat16_t", False, True)],
)
def test_attention_of_few_queries(
    kind: str, masked: bool, causal: bool, rng: np.random.Generator
) -> None:
    heads, key_heads, queries, keys, size = 4, 2, 3, 77, 64
    kernels = library("sdpa_vector.h", kernels={"sdpa": ("sdpa_vector", kind, size, size)})
    q = random(kind, (1, heads, queries, size), rng)
    k, v = (random(kind, (1, key_heads, keys, size), rng) for _ in range(2))
    mask = random(kind, (queries, keys), rng)
    out = np.zeros_like(q)
    scale = 1 / math.sqrt(size)
    kernels.sdpa(
        *(q, k, v, out, heads // key_heads, keys, keys * size, size, keys * size, size, scale),
        *((None, mask, 1, keys, 0) if masked else (None,) * 5),
        *(None, None),
        groups=(heads, queries, 1),
        group_size=1024,
        constants={
            "has_mask": masked,
            "query_transposed": False,
            "do_causal": causal,
            "bool_mask": False,
            "float_mask": masked,
            "has_sinks": False,
        },
    )
    added = wide(mask) if masked else None
    if causal:
        later = np.arange(keys) > np.arange(queries)[:, None] + keys - queries
        added = np.where(later, -np.inf, 0.0)
    expected = attention(q, k, v, scale, added)
    np.testing.assert_allclose(wide(out), expected, rtol=0, atol=4 * EPSILON[kind] + 2e-6)


@pytest.mark.parametrize(
    ("kind", "queries", "keys", "size"),
    [("float", 64, 64, 64), ("half", 45, 83, 64), ("bfloat16_t", 33, 70, 128)],
)
def test_steel_attention(
    kind: str, queries: int, keys: int, size: int, rng: np.random.Generator
) -> None:
    """Tiles of queries in matrices of simdgroups, whole or not."""
    batches, heads, key_heads, bq = 2, 4, 2, 32
    bk = 32 if size < 128 else 16
    kernels = library(
        "steel/attn/attn.h",
        "steel/attn/kernels/steel_attention.h",
        kernels={"attention": ("attention", kind, bq, bk, size, size, 4, 1, kind)},
    )
    q = random(kind, (batches, heads, queries, size), rng)
    k, v = (random(kind, (batches, key_heads, keys, size), rng) for _ in range(2))
    out = np.zeros_like(q)
    scale = 1 / math.sqrt(size)

    def strides(array: Array) -> list[int]:
        return [stride // array.itemsize for stride in array.strides[:3]]

    blocks = -(-queries // bq)
    kernels["attention"](
        q,
        k,
        v,
        out,
        pack(
            parameters("steel/attn/params.h")["AttnParams"],
            B=batches,
            H=heads,
            D=size,
            qL=queries,
            kL=keys,
            gqa_factor=heads // key_heads,
            scale=scale,
            NQ=blocks,
            NK=-(-keys // bk),
            NQ_aligned=queries // bq,
            NK_aligned=keys // bk,
            qL_rem=queries % bq,
            kL_rem=keys % bk,
            qL_off=keys - queries,
            Q_strides=strides(q),
            K_strides=strides(k),
            V_strides=strides(v),
            O_strides=strides(out),
        ),
        *(None, None, None, None),
        groups=(blocks, heads, batches),
        group_size=(32, 4, 1),
        constants={
            "align_Q": queries % bq == 0,
            "align_K": keys % bk == 0,
            "has_mask": False,
            "do_causal": False,
            "has_sinks": False,
            "save_lse": False,
        },
    )
    expected = attention(q, k, v, scale, None)
    np.testing.assert_allclose(wide(out), expected, rtol=0, atol=4 * EPSILON[kind] + 2e-6)
