"""The quantised numbers of ggml: blocks of bytes, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Blocks = NDArray[np.void]
Doubles = NDArray[np.float64]

# The values of four bits in mxfp4 (a sign, two bits of exponent, one of mantissa) and in iq4.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113.0])


class Format(NamedTuple):
    """A block type, how many numbers are in a block, and what they are."""

    block: np.dtype[np.void]
    count: int
    dequantise: Callable[[Blocks], Doubles]

    def random(self, shape: tuple[int, ...], rng: np.random.Generator) -> Blocks:
        """Blocks of random bits with scales of a moderate size."""
        blocks = np.frombuffer(
            rng.bytes(int(np.prod(shape)) * self.block.itemsize), self.block
        ).reshape(shape)
        blocks = blocks.copy()
        for scale in {"d", "m", "dmin"} & set(self.block.names or ()):
            blocks[scale] = rng.uniform(-0.1, 0.1, shape).astype(np.float16)
        if "e" in (self.block.names or ()):
            blocks["e"] = rng.integers(120, 130, shape, np.uint8)
        return blocks

    def values(self, blocks: Blocks) -> Doubles:
        """The numbers, those of a row of blocks along the last axis."""
        flat = self.dequantise(blocks.reshape(-1))
        return flat.reshape(*blocks.shape[:-1], blocks.shape[-1] * self.count)


def field(blocks: Blocks, name: str) -> Doubles:
    """A scale, shaped to be spread over its block."""
    return blocks[name].astype(np.float64)[:, None]


def nibbles(bytes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The low halves of all bytes, then the high halves."""
    wide = bytes.astype(np.int64)
    return np.concatenate([wide & 15, wide >> 4], axis=-1)


def bits(bytes: NDArray[np.uint8], width: int) -> NDArray[np.int64]:
    """Fields of `width` bits, from the lowest bits of each byte on."""
    wide = bytes.astype(np.int64)[..., None] >> np.arange(0, 8, width)
    return (wide & ((1 << width) - 1)).reshape(*bytes.shape[:-1], -1)


def fifth_bits(blocks: Blocks) -> NDArray[np.int64]:
    return nibbles(blocks["qs"]) | bits(blocks["qh"], 1) << 4


