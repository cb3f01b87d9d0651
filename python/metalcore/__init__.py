"""Compute on Apple's Metal: arrays, Metal Shading Language kernels, no first-kernel stall.

Examples
--------
>>> import metalcore as mc
>>> (mc.arange(4) * 2).tolist()
[0, 2, 4, 6]
"""

from ._core import Array, Device, DType, WarmupReport, WarmupStage, __version__, synchronize
from ._creation import arange, asarray, empty, full, ones, zeros
from ._errors import (
    CompileError,
    DeviceError,
    Error,
    LaunchError,
    OutOfMemoryError,
    PipelineError,
    UnsupportedError,
)
from ._kernel import Kernel, Library, compile
from ._system import devices, versioninfo, warmup, warmup_async, warmup_status

bool_ = DType.bool_
int8 = DType.int8
int16 = DType.int16
int32 = DType.int32
int64 = DType.int64
uint8 = DType.uint8
uint16 = DType.uint16
uint32 = DType.uint32
uint64 = DType.uint64
float16 = DType.float16
bfloat16 = DType.bfloat16
float32 = DType.float32
complex64 = DType.complex64

# Neither `warmup` nor `compile`, which hides Python's own: they are meant to be called by full name.
__all__ = [
    "Array",
    "CompileError",
    "DType",
    "Device",
    "DeviceError",
    "Error",
    "Kernel",
    "LaunchError",
    "Library",
    "OutOfMemoryError",
    "PipelineError",
    "UnsupportedError",
    "WarmupReport",
    "WarmupStage",
    "__version__",
    "arange",
    "asarray",
    "bfloat16",
    "bool_",
    "complex64",
    "devices",
    "empty",
    "float16",
    "float32",
    "full",
    "int8",
    "int16",
    "int32",
    "int64",
    "ones",
    "synchronize",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "versioninfo",
    "warmup_status",
    "zeros",
]
