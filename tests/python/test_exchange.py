"""Arrays from and to NumPy and other holders of memory."""

from __future__ import annotations

import array as python_array
import gc
import mmap
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import metalcore as mc

DTYPES = [str(dtype) for dtype in mc.DType]


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def page_aligned(count: int, dtype: Any = np.float32) -> np.ndarray:
    """Zeros that begin a page."""
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(mmap.mmap(-1, max(size, 1)), dtype, count)


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip(rng: np.random.Generator, dtype: str) -> None:
    values = rng.integers(0, 2 if dtype == "bool" else 100, (5, 7)).astype(numpy_dtype(dtype))
    array = mc.asarray(values)
    result = np.asarray(array)
    assert str(array.dtype) == dtype
    assert result.dtype == values.dtype
    np.testing.assert_array_equal(result, values)
    np.testing.assert_array_equal(np.asarray(array[::2, ::-1]), values[::2, ::-1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_shares_the_memory(dtype: str) -> None:
    array = mc.zeros((3, 5), dtype=dtype)
    view = np.asarray(array)
    view[1, 2] = True
    assert array[1, 2].item() == 1
    array[2].fill(True)
    mc.synchronize()
    assert (view[2] == np.ones(5, view.dtype)).all()
    assert not np.shares_memory(np.array(array), view)


def test_view_outlives_the_array() -> None:
    view = np.asarray(mc.full(100_000, 7))
    gc.collect()
    mc.full(100_000, 8)
    assert (view == 7).all()


def test_host_memory_is_shared_from_a_page_on() -> None:
    host = page_aligned(5000)
    array = mc.asarray(host)
    array += 2
    mc.synchronize()
    assert (host == 2).all()
    host[:] = 5
    assert array.sum().item() == 25_000
    copied = mc.asarray(host, copy=True)
    copied += 1
    mc.synchronize()
    assert (host == 5).all()


def test_shared_host_memory_lives_as_long_as_the_array() -> None:
    class Owned(np.ndarray):
        pass

    host = page_aligned(5000).view(Owned)
    alive = weakref.ref(host)
    array = mc.asarray(host)
    del host
    gc.collect()
    assert alive() is not None
    assert (array + 1).sum().item() == 5000
    del array
    mc.synchronize()
    # Given back by a later call that holds the GIL.
    for _ in range(100):
        if alive() is None:
            break
        mc.asarray(page_aligned(1))
        gc.collect()
    assert alive() is None


def test_copy_where_sharing_is_impossible() -> None:
    host = page_aligned(5000)
    for other in (host[1:], host[::2], host.reshape(50, 100).T):
        with pytest.raises(ValueError, match="cannot be shared without a copy"):
            mc.asarray(other, copy=False)
        np.testing.assert_array_equal(np.asarray(mc.asarray(other)), other)
    host.flags.writeable = False
    with pytest.raises(ValueError, match="cannot be shared without a copy"):
        mc.asarray(host, copy=False)
    array = mc.asarray(host)
    array += 1
    mc.synchronize()
    assert (host == 0).all()


def test_float64_needs_a_dtype() -> None:
    values = np.array([0.5, 1.5])
    with pytest.raises(TypeError, match=r"^Metal has no float64; use float32\.$"):
        mc.asarray(values)
    with pytest.raises(TypeError, match=r"^Metal has no complex128; use complex64\.$"):
        mc.asarray(values + 1j)
    assert mc.asarray(values, dtype="float32").tolist() == [0.5, 1.5]
    assert mc.asarray(values, dtype="int8").tolist() == [0, 1]
    assert mc.asarray(values + 1j, dtype="complex64").tolist() == [0.5 + 1j, 1.5 + 1j]


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        (3, "int64", ()),
        ([1, 2, 3], "int64", (3,)),
        ([True, False], "bool", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([[1j], [2]], "complex64", (2, 1)),
        (((1, 2), (3, 4)), "int64", (2, 2)),
        ([np.float32(1.5), np.int8(2)], "float32", (2,)),
    ],
)
def test_python_numbers(values: Any, dtype: str, shape: tuple[int, ...]) -> None:
    array = mc.asarray(values)
    assert (str(array.dtype), array.shape) == (dtype, shape)
    np.testing.assert_array_equal(np.asarray(array), np.asarray(values).astype(dtype))


def test_python_numbers_of_a_dtype() -> None:
    assert mc.asarray([1, 2], dtype="bfloat16").tolist() == [1.0, 2.0]
    assert mc.asarray([0, 2], dtype="bool").tolist() == [False, True]
    with pytest.raises(OverflowError):
        mc.asarray([1, 256], dtype="uint8")
    with pytest.raises(TypeError):
        mc.asarray([1.5], dtype="int32")


@pytest.mark.parametrize("values", [[[1, 2], [3]], [1, [2]], [[1], 2]])
def test_ragged_sequences(values: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="equal lengths"):
        mc.asarray(values)


@pytest.mark.parametrize("values", ["text", object(), {1: 2}, ["a"], None])
def test_what_is_no_array(values: Any) -> None:
    with pytest.raises(TypeError):
        mc.asarray(values)


def test_buffer_protocol() -> None:
    assert mc.asarray(python_array.array("i", [1, 2, 3])).tolist() == [1, 2, 3]
    assert mc.asarray(b"ab").tolist() == [97, 98]
    array = mc.arange(6, dtype="int16").reshape((2, 3))
    view = memoryview(array)
    assert (view.format, view.shape, view.strides) == ("h", (2, 3), (6, 2))
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert bytes(memoryview(array[:, ::2])) == np.array([0, 2, 3, 5], np.int16).tobytes()
    with pytest.raises(BufferError, match="no bfloat16"):
        memoryview(mc.zeros(1, dtype="bfloat16"))
    with pytest.raises(BufferError, match="not contiguous"):
        mmap.mmap(-1, 100).write(array[:, ::2])


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "bfloat16"])
def test_dlpack(dtype: str) -> None:
    array = mc.ones((2, 3), dtype=dtype)
    assert array.__dlpack_device__() == (1, 0)
    view = np.from_dlpack(array)
    assert view.dtype == np.dtype(dtype)
    array[0].fill(False)
    mc.synchronize()
    assert view.tolist() == array.tolist()

    class OnlyDLPack:
        def __init__(self, values: np.ndarray) -> None:
            self.values = values

        def __dlpack__(self, **options: Any) -> Any:
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    assert mc.asarray(OnlyDLPack(np.ones(3, dtype))).tolist() == np.ones(3, dtype).tolist()


def test_byte_order_of_others() -> None:
    values = np.arange(5, dtype=">i4")
    assert mc.asarray(values).tolist() == [0, 1, 2, 3, 4]


def test_numpy_conversion_on_the_way() -> None:
    array = mc.arange(3)
    assert np.asarray(array, dtype=np.float64).dtype == np.float64
    assert np.array(array, copy=True).base is None
    np.testing.assert_array_equal(np.add(np.asarray(array), 1), [1, 2, 3])
