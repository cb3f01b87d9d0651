"""Packing and unpacking of normalised integers, against NumPy's float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc

COUNT = 1000

Doubles = NDArray[np.float64]


def linear_to_srgb(x: Doubles) -> Doubles:
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.power(x, 1 / 2.4) - 0.055)


def srgb_to_linear(x: Doubles) -> Doubles:
    return np.where(x <= 0.04045, x / 12.92, np.power((x + 0.055) / 1.055, 2.4))


class Layout(NamedTuple):
    """Fields of one word, lowest bits first."""

    bits: tuple[int, ...]
    is_signed: bool = False
    encode: Callable[[Doubles], Doubles] = lambda x: x  # of all but the fourth
    decode: Callable[[Doubles], Doubles] = lambda x: x

    def scale(self, field: int) -> int:
        return (1 << self.bits[field] - self.is_signed) - 1

    def fields(self, words: NDArray[np.unsignedinteger]) -> list[NDArray[np.int64]]:
        result, shift = [], 0
        for bits in self.bits:
            field = (words.astype(np.int64) >> shift) & (1 << bits) - 1
            if self.is_signed:
                field -= (field >> bits - 1) << bits
            result.append(field)
            shift += bits
        return result

    def unpacked(self, words: NDArray[np.unsignedinteger]) -> Doubles:
        values = [
            np.maximum(field / self.scale(k), -1.0) for k, field in enumerate(self.fields(words))
        ]
        return np.stack([self.decode(x) if k < 3 else x for k, x in enumerate(values)], axis=1)

    def places(self, values: Doubles) -> Doubles:
        """What the fields are, before they are rounded."""
        clipped = np.clip(values, -1.0 if self.is_signed else 0.0, 1.0)
        return np.stack(
            [
                (self.encode(clipped[:, k]) if k < 3 else clipped[:, k]) * self.scale(k)
                for k in range(len(self.bits))
            ],
            axis=1,
        )


LAYOUTS = {  # by the names in pack_float_to_*, unpack_*_to_float
    ("unorm4x8", "unorm4x8"): Layout((8, 8, 8, 8)),
    ("snorm4x8", "snorm4x8"): Layout((8, 8, 8, 8), is_signed=True),
    ("unorm2x16", "unorm2x16"): Layout((16, 16)),
    ("snorm2x16", "snorm2x16"): Layout((16, 16), is_signed=True),
    ("unorm10a2", "unorm10a2"): Layout((10, 10, 10, 2)),
    ("unorm565", "unorm565"): Layout((5, 6, 5)),
    ("srgb_unorm4x8", "unorm4x8_srgb"): Layout(
        (8, 8, 8, 8), encode=linear_to_srgb, decode=srgb_to_linear
    ),
}


@pytest.mark.parametrize("names", LAYOUTS, ids=lambda names: names[0])
@pytest.mark.parametrize("type", ["float", "half"])
def test_packing(names: tuple[str, str], type: str) -> None:
    layout = LAYOUTS[names]
    width = len(layout.bits)
    word = np.dtype(f"uint{sum(layout.bits)}")
    dtype = {"float": np.float32, "half": np.float16}[type]
    library = mc.compile(
        f"""
#include <metal_stdlib>
using namespace metal;
typedef {"ushort" if word.itemsize == 2 else "uint"} word;
kernel void pack(device const packed_{type}{width} *x, device word *out,
                 uint i [[thread_position_in_grid]]) {{
  out[i] = pack_{type}_to_{names[0]}(x[i]);
}}
kernel void unpack(device const word *x, device packed_{type}{width} *out,
                   uint i [[thread_position_in_grid]]) {{
  out[i] = unpack_{names[1]}_to_{type}(x[i]);
}}
"""
    )
    random = np.random.default_rng()
    values = random.uniform(-1.5, 1.5, (COUNT, width)).astype(dtype)
    values[:5] = np.array([[0.0], [1.0], [-1.0], [100.0], [0.5]])
    packed = mc.empty(COUNT, dtype=word.name)
    library.pack(mc.asarray(values), packed, threads=COUNT)
    got = np.stack(layout.fields(np.asarray(packed)), axis=1)
    # Rounded to nearest; the places are computed in float.
    assert np.abs(got - layout.places(values.astype(np.float64))).max() <= 0.505

    most = np.iinfo(word).max
    words = random.integers(0, most, COUNT, dtype=word, endpoint=True)
    words[:3] = 0, most, 0x80808080 & most
    unpacked = mc.empty((COUNT, width), dtype=np.dtype(dtype).name)
    library.unpack(mc.asarray(words), unpacked, threads=COUNT)
    error = np.asarray(unpacked).astype(np.float64) - layout.unpacked(words)
    assert np.abs(error).max() <= (2**-11 if type == "half" else 2e-7)
