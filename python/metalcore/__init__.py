"""Compute on Apple's Metal: arrays, Metal Shading Language kernels, no first-kernel stall.

Examples
--------
>>> import metalcore as mc
>>> (mc.arange(4) * 2).tolist()
[0, 2, 4, 6]
"""

from . import _log
from . import cache as cache
from . import preferences as preferences
from ._core import Array, Device, DType, WarmupReport, WarmupStage, synchronize
from ._core import version as __version__
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
from ._info import info as info
from ._info import versioninfo
from ._kernel import Kernel, Library
from ._kernel import compile as compile
from ._system import devices
from ._warmup import warmup as warmup
from ._warmup import warmup_async as warmup_async
from ._warmup import warmup_status

_log.start()

bool_ = DType.bool
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

# Without `warmup`, and without `compile`, which would hide Python's own.
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
