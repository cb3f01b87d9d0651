"""Creation, views, conversion and sums of arrays, compared with NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import metalcore as mc
from metalcore import _core

DTYPES = [str(dtype) for dtype in mc.DType]
INTEGERS = [name for name in DTYPES if "int" in name]


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


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