def planes(bytes: NDArray[np.uint8], width: int) -> NDArray[np.int64]:
    """Fields of `width` bits: those at the same place in each of the bytes lie together."""
    fields = bits(bytes, width).reshape(*bytes.shape, 8 // width)
    return np.moveaxis(fields, -1, -2).reshape(*bytes.shape[:-1], -1)


def halves(bytes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return bytes.reshape(len(bytes), 2, -1)


def spread(scales: NDArray[np.generic], count: int) -> Doubles:
    """Each scale for so many numbers."""
    return np.repeat(scales.astype(np.float64), count, axis=-1)


def q2_k(blocks: Blocks) -> Doubles:
    quants = planes(halves(blocks["qs"]), 2).reshape(len(blocks), -1)
    scales = nibbles(blocks["scales"])
    scale, least = spread(scales[:, :16], 16), spread(scales[:, 16:], 16)
    return field(blocks, "d") * scale * quants - field(blocks, "dmin") * least


def q3_k(blocks: Blocks) -> Doubles:
    quants = planes(halves(blocks["qs"]), 2).reshape(len(blocks), -1)
    high = planes(blocks["hmask"], 1)
    scales = nibbles(blocks["scales"][:, :8]) | planes(blocks["scales"][:, 8:], 2) << 4
    return field(blocks, "d") * spread(scales - 32, 16) * (quants + 4 * high - 4)


def six_bit_scales(blocks: Blocks) -> tuple[Doubles, Doubles]:
    """Eight scales and eight minima in twelve bytes."""
    bytes = blocks["scales"].astype(np.int64)
    first, second, third = bytes[:, :4], bytes[:, 4:8], bytes[:, 8:]
    scale = np.concatenate([first & 63, third & 15 | first >> 6 << 4], axis=1)
    least = np.concatenate([second & 63, third >> 4 | second >> 6 << 4], axis=1)
    return spread(scale, 32), spread(least, 32)


def q4_k(blocks: Blocks) -> Doubles:
    quants = nibbles(blocks["qs"].reshape(-1, 4, 32)).reshape(len(blocks), -1)
    scale, least = six_bit_scales(blocks)
    return field(blocks, "d") * scale * quants - field(blocks, "dmin") * least


def q5_k(blocks: Blocks) -> Doubles:
    quants = nibbles(blocks["qs"].reshape(-1, 4, 32)).reshape(len(blocks), -1)
    quants |= planes(blocks["qh"], 1) << 4
    scale, least = six_bit_scales(blocks)
    return field(blocks, "d") * scale * quants - field(blocks, "dmin") * least


def q6_k(blocks: Blocks) -> Doubles:
    quants = nibbles(halves(blocks["ql"])) | planes(halves(blocks["qh"]), 2) << 4
    return field(blocks, "d") * spread(blocks["scales"], 16) * (quants.reshape(-1, 256) - 32)


def iq4_xs(blocks: Blocks) -> Doubles:
    scales = bits(blocks["scales_l"], 4) | bits(blocks["scales_h"], 2) << 4
    quants = nibbles(blocks["qs"].reshape(-1, 8, 16)).reshape(len(blocks), -1)
    return field(blocks, "d") * spread(scales - 32, 32) * IQ4[quants]


FORMATS = {
    "q1_0": Format(
        np.dtype([("d", "f2"), ("qs", "16u1")]),
        128,
        lambda b: field(b, "d") * (2 * bits(b["qs"], 1) - 1),
    ),
    "q2_0": Format(
        np.dtype([("d", "f2"), ("qs", "16u1")]),
        64,
        lambda b: field(b, "d") * (bits(b["qs"], 2) - 1),
    ),
    "q4_0": Format(
        np.dtype([("d", "f2"), ("qs", "16u1")]),
        32,
        lambda b: field(b, "d") * (nibbles(b["qs"]) - 8),
    ),
    "q4_1": Format(
        np.dtype([("d", "f2"), ("m", "f2"), ("qs", "16u1")]),
        32,
        lambda b: field(b, "d") * nibbles(b["qs"]) + field(b, "m"),
    ),
    "q5_0": Format(
        np.dtype([("d", "f2"), ("qh", "4u1"), ("qs", "16u1")]),
        32,
        lambda b: field(b, "d") * (fifth_bits(b) - 16),
    ),
    "q5_1": Format(
        np.dtype([("d", "f2"), ("m", "f2"), ("qh", "4u1"), ("qs", "16u1")]),
        32,
        lambda b: field(b, "d") * fifth_bits(b) + field(b, "m"),
    ),
    "q8_0": Format(np.dtype([("d", "f2"), ("qs", "32i1")]), 32, lambda b: field(b, "d") * b["qs"]),
    "mxfp4": Format(
        np.dtype([("e", "u1"), ("qs", "16u1")]),
        32,
        lambda b: 2 ** (field(b, "e") - 127) * E2M1[nibbles(b["qs"])],
    ),
    "iq4_nl": Format(
        np.dtype([("d", "f2"), ("qs", "16u1")]),
        32,
        lambda b: field(b, "d") * IQ4[nibbles(b["qs"])],
    ),
    "q2_K": Format(
        np.dtype([("scales", "16u1"), ("qs", "64u1"), ("d", "f2"), ("dmin", "f2")]), 256, q2_k
    ),
    "q3_K": Format(
        np.dtype([("hmask", "32u1"), ("qs", "64u1"), ("scales", "12u1"), ("d", "f2")]), 256, q3_k
    ),
    "q4_K": Format(
        np.dtype([("d", "f2"), ("dmin", "f2"), ("scales", "12u1"), ("qs", "128u1")]), 256, q4_k
    ),
    "q5_K": Format(
        np.dtype(
            [("d", "f2"), ("dmin", "f2"), ("scales", "12u1"), ("qh", "32u1"), ("qs", "128u1")]
        ),
        256,
        q5_k,
    ),
    "q6_K": Format(
        np.dtype([("ql", "128u1"), ("qh", "64u1"), ("scales", "16i1"), ("d", "f2")]), 256, q6_k
    ),
    "iq4_xs": Format(
        np.dtype([("d", "f2"), ("scales_h", "2u1"), ("scales_l", "4u1"), ("qs", "128u1")]),
        256,
        iq4_xs,
    ),
}
