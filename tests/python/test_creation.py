"""Creation of arrays and their data types, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import metalcore as mc
from dtypes import DTYPES, numpy_dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [0, 1, 5, (3, 0), (), (2, 3, 5)])
def test_full_zeros_ones_empty(dtype: str, shape: Any) -> None:
    wanted = numpy_dtype(dtype)
    for array, value in (
        (mc.zeros(shape, dtype=dtype), 0),
        (mc.ones(shape, dtype=dtype), 1),
        (mc.full(shape, dtype == "bool" or 3, dtype=dtype), dtype == "bool" or 3),
    ):
        expected = np.full(shape, value, wanted)
        assert array.shape == expected.shape
        assert array.dtype == mc.DType[dtype]
        assert (array.size, array.nbytes, array.ndim) == (
            expected.size,
            expected.nbytes,
            expected.ndim,
        )
        np.testing.assert_array_equal(np.asarray(array), expected)
    assert mc.empty(shape, dtype=dtype).shape == np.empty(shape).shape


def test_default_dtypes() -> None:
    assert mc.zeros(1).dtype == mc.float32
    assert mc.full(1, True).dtype == mc.bool_
    assert mc.full(1, 1).dtype == mc.int64
    assert mc.full(1, 1.0).dtype == mc.float32
    assert mc.full(1, 1j).dtype == mc.complex64
    assert mc.arange(3).dtype == mc.int64
    assert mc.arange(3.0).dtype == mc.float32


@pytest.mark.parametrize(
    "like", ["float32", np.float32, np.dtype("f4"), mc.float32, float, np.dtype(">f4")]
)
def test_names_of_a_dtype(like: Any) -> None:
    assert mc.zeros(1, dtype=like).dtype == mc.float32


@pytest.mark.parametrize("like", [np.float64, "float64", np.dtype("f8"), "double"])
def test_float64(like: Any) -> None:
    with pytest.raises(TypeError, match=r"^Metal has no float64; use float32\.$"):
        mc.zeros(1, dtype=like)


@pytest.mark.parametrize("like", ["float23", 3, None.__class__, np.dtype("U3"), [1]])
def test_what_is_no_dtype(like: Any) -> None:
    with pytest.raises(TypeError):
        mc.zeros(1, dtype=like)


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (256, "uint8", OverflowError),
        (-1, "uint64", OverflowError),
        (1 << 64, "uint64", OverflowError),
        (1.5, "int32", TypeError),
        (1j, "float32", TypeError),
        (1, "bool", TypeError),
        ("1", "float32", TypeError),
    ],
)
def test_values_that_do_not_fit(value: Any, dtype: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        mc.full(3, value, dtype=dtype)
    with pytest.raises(error):
        mc.zeros(3, dtype=dtype).fill(value)


@pytest.mark.parametrize(
    ("shape", "error"),
    [
        (None, TypeError),
        (-1, ValueError),
        ((2, -3), ValueError),
        (1.5, TypeError),
        ("3", TypeError),
        (True, TypeError),
    ],
)
def test_bad_shapes(shape: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        mc.zeros(shape)


def test_more_than_memory() -> None:
    with pytest.raises(ValueError, match="more elements than memory can hold"):
        mc.zeros((1 << 40, 1 << 40))
    with pytest.raises(mc.OutOfMemoryError):
        mc.empty(1 << 45)


def test_rank_limit() -> None:
    assert mc.ones((1,) * 16).ndim == 16
    with pytest.raises(ValueError, match="at most 16 dimensions"):
        mc.ones((1,) * 17)


@pytest.mark.parametrize("value", [0.1, 65504, 65519.9, 65520, 1e-8, 5.97e-8, 3e-8, -0.0, 1e300])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_rounding_of_numbers(dtype: str, value: float) -> None:
    with np.errstate(over="ignore"):
        expected = np.array(value, np.float64).astype(numpy_dtype(dtype))
    actual = np.asarray(mc.full((), value, dtype=dtype))
    assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill_of_views(dtype: str) -> None:
    value = True if dtype == "bool" else 5
    array = mc.zeros((7, 9), dtype=dtype)
    array[1::2, ::3].fill(value)
    array[0].fill(value)
    expected = np.zeros((7, 9), numpy_dtype(dtype))
    expected[1::2, ::3] = value
    expected[0] = value
    np.testing.assert_array_equal(np.asarray(array), expected)


RANGES = [
    (0,),
    (7,),
    (3, 11),
    (11, 3),
    (10, 0, -3),
    (-5, 6, 4),
    (0.5, 10.0),
    (1.0, 0.0, -0.1),
    (1e6, 1e6 + 10, 0.25),
]


@pytest.mark.parametrize("bounds", RANGES)
def test_arange(bounds: Any) -> None:
    expected = np.arange(*bounds)
    kind = np.int64 if expected.dtype.kind == "i" else np.float32
    result = np.asarray(mc.arange(*bounds))
    assert result.dtype == kind
    np.testing.assert_allclose(result, expected.astype(kind), rtol=2e-7)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float32", "float16"])
def test_arange_of_dtype(dtype: str) -> None:
    np.testing.assert_array_equal(
        np.asarray(mc.arange(2, 101, 3, dtype=dtype)), np.arange(2, 101, 3).astype(dtype)
    )


def test_long_arange_is_exact_to_rounding() -> None:
    count = 20_000_003
    values = np.asarray(mc.arange(0.1, 0.1 + 0.3 * (count - 0.5), 0.3))
    exact = 0.1 + 0.3 * np.arange(count)
    assert values.size == count
    np.testing.assert_array_less(np.abs(values - exact) / exact, 2.0**-23)


def test_arange_refuses() -> None:
    with pytest.raises(ValueError, match="step of a range cannot be 0"):
        mc.arange(0, 3, 0)
    with pytest.raises(ValueError, match="must be finite"):
        mc.arange(float("inf"))
    with pytest.raises(OverflowError):
        mc.arange(300, dtype="uint8")
    with pytest.raises(TypeError):
        mc.arange(0.5, 3.0, dtype="int32")
    with pytest.raises(TypeError):
        mc.arange(3, dtype="bool")
