"""ggml's rotary embeddings and flash attention: several kernels in turn, many constants."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ggml_blocks import FORMATS
from ggml_kernels import arguments, library, number, run, tensor

Array = NDArray[np.generic]
Doubles = NDArray[np.float64]


def rope(
    x: Doubles, angles: Doubles, scale: float, *, halves: bool, first: int, count: int
) -> Doubles:
    """Rotates pairs of `count` channels from `first` on: neighbours, or one of each half."""
    out = x.copy()
    window = x[..., first : first + count]
    a, b = np.split(window, 2, axis=-1) if halves else (window[..., ::2], window[..., 1::2])
    sine, cosine = np.sin(angles) * scale, np.cos(angles) * scale
    rotated = a * cosine - b * sine, a * sine + b * cosine
    joined = np.concatenate(rotated, -1) if halves else np.stack(rotated, -1).reshape(window.shape)
    out[..., first : first + count] = joined
    return out


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("kind", ["norm", "neox"])
def test_rope(
    kind: str, dtype: type[np.floating], backward: bool, rng: np.random.Generator
) -> None:
    """YaRN's mix of two frequencies, factors for each frequency, channels that stay."""
    tokens, heads, channels, first, count = 5, 3, 96, 8, 64
    base, scale, mix, factor = 10000.0, 0.25, 0.7, 1.1
    context, fast, slow = 4096, 32.0, 1.0
    x = rng.standard_normal((2, tokens, heads, channels), np.float32).astype(dtype)
    positions = rng.integers(0, 50, tokens, np.int32)
    factors = rng.uniform(0.5, 2, count // 2).astype(np.float32)
    out = np.zeros_like(x)
    run(
        library("rope")[f"kernel_rope_{kind}_{'f16' if dtype is np.float16 else 'f32'}"],
        arguments(
            "rope",
            tensor("0", x) | tensor("", out),
            n_past=0,
            n_dims=count,
            n_offs=first,
            n_ctx_orig=context,
            freq_base=base,
            freq_scale=scale,
            ext_factor=mix,
            attn_factor=factor,
            beta_fast=fast,
            beta_slow=slow,
            **{f"sect_{i}": 0 for i in range(4)},
            src2=True,
            inplace=False,
        ),
        x,
        positions.view(np.uint8),
        factors,
        out,
        groups=(heads, tokens, 2),
        group_size=channels // 2,
        FC_rope_is_back=backward,
    )

    def corner(turns: float) -> float:
        return count * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = max(0, math.floor(corner(fast))), min(count - 1, math.ceil(corner(slow)))
    pair = np.arange(count // 2)
    ramp = mix * (1 - np.clip((pair - low) / max(0.001, high - low), 0, 1))
    extrapolated = positions[:, None] * base ** (-2.0 * pair / count) / factors.astype(np.float64)
    angles = extrapolated * (scale * (1 - ramp) + ramp)
    expected = rope(
        x.astype(np.float64),
        (-angles if backward else angles)[None, :, None, :],
        factor * (1 + 0.1 * math.log(1 / scale)),
        halves=kind == "neox",
        first=first,
        count=count,
    )
    tolerance = 2e-3 if dtype is np.float16 else 5e-5
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)


def attention(
    q: Array,
    k: Doubles,
    v: Doubles,
    mask: Array,
    sinks: Array | None,
    scale: float,
    cap: float,
    slope: Doubles,
) -> Doubles:
    """Queries, then keys and values of fewer heads; as ggml has it, (batch, query, head, value)."""
    repeats = q.shape[1] // k.shape[1]
    k, v = (np.repeat(part, repeats, axis=1) for part in (k, v))
    logits = q.astype(np.float64) @ np.swapaxes(k, -1, -2) * scale
    if cap:
        logits = cap * np.tanh(logits / cap)
    logits = logits + slope[None, :, None, None] * mask.astype(np.float64)
    largest = logits.max(axis=-1, keepdims=True)
    sink = -np.inf if sinks is None else sinks.astype(np.float64)[None, :, None, None]
    largest = np.maximum(largest, sink)
    weights = np.exp(logits - largest)
    total = weights.sum(axis=-1, keepdims=True) + np.exp(sink - largest)
    return np.swapaxes(weights / total @ v, 1, 2)


FLOATS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


class Problem:
    """Random queries, keys, values and a mask; what all kinds of flash attention share."""

    def __init__(
        self,
        kind: str,
        queries: int,
        keys: int,
        size: int,
        *,
        bias: bool,
        cap: bool,
        sinks: bool,
        rng: np.random.Generator,
    ) -> None:
        batches, heads, key_heads = 2, 4, 2
        self.heads, self.keys, self.queries, self.batches = heads, keys, queries, batches
        self.kind, self.size, self.key_heads = kind, size, key_heads
        self.q = rng.standard_normal((batches, heads, queries, size), np.float32)
        self.k, self.k_values = self._random((batches, key_heads, keys, size), rng)
        self.v, self.v_values = self._random((batches, key_heads, keys, size), rng)
        self.mask = rng.normal(0, 1, (1, 1, queries, keys)).astype(np.float16)
        self.mask[..., : keys // 2][rng.random((1, 1, queries, keys // 2)) < 0.3] = -np.inf
        self.sinks = rng.normal(0, 2, heads).astype(np.float32) if sinks else None
        self.bias, self.cap = 8.0 if bias else 0.0, 5.0 if cap else 0.0
        self.scale = 1 / math.sqrt(size)
        self.out = np.zeros((batches, queries, heads, size), np.float32)

    def _random(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Array, Doubles]:
        if self.kind in FLOATS:
            numbers = rng.standard_normal(shape, np.float32).astype(FLOATS[self.kind])
            return numbers, numbers.astype(np.float64)
        kind = FORMATS[self.kind]
        blocks = kind.random((*shape[:-1], shape[-1] // kind.count), rng)
        return blocks, kind.values(blocks)

    @property
    def fields(self) -> dict[str, int]:
        of_values = tensor("2", self.v)
        return (
            tensor("0", self.q)
            | tensor("1", self.k)
            | {name: of_values[name] for name in ("nb21", "nb22", "nb23")}
            | tensor("3", self.mask)
            | {"ne_12_2": self.key_heads, "ne_12_3": self.batches}
        )

    @property
    def row(self) -> int:
        """Elements from one key to the next, blocks of them counted as one."""
        return self.k.strides[-2] // self.k.strides[-1]

    def arguments(self, name: str, **more: int) -> bytes:
        base = 2.0 ** (-self.bias / self.heads)
        return arguments(
            name,
            self.fields,
            ne1=self.heads,
            ne2=self.queries,
            ne3=self.batches,
            ns10=self.row,
            ns20=self.row,
            scale=self.scale / (self.cap or 1),
            max_bias=self.bias,
            m0=base,
            m1=base**0.5,
            n_head_log2=self.heads,
            logit_softcap=self.cap,
            **more,
        )

    def padding(self, chunk: int) -> NDArray[np.uint8]:
        """The last keys, values and their mask, filled up to a whole chunk by a kernel."""
        rows = self.batches * self.key_heads * chunk
        bytes = 2 * rows * self.k.strides[-2] + self.queries * chunk * 2
        padding = np.zeros(bytes, np.uint8)
        run(
            library("fa_aux")["kernel_flash_attn_ext_pad"],
            arguments("flash_attn_ext_pad", self.fields),
            self.k.view(np.uint8),
            self.v.view(np.uint8),
            self.mask,
            padding,
            groups=(chunk, self.key_heads, self.batches),
            group_size=32,
            FC_flash_attn_ext_pad_has_mask=True,
            FC_flash_attn_ext_pad_ncpsg=chunk,
        )
        return padding

    def constants(self, prefix: str, chunk: int) -> dict[str, bool | int]:
        values: dict[str, bool | int] = {
            "has_mask": True,
            "has_sinks": self.sinks is not None,
            "has_bias": self.bias != 0,
            "has_scap": self.cap != 0,
            "has_kvpad": self.keys % chunk != 0,
        }
        if self.kind in FLOATS:
            values |= {"ns10": self.row, "ns20": self.row}
        return {f"{prefix}_{name}": value for name, value in values.items()}

    def check(self, tolerance: float) -> None:
        slope = 2.0 ** (-self.bias / self.heads * (np.arange(self.heads) + 1))
        expected = attention(
            self.q.astype(np.float16),  # as the kernels hold them
            self.k_values,
            self.v_values,
            self.mask,
            self.sinks,
            self.scale,
            self.cap,
            slope,
        )
        size = np.abs(self.v_values).max()
        np.testing.assert_allclose(self.out, expected, rtol=tolerance, atol=tolerance * size)


@pytest.mark.parametrize(
    ("kind", "queries", "keys", "size", "options"),
    [
        ("f16", 13, 150, 64, {"bias": True, "cap": False, "sinks": True}),
        ("f16", 16, 128, 128, {"bias": False, "cap": True, "sinks": False}),
        ("f32", 9, 70, 64, {"bias": False, "cap": False, "sinks": True}),
        ("bf16", 24, 64, 96, {"bias": True, "cap": True, "sinks": False}),
        ("q8_0", 11, 200, 64, {"bias": False, "cap": False, "sinks": False}),
    ],
)
def test_flash_attention(
    kind: str,
    queries: int,
    keys: int,
    size: int,
    options: dict[str, bool],
    rng: np.random.Generator,
) -> None:
    """Eight queries of a threadgroup at a time, in matrices of simdgroups."""
    problem = Problem(kind, queries, keys, size, rng=rng, **options)
    group = number("OP_FLASH_ATTN_EXT_NQPSG")
    chunk = number("OP_FLASH_ATTN_EXT_NCPSG")
    simdgroups = 4
    blocks = np.zeros((-(-queries // group), -(-keys // chunk)), np.int8)
    run(
        library("fa_aux")["kernel_flash_attn_ext_blk"],
        arguments("flash_attn_ext_blk", problem.fields),
        problem.mask,
        blocks,
        groups=(blocks.shape[1], blocks.shape[0], 1),
        group_size=32,
        FC_flash_attn_ext_blk_nqptg=group,
        FC_flash_attn_ext_blk_ncpsg=chunk,
    )
    assert (blocks == 1).all()  # each has something that is not masked
    padded = -(-size // 64) * 64
    halves = group * (size + 2 * padded + 4 * chunk)
    if kind in FORMATS:
        halves += 16 * 32 * simdgroups
    prefix = "FC_flash_attn_ext"
    run(
        library(f"fa_{'f16' if kind == 'bf16' else kind}", f"_{kind}_dk{size}_dv{size}")[
            f"kernel_flash_attn_ext_{kind}_dk{size}_dv{size}"
        ],
        problem.arguments("flash_attn_ext"),
        problem.q,
        problem.k.view(np.uint8),
        problem.v.view(np.uint8),
        problem.mask,
        problem.q if problem.sinks is None else problem.sinks,
        problem.padding(chunk),
        blocks,
        problem.out,
        groups=(-(-queries // group), problem.heads, problem.batches),
        group_size=(32, simdgroups, 1),
        memory=2 * halves,
        **problem.constants(prefix, chunk),
        FC_flash_attn_ext_bc_mask=queries % 8 != 0,
        FC_flash_attn_ext_nsg=simdgroups,
    )
    problem.check(1e-2 if kind == "bf16" else 2e-3)


@pytest.mark.parametrize(
    ("kind", "keys", "size", "variant", "workgroups", "options"),
    [
        ("f16", 300, 64, "", 32, {"bias": True, "cap": False, "sinks": True}),
        ("f16", 100, 128, "_q1_ne2", 1, {"bias": False, "cap": True, "sinks": False}),
        ("q4_0", 70, 64, "", 32, {"bias": False, "cap": False, "sinks": False}),
        pytest.param(
            *("f16", 100, 128, "", 1, {"bias": False, "cap": True, "sinks": False}),
            marks=pytest.mark.xfail(
                reason="Lane 0 overwrites what the other lanes may still have to read: there is no "
                "barrier, because Apple's simdgroups run in lockstep. Ours do not."
            ),
        ),
    ],
)
def test_flash_attention_of_few_queries(
    kind: str,
    keys: int,
    size: int,
    variant: str,
    workgroups: int,
    options: dict[str, bool],
    rng: np.random.Generator,
) -> None:
    """The keys are divided among threadgroups, whose results a last kernel puts together."""
    problem = Problem(kind, 3, keys, size, rng=rng, **options)
    chunk = number("OP_FLASH_ATTN_EXT_VEC_NCPSG")
    padded = -(-size // 128) * 128
    rows = problem.out.size // size
    parts = np.zeros(rows * (size + 2) * workgroups, np.float32)
    run(
        library(f"fa_vec_{kind}", f"_dk{size}_dv{size}")[
            f"kernel_flash_attn_ext_vec_{kind}_dk{size}_dv{size}{variant}"
        ],
        problem.arguments("flash_attn_ext_vec", n_kv_max_padded=0),
        problem.q,
        problem.k.view(np.uint8),
        problem.v.view(np.uint8),
        problem.mask,
        problem.q if problem.sinks is None else problem.sinks,
        problem.padding(chunk),
        problem.out if workgroups == 1 else parts,
        problem.q,
        groups=(problem.queries, problem.heads, problem.batches * workgroups),
        group_size=(32, 1, 1),
        memory=2 * (padded + 4 * chunk + 2 * padded),
        **problem.constants("FC_flash_attn_ext_vec", chunk),
        **({} if kind in FLOATS else {"FC_flash_attn_ext_vec_ns10": problem.row}),
        FC_flash_attn_ext_vec_has_sparse=False,
        FC_flash_attn_ext_vec_nsg=1,
        FC_flash_attn_ext_vec_nwg=workgroups,
    )
    if workgroups > 1:
        run(
            library("fa_aux")["kernel_flash_attn_ext_vec_reduce"],
            arguments("flash_attn_ext_vec_reduce", nrows=rows),
            parts,
            problem.out,
            groups=(rows, 1, 1),
            group_size=32 * workgroups,
            FC_flash_attn_ext_vec_reduce_DV=size,
            FC_flash_attn_ext_vec_reduce_NWG=workgroups,
        )
    problem.check(2e-3)
