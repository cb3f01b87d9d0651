"""Functions that make arrays."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from ._typing import ArrayLike, DTypeLike, ShapeLike

_INFINITY = float("inf")


def _default_dtype(value: object) -> _core.DType:
    """The data type that the array API standard gives a Python number of this kind."""
    value = value.item() if hasattr(value, "item") else value  # a NumPy scalar
    if isinstance(value, bool):
        return _core.DType.bool
    if isinstance(value, int):
        return _core.DType.int64
    if isinstance(value, complex):
        return _core.DType.complex64
    return _core.DType.float32


def empty(
    shape: ShapeLike, *, dtype: DTypeLike | None = None, device: _core.Device | None = None
) -> _core.Array:
    """An array whose elements are not set.

    Parameters
    ----------
    shape : int or tuple of ints
    dtype : DType, str, numpy.dtype or type, optional
        float32 by default.
    device : Device, optional
        The default device by default.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        Metal has no such data type.
    OutOfMemoryError
        The device has not enough memory.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.empty((2, 3)).shape
    (2, 3)
    """
    return _core.empty(shape, _core.to_dtype("float32" if dtype is None else dtype), device)


def full(
    shape: ShapeLike,
    fill_value: complex,
    *,
    dtype: DTypeLike | None = None,
    device: _core.Device | None = None,
) -> _core.Array:
    """An array with every element set to a value.

    Parameters
    ----------
    shape : int or tuple of ints
    fill_value : bool, int, float or complex
    dtype : DType, str, numpy.dtype or type, optional
        By default bool, int64, float32 or complex64, after the kind of `fill_value`.
    device : Device, optional

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        The value is of a kind that the data type cannot hold.
    OverflowError
        The integer is out of the data type's range.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.full(3, 7).tolist()
    [7, 7, 7]
    """
    kind = _default_dtype(fill_value) if dtype is None else _core.to_dtype(dtype)
    return _core.full(shape, fill_value, kind, device)


def zeros(
    shape: ShapeLike, *, dtype: DTypeLike | None = None, device: _core.Device | None = None
) -> _core.Array:
    """An array of zeros, float32 by default; see `full`.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.zeros(2, dtype="uint8").tolist()
    [0, 0]
    """
    return _core.full(shape, False, _core.to_dtype("float32" if dtype is None else dtype), device)


def ones(
    shape: ShapeLike, *, dtype: DTypeLike | None = None, device: _core.Device | None = None
) -> _core.Array:
    """An array of ones, float32 by default; see `full`.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.ones((1, 2)).tolist()
    [[1.0, 1.0]]
    """
    return _core.full(shape, True, _core.to_dtype("float32" if dtype is None else dtype), device)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: _core.Device | None = None,
) -> _core.Array:
    """Evenly spaced values, from `start` on, before `stop`.

    Parameters
    ----------
    start : int or float
        The first value; with no `stop`, the stop of a range from 0.
    stop : int or float, optional
    step : int or float, optional
    dtype : DType, str, numpy.dtype or type, optional
        By default int64 where all values are integers, else float32.
    device : Device, optional

    Returns
    -------
    Array
        One dimension of ceil((stop - start) / step) elements.

    Raises
    ------
    ValueError
        The step is 0, or a bound is not finite.
    OverflowError
        A value is out of the data type's range.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.arange(1, 10, 3).tolist()
    [1, 4, 7]
    >>> mc.arange(0, 1, 0.25).tolist()
    [0.0, 0.25, 0.5, 0.75]
    """
    first, end = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise ValueError("The step of a range cannot be 0.")
    # Without `math`, which the dynamic loader opens, and that may be busy with the warm-up.
    if any(value != value or abs(value) == _INFINITY for value in (first, end, step)):
        raise ValueError(f"The bounds of a range must be finite: {first}, {end}, {step}.")
    integers = all(isinstance(value, int) for value in (first, end, step))
    if dtype is None:
        kind = _core.DType.int64 if integers else _core.DType.float32
    else:
        kind = _core.to_dtype(dtype)
    # Exact for integers of any size.
    count = -((first - end) // step) if integers else float((end - first) / step).__ceil__()
    return _core.arange(first, step, max(0, int(count)), kind, device)


def asarray(
    obj: ArrayLike,
    /,
    *,
    dtype: DTypeLike | None = None,
    device: _core.Device | None = None,
    copy: bool | None = None,
) -> _core.Array:
    """An array of given elements.

    Parameters
    ----------
    obj : Array, NumPy array, number, nested sequence of numbers, or an object with the buffer
        protocol or DLPack on the CPU
    dtype : DType, str, numpy.dtype or type, optional
        By default that of `obj`. NumPy's float64 and complex128 need one: Metal has neither.
        For Python numbers bool, int64, float32 or complex64.
    device : Device, optional
    copy : bool, optional
        True copies; False raises where a copy is needed; None copies where it is needed. Memory of
        the host is shared where it is writable, contiguous, of the right data type, and begins a
        page (as that of `numpy.memmap` and of large arrays of some allocators does): writes are
        then seen on both sides.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        Metal has no such data type: ``Metal has no float64; use float32.``
    ValueError
        The sequences are ragged, or `copy` is False where a copy is needed.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.asarray([[1.0, 2.0], [3.0, 4.0]]).dtype
    metalcore.float32
    """
    from . import _exchange

    kind = None if dtype is None else _core.to_dtype(dtype)
    return _exchange.asarray(obj, kind, device, copy)
