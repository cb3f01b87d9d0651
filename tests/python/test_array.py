"""Views, conversion and sums of arrays, compared with NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import metalcore as mc
from dtypes import DTYPES, INTEGERS, numpy_dtype
from metalcore import _core

KEYS: list[Any] = [
    0,
    -1,
    np.int64(2),
    slice(None),
    slice(1, 3),
    slice(None, None, -1),
    slice(10, -20, -2),
    slice(-3, None),
    slice(3, 1),
    (1, 2),
    (slice(None), 1),
    None,
    (..., 1),
    (0, ..., slice(None, None, 2)),
    (None, 1, None),
    (slice(1, None), None, slice(None, None, -2), ...),
    ...,
    (),
    (1, 2, 3),
    slice(None, None, 1 << 62),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing(rng: np.random.Generator, key: Any) -> None:
    values = rng.integers(-100, 100, (4, 5, 6), np.int32)
    array = mc.asarray(values, copy=True)
    np.testing.assert_array_equal(np.asarray(array[key]), values[key])
    array[key] = 7
    values[key] = 7
    np.testing.assert_array_equal(np.asarray(array), values)


@pytest.mark.parametrize("key", [4, -5, (0, 5), (0, 0, 0, 0), (..., ...)])
def test_indexing_out_of_bounds(key: Any) -> None:
    array = mc.zeros((4, 5, 6))
    with pytest.raises(IndexError):
        array[key]
    with pytest.raises(IndexError):
        array[key] = 1


@pytest.mark.parametrize("key", [1.0, "a", [0, 1], np.array([True, False]), True])
def test_indices_of_other_types(key: Any) -> None:
    with pytest.raises(TypeError):
        mc.zeros((4, 5))[key]


def test_assignment_between_overlapping_views(rng: np.random.Generator) -> None:
    values = rng.integers(-100, 100, (50, 40), np.int32)
    array = mc.asarray(values, copy=True)
    array[1:] = array[:-1]
    array[:, ::-1] = array
    values[1:] = values[:-1].copy()
    values[:, ::-1] = values.copy()
    np.testing.assert_array_equal(np.asarray(array), values)


def test_assignment_converts_and_broadcasts() -> None:
    array = mc.zeros((2, 3))
    array[:] = mc.asarray([1, 2, 3], dtype="float32").astype("float16")
    assert array.tolist() == [[1.0, 2.0, 3.0]] * 2
    with pytest.raises(TypeError, match="cannot be assigned"):
        array[0] = mc.asarray([1, 2, 3])
    with pytest.raises(ValueError, match="does not broadcast"):
        array[0] = mc.zeros(2)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        (..., (6, 20)),
        (..., -1),
        (..., (2, -1, 5)),
        (slice(None, None, 2), (2, 3, 10)),
        ((slice(None), slice(None, None, 2)), (4, 18)),
        ((slice(None), slice(None, None, -1)), (120,)),
        ((slice(None), 0), (2, 3, 2, -1)),
    ],
)
def test_reshape(rng: np.random.Generator, key: Any, shape: Any) -> None:
    values = rng.integers(0, 100, (4, 5, 6), np.int16)
    if isinstance(key, tuple) and key[1] == 0:
        shape = (2, 2, 3, -1)
    result = mc.asarray(values)[key].reshape(shape)
    np.testing.assert_array_equal(np.asarray(result), values[key].reshape(shape))


def test_reshape_is_a_view_where_it_can_be() -> None:
    array = mc.arange(24).reshape((4, 6))
    array[::2].reshape((2, 3, 2))[0, 0, 0] = 99
    assert array[0, 0].item() == 99
    assert mc.zeros((0, 3)).reshape((3, 0, 5)).shape == (3, 0, 5)
    for shape in (5, (5, -1), (-1, -1), (0, -1), (-2, 12)):
        with pytest.raises(ValueError):  # noqa: PT011
            array.reshape(shape)


@pytest.mark.parametrize("source", [name for name in DTYPES if name != "complex64"])
@pytest.mark.parametrize("target", DTYPES)
def test_astype(rng: np.random.Generator, source: str, target: str) -> None:
    if source in INTEGERS:
        info = np.iinfo(source)
        values = rng.integers(info.min, info.max, 1003, source, endpoint=True)
    else:
        # What every target can hold.
        values = rng.uniform(0, 100, 1003).astype(numpy_dtype(source))
    with np.errstate(over="ignore"):
        expected = values.astype(numpy_dtype(target))
    result = np.asarray(mc.asarray(values).astype(target))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_astype_of_special_values() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, 1e-30], np.float32)
    for target in ("float16", "bfloat16", "bool", "complex64"):
        with np.errstate(over="ignore", invalid="ignore"):
            expected = special.astype(numpy_dtype(target))
        result = np.asarray(mc.asarray(special).astype(target))
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result.astype(np.complex64), expected.astype(np.complex64))
    with pytest.raises(TypeError, match="imaginary part would be lost"):
        mc.zeros(3, dtype="complex64").astype("float32")


def test_astype_copies_unless_told() -> None:
    array = mc.zeros(3)
    assert array.astype("float32").buffer != array.buffer
    assert array.astype("float32", copy=False).buffer == array.buffer


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(), 1, 7, 1023, 1025, 100_003, (3, 5), (33, 1027), (1, 9), (70_001, 3)]
)
def test_sum(rng: np.random.Generator, dtype: str, shape: Any) -> None:
    values = rng.uniform(0, 2 if dtype == "bool" else 50, shape)
    if dtype == "complex64":
        values = values + 1j * rng.uniform(-50, 50, shape)
    values = np.asarray(values).astype(numpy_dtype(dtype))
    array = mc.asarray(values)
    wide = values.astype(np.complex128 if dtype == "complex64" else np.float64)
    for axis in (None, *range(-values.ndim, values.ndim)):
        result = np.asarray(array.sum(axis=axis))
        if dtype in INTEGERS or dtype == "bool":
            expected = values.sum(axis=axis)
            assert result.dtype == (np.uint64 if dtype.startswith("u") else np.int64)
            np.testing.assert_array_equal(result, expected)
        else:
            assert result.dtype == values.dtype
            precision = {"float16": 2e-3, "bfloat16": 1e-2}.get(dtype, 2e-6)
            with np.errstate(over="ignore"):
                expected = wide.sum(axis=axis).astype(result.dtype)
            np.testing.assert_allclose(
                result.astype(wide.dtype), expected.astype(wide.dtype), rtol=precision
            )


@pytest.mark.parametrize("keepdims", [False, True])
def test_sum_over_every_set_of_axes(rng: np.random.Generator, keepdims: bool) -> None:
    values = rng.integers(-1000, 1000, (3, 4, 1, 5, 7), np.int32)
    array = mc.asarray(values)
    for count in range(values.ndim + 1):
        for axes in itertools.combinations(range(values.ndim), count):
            result = array.sum(axis=axes, keepdims=keepdims)
            expected = values.sum(axis=axes, keepdims=keepdims)
            assert result.shape == expected.shape
            np.testing.assert_array_equal(np.asarray(result), expected)


def test_sum_of_views_and_of_nothing(rng: np.random.Generator) -> None:
    values = rng.integers(-1000, 1000, (30, 40), np.int32)
    view = mc.asarray(values)[::-2, 1::3]
    np.testing.assert_array_equal(np.asarray(view.sum(axis=0)), values[::-2, 1::3].sum(axis=0))
    assert mc.zeros((0, 3)).sum(axis=0).tolist() == [0.0] * 3
    assert mc.zeros((0, 3)).sum(axis=1).tolist() == []
    assert mc.zeros((2, 0), dtype="int8").sum().item() == 0


def test_sum_is_accurate(rng: np.random.Generator) -> None:
    values = rng.random(10_000_019, np.float32)
    exact = values.astype(np.float64).sum()
    assert abs(mc.asarray(values).sum().item() - exact) / exact < 1e-6
    column = values[: 1_000_003 * 3].reshape(-1, 3)
    np.testing.assert_allclose(
        np.asarray(mc.asarray(column).sum(axis=0)),
        column.astype(np.float64).sum(axis=0),
        rtol=1e-6,
    )


def test_sum_wraps_and_keeps_nan_and_infinity() -> None:
    assert mc.full(4, 1 << 62).sum().item() == 0
    assert np.isnan(mc.asarray([1.0, float("nan"), 2.0]).sum().item())
    assert mc.asarray([1.0, float("inf")]).sum().item() == float("inf")
    assert np.isnan(mc.asarray([float("-inf"), float("inf")]).sum().item())
    # Partial sums of half are no halves: 70000 is beyond the largest one.
    assert mc.asarray([60000.0, 10016.0, -20000.0], dtype="float16").sum().item() == 50016.0


def test_sum_refuses() -> None:
    array = mc.zeros((2, 3))
    for axis in (2, -3, (0, 5)):
        with pytest.raises(IndexError, match="out of bounds"):
            array.sum(axis=axis)
    for axes in ((0, 0), (1, -1)):
        with pytest.raises(ValueError, match="given twice"):
            array.sum(axis=axes)
    with pytest.raises(TypeError):
        array.sum(axis=1.0)


def test_python_numbers() -> None:
    assert int(mc.full((), 3.75)) == 3
    assert float(mc.full((1, 1), 3)) == 3.0
    assert complex(mc.full(1, 2j)) == 2j
    assert [10, 20, 30][mc.full((), 1, dtype="uint8")] == 20
    assert bool(mc.full(1, 0.5))
    assert not mc.zeros((), dtype="bool")
    with pytest.raises(TypeError):
        [1][mc.full((), 0.0)]
    with pytest.raises(TypeError):
        float(mc.full((), 1j))
    with pytest.raises(ValueError, match="one element"):
        bool(mc.zeros(2))
    with pytest.raises(TypeError, match="no length"):
        len(mc.zeros(()))
    assert len(mc.zeros((4, 2))) == 4
    assert [row.tolist() for row in mc.arange(4).reshape((2, 2))] == [[0, 1], [2, 3]]


def test_comparison_is_refused_rather_than_wrong() -> None:
    with pytest.raises(TypeError, match="not compared"):
        mc.zeros(1) == 0  # noqa: B015
    with pytest.raises(TypeError, match="not compared"):
        mc.zeros(1) != 0  # noqa: B015
    array = mc.zeros(1)
    assert {array: 1}[array] == 1


def test_repr() -> None:
    assert repr(mc.arange(3)) == "Array([0, 1, 2], dtype=int64)"
    assert repr(mc.ones(1, dtype="bfloat16")) == "Array([1.], dtype=bfloat16)"
    assert len(repr(mc.zeros(100_000))) < 200


def test_promotion_table_is_symmetric() -> None:
    for left, right in itertools.product(mc.DType, repeat=2):
        assert _core.promote(left, right) == _core.promote(right, left)
        assert _core.promote(left, left) == left
