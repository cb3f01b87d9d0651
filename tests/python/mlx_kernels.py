"""Running kernel templates of MLX, instantiated here as MLX does at run time."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import ml_dtypes
import numpy as np
import numpy.typing as npt

import metalcore as mc
from metalcore.tools.corpora.includes import flatten_text
from msl_sources import instantiate, structures
from source_archives import SourceArchive

MLX_METAL = SourceArchive(
    "mlx-metal",
    "mlx_metal-0.32.4-py3-none-macosx_14_0_arm64.whl",
    "8019b2db622599267d66cc168b2f0dbf5af929790a6c3b3913e00eabc42a7947",
)

Array = npt.NDArray[np.generic]

# MLX's names of element types.
TYPES = {
    "bool": np.dtype(np.bool_),
    "uint8_t": np.dtype(np.uint8),
    "uint16_t": np.dtype(np.uint16),
    "uint32_t": np.dtype(np.uint32),
    "uint64_t": np.dtype(np.uint64),
    "int8_t": np.dtype(np.int8),
    "int16_t": np.dtype(np.int16),
    "int32_t": np.dtype(np.int32),
    "int64_t": np.dtype(np.int64),
    "half": np.dtype(np.float16),
    "bfloat16_t": np.dtype(ml_dtypes.bfloat16),
    "float": np.dtype(np.float32),
    "complex64_t": np.dtype(np.complex64),
}
# The spacing of numbers near 1.
EPSILON = {"half": 2.0**-10, "bfloat16_t": 2.0**-7, "float": 2.0**-23, "complex64_t": 2.0**-23}


@functools.cache
def _folder() -> Path:
    """The folder that MLX's includes start from."""
    (header,) = MLX_METAL.folder(".h").rglob("metal/kernels/utils.h")
    return header.parents[4]


@functools.cache
def parameters(header: str) -> dict[str, np.dtype[np.void]]:
    """The structures of a header, which host and kernels share."""
    return structures((_folder() / "mlx/backend/metal/kernels" / header).read_text())


def source(*headers: str, kernels: Mapping[str, tuple[object, ...]]) -> str:
    """Kernels by name, each of a template and its arguments."""
    names = ("utils.h", *headers)
    text = "#include <metal_stdlib>\nusing namespace metal;\n" + "".join(
        f'#include "mlx/backend/metal/kernels/{name}"\n' for name in names
    )
    instances = "".join(
        instantiate(name, str(template), arguments)
        for name, (template, *arguments) in kernels.items()
    )
    return flatten_text(text, [_folder()], "mlx") + instances


def library(*headers: str, kernels: Mapping[str, tuple[object, ...]]) -> mc.Library:
    """The same, compiled as MLX does it: without fast math."""
    return mc.compile(source(*headers, kernels=kernels), math_mode="safe")


def random(kind: str, shape: tuple[int, ...] | int, rng: np.random.Generator) -> Array:
    """Numbers of one of MLX's types: small integers, or normally distributed."""
    dtype = TYPES[kind]
    if kind == "bool":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -100
        return rng.integers(low, 100, shape).astype(dtype)
    if kind == "complex64_t":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(np.float32).astype(dtype)


def wide(array: Array) -> npt.NDArray[np.float64] | npt.NDArray[np.complex128]:
    """The same numbers, in double precision."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
