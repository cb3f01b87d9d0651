"""Arrays from and to NumPy, nested sequences and other libraries; loaded on first need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Array, DType

NumpyArray = npt.NDArray[Any]


def asarray(obj: Any, dtype: DType | None, device: _core.Device | None, copy: bool | None) -> Array:
    """`metalcore.asarray`, with its arguments converted."""
    if isinstance(obj, Array):
        return _from_array(obj, dtype, device, copy)
    if isinstance(obj, (list, tuple)) or _core.is_scalar(obj):
        if copy is False:
            raise ValueError("Python numbers cannot be shared without a copy.")
        return _from_numbers(obj, dtype, device)
    host = to_host_array(obj)
    if dtype is not None and host.dtype.name in ("float64", "complex128"):
        host = host.astype(_numpy_dtype(dtype))
        if copy is False:
            raise ValueError(f"{obj.dtype} cannot become {dtype} without a copy.")
    if copy is not True and dtype in (None, _core.to_dtype(host.dtype)):
        if (shared := share(host, device)) is not None:
            return shared
    if copy is False:
        raise ValueError(
            "The memory cannot be shared without a copy: it must be writable, contiguous, of the "
            "right data type, and begin a page."
        )
    array = upload(host, device)
    return array if dtype is None else array.astype(dtype, copy=False)


def _from_array(
    array: Array, dtype: DType | None, device: _core.Device | None, copy: bool | None
) -> Array:
    if device is not None and device != array.device:
        raise ValueError(f"The array is on {array.device}, not on {device}.")
    if dtype is None or dtype == array.dtype:
        return array.copy() if copy else array
    if copy is False:
        raise ValueError(f"{array.dtype} cannot become {dtype} without a copy.")
    return array.astype(dtype)


def _shape_of(obj: object) -> tuple[int, ...]:
    shape = []
    while isinstance(obj, (list, tuple)):
        shape.append(len(obj))
        if not obj:
            break
        obj = obj[0]
    return tuple(shape)


def _numbers(obj: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    """The numbers of nested sequences in C order, which all must have that shape."""
    if not shape:
        if not _core.is_scalar(obj):
            kind = type(obj).__name__
            raise (ValueError if isinstance(obj, (list, tuple)) else TypeError)(
                f"Elements must be numbers in sequences of equal lengths; found {kind}."
            )
        yield obj.item() if hasattr(obj, "item") else obj
        return
    if not isinstance(obj, (list, tuple)) or len(obj) != shape[0]:
        raise ValueError(f"Nested sequences must have equal lengths; expected {shape[0]} elements.")
    for element in obj:
        yield from _numbers(element, shape[1:])


def _dtype_of_numbers(numbers: Sequence[Any]) -> DType:
    if any(isinstance(number, complex) for number in numbers):
        return DType.complex64
    if not numbers or any(isinstance(number, float) for number in numbers):
        return DType.float32
    if all(isinstance(number, bool) for number in numbers):
        return DType.bool
    return DType.int64


def _from_numbers(obj: Any, dtype: DType | None, device: _core.Device | None) -> Array:
    shape = _shape_of(obj)
    numbers = list(_numbers(obj, shape))
    kind = dtype or _dtype_of_numbers(numbers)
    if kind == DType.bool and not all(isinstance(number, bool) for number in numbers):
        numbers = [bool(number) for number in numbers]
    data = b"".join([_core.element_bytes(number, kind) for number in numbers])
    bits = np.frombuffer(data, f"u{kind.itemsize}").reshape(shape)
    return _core.reinterpret(_core.copy_from_host(bits, device), kind)


def _numpy_dtype(dtype: DType) -> np.dtype[Any]:
    if dtype == DType.bfloat16:
        try:
            import ml_dtypes
        except ModuleNotFoundError:
            raise TypeError("NumPy has no bfloat16 unless ml_dtypes is installed.") from None
        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    return np.dtype(str(dtype))


def to_host_array(obj: Any) -> NumpyArray:
    """A NumPy array of what exposes host memory, without a copy."""
    if isinstance(obj, np.ndarray):
        host = obj
    elif hasattr(obj, "__dlpack__"):
        host = np.from_dlpack(obj)
    elif hasattr(obj, "__array__"):
        host = np.asarray(obj)
    else:
        try:
            host = np.asarray(memoryview(obj))
        except TypeError:
            raise TypeError(
                f"An array, a number or a nested sequence is expected, not {type(obj).__name__}."
            ) from None
    return host if host.dtype.isnative else host.astype(host.dtype.newbyteorder("="))


def share(host: NumpyArray, device: _core.Device | None) -> Array | None:
    """An array in the NumPy array's memory, or None where that cannot be."""
    if not (host.flags.c_contiguous and host.flags.writeable):
        return None
    name = host.dtype.name
    if name == "bfloat16":
        shared = _core.share_host(host.view(np.uint16), device)
        return None if shared is None else _core.reinterpret(shared, DType.bfloat16)
    _core.to_dtype(host.dtype)  # float64 has its own error
    return _core.share_host(host, device)


def upload(host: NumpyArray, device: _core.Device | None) -> Array:
    """A copy of a NumPy array."""
    dtype = _core.to_dtype(host.dtype)
    packed = np.ascontiguousarray(host).reshape(host.shape)
    if dtype == DType.bfloat16:
        return _core.reinterpret(_core.copy_from_host(packed.view(np.uint16), device), dtype)
    return _core.copy_from_host(packed, device)


def _view(array: Any) -> NumpyArray:
    """Through the buffer protocol; waits."""
    return np.asarray(memoryview(array))


def to_numpy(array: Array, dtype: Any = None, copy: bool | None = None) -> NumpyArray:
    """`Array.__array__`."""
    if array.dtype == DType.bfloat16:
        host = _view(_core.reinterpret(array, DType.uint16)).view(_numpy_dtype(DType.bfloat16))
    else:
        host = _view(array)
    if dtype is not None and np.dtype(dtype) != host.dtype:
        if copy is False:
            raise ValueError(f"{host.dtype} cannot become {np.dtype(dtype)} without a copy.")
        return host.astype(dtype)
    return host.copy() if copy else host


def text_of(array: Array) -> str:
    """`Array.__repr__`."""
    if array.dtype == DType.bfloat16:
        host = to_numpy(array.astype(DType.float32))
    else:
        host = to_numpy(array)
    elements = np.array2string(host, separator=", ", prefix="Array(", threshold=100)
    return f"Array({elements}, dtype={array.dtype})"
