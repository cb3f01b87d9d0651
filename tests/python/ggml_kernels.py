"""Running the kernels of ggml (llama.cpp) on NumPy arrays."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import metalcore as mc
from metalcore._core import ArgumentKind
from metalcore.tools.corpora.includes import flatten_text
from msl_sources import pack, structures
from source_archives import SourceArchive

LLAMA_CPP_PYTHON = SourceArchive(
    "llama-cpp-python",
    "llama_cpp_python-0.3.36.tar.gz",
    "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
)

Array = npt.NDArray[np.generic]


@functools.cache
def _folder() -> Path:
    """The folder `ggml/src`."""
    (header,) = LLAMA_CPP_PYTHON.folder(".metal", ".h").rglob("ggml-metal-impl.h")
    return header.parent.parent


@functools.cache
def _headers() -> dict[str, np.dtype[np.void]]:
    return structures((_folder() / "ggml-metal" / "ggml-metal-impl.h").read_text())


@functools.cache
def number(name: str) -> int:
    """What a macro of ggml's header stands for."""
    header = (_folder() / "ggml-metal" / "ggml-metal-impl.h").read_text()
    (value,) = re.findall(rf"^#define {name}\s+(\d+)$", header, re.MULTILINE)
    return int(value)


@functools.cache
def library(file: str, only: str = "") -> mc.Library:
    """One of ggml's kernel files, its headers in place; of many kernels those named like `only`."""
    root = _folder()
    folders = [root / "ggml-metal" / "kernels", root / "ggml-metal", root]
    text = flatten_text(f'#include "{file}.metal"\n', folders, file)
    others = rf'^template \[\[host_name\("(?!\w*{only})[^"]*"\)\]\].*$'
    return mc.compile(
        re.sub(others, "", text, flags=re.MULTILINE), macros={"GGML_METAL_HAS_BF16": 1}
    )


def tensor(prefix: str, array: Array, block: int = 1) -> dict[str, int]:
    """The fields `ne` and `nb` of a tensor: extents and strides in bytes, the innermost first.

    An array of records stands for quantised numbers, `block` of them in each.
    """
    shape = (1,) * (4 - array.ndim) + array.shape
    strides = (array.nbytes,) * (4 - array.ndim) + array.strides
    fields = {}
    for axis in range(4):
        fields[f"ne{prefix}{axis}"] = shape[3 - axis] * (block if axis == 0 else 1)
        fields[f"nb{prefix}{axis}"] = strides[3 - axis]
    return fields


def arguments(name: str, *tensors: dict[str, int], **values: object) -> bytes:
    """The structure `ggml_metal_kargs_<name>` of what it has of the tensors, and values."""
    structure = _headers()[f"ggml_metal_kargs_{name}"]
    fields: dict[str, object] = {}
    for of_tensor in tensors:
        fields.update({k: v for k, v in of_tensor.items() if k in (structure.names or ())})
    return pack(structure, **(fields | values))


def run(
    kernel: mc.Kernel,
    *args: object,
    groups: Sequence[int],
    group_size: int | Sequence[int],
    memory: int = 0,
    **constants: bool | int,
) -> None:
    """Launches and waits. Like ggml, offers threadgroup memory to kernels that use none, too."""
    values = constants or None
    uses_memory = any(
        argument.kind != ArgumentKind.buffer
        for argument in kernel.prepare(constants=values).arguments
    )
    kernel(
        *args,
        groups=tuple(groups),
        group_size=group_size,
        threadgroup_memory=memory if uses_memory else None,
        constants=values,
    )
    mc.synchronize()
