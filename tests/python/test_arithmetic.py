"""Array arithmetic compared with NumPy: all data types, broadcasting, promotion, odd sizes."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import metalcore as mc

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32"]
NUMERIC = [*INTEGERS, *FLOATS, "complex64"]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def random_values(rng: np.random.Generator, dtype: str, shape: Any) -> np.ndarray:
    """Over the whole range for integers; around 1 for floats."""
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    values = rng.normal(0, 2, shape)
    if dtype == "complex64":
        values = values + 1j * rng.normal(0, 2, shape)
    return np.asarray(values).astype(numpy_dtype(dtype))


def assert_same(actual: mc.Array, expected: np.ndarray) -> None:
    """Equal data types, shapes and values; complex ones to within rounding."""
    result = np.asarray(actual)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if result.dtype.kind == "c":
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)
    else:
        np.testing.assert_array_equal(result, expected)


def reference(op: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """NumPy's result in the data type that the array API standard wants."""
    with np.errstate(all="ignore"):
        if op == "divide" and left.dtype.kind in "iu":
            return left.astype(np.float32) / right.astype(np.float32)
        return OPERATORS[op](left, right)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("size", [0, 1, 1003])
def test_same_shapes(rng: np.random.Generator, op: str, dtype: str, size: int) -> None:
    left, right = (random_values(rng, dtype, size) for _ in range(2))
    result = OPERATORS[op](mc.asarray(left), mc.asarray(right))
    assert_same(result, reference(op, left, right))


SHAPES = [
    ((5, 7), (7,)),
    ((5, 7), (5, 1)),
    ((5, 1), (1, 7)),
    ((1, 1), (3, 9)),
    ((), (4, 5)),
    ((2, 3, 5), (3, 1)),
    ((2, 1, 5, 1), (3, 1, 7)),
    ((2, 1, 3, 1, 5), (1, 4, 1, 2, 1)),
    ((0, 3), (1, 3)),
]


@pytest.mark.parametrize(("left_shape", "right_shape"), SHAPES)
@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
@pytest.mark.parametrize("op", OPERATORS)
def test_broadcasting(
    rng: np.random.Generator, op: str, dtype: str, left_shape: Any, right_shape: Any
) -> None:
    left, right = random_values(rng, dtype, left_shape), random_values(rng, dtype, right_shape)
    for a, b in ((left, right), (right, left)):
        result = OPERATORS[op](mc.asarray(a), mc.asarray(b))
        assert_same(result, np.asarray(reference(op, a, b)))


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("op", OPERATORS)
def test_python_numbers(rng: np.random.Generator, op: str, dtype: str) -> None:
    values = random_values(rng, dtype, 37)
    scalar: Any = 3 if dtype in INTEGERS else 1.25
    array = mc.asarray(values)
    other = np.asarray(scalar, values.dtype)
    assert_same(OPERATORS[op](array, scalar), reference(op, values, other))
    assert_same(OPERATORS[op](scalar, array), reference(op, other, values))


@pytest.mark.parametrize("op", OPERATORS)
def test_strided_operands(rng: np.random.Generator, op: str) -> None:
    left, right = random_values(rng, "float32", (2, 23, 31))
    a, b = mc.asarray(left), mc.asarray(right)
    assert_same(
        OPERATORS[op](a[::2, 30:0:-3], b[:12, 1::3]),
        reference(op, left[::2, 30:0:-3], right[:12, 1::3]),
    )


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
@pytest.mark.parametrize("op", ["iadd", "isub", "imul"])
def test_in_place(rng: np.random.Generator, op: str, dtype: str) -> None:
    left, right = random_values(rng, dtype, (2, 13, 11))
    array = same = mc.asarray(left, copy=True)
    array = getattr(operator, op)(array, mc.asarray(right))
    assert array is same
    expected = left.copy()
    expected = getattr(operator, op)(expected, right)
    assert_same(array, expected)
    part = array[1:, ::2]
    part = getattr(operator, op)(part, 3)
    expected[1:, ::2] = getattr(operator, op)(expected[1:, ::2], np.asarray(3, expected.dtype))
    assert_same(array, expected)


def test_in_place_on_overlapping_memory(rng: np.random.Generator) -> None:
    values = random_values(rng, "int32", 10_007)
    array = mc.asarray(values, copy=True)
    head, tail = array[:-1], array[1:]
    tail += head
    expected = values.copy()
    expected[1:] += values[:-1]
    assert_same(array, expected)


def test_in_place_keeps_shape_and_type() -> None:
    ints = mc.ones(3, dtype="int32")
    with pytest.raises(TypeError, match=r"^The result would be float32, which an array of int32"):
        ints /= 2
    with pytest.raises(ValueError, match=r"does not broadcast to the target's shape \(3,\)"):
        ints += mc.ones((2, 3), dtype="int32")
    with pytest.raises(TypeError, match=r"^The result would be int64"):
        ints += mc.ones(3, dtype="int64")


def test_nan_and_infinities() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e38, -1e38, 1e-45], np.float32)
    left, right = (x.ravel() for x in np.meshgrid(special, special))
    for op in OPERATORS:
        expected = reference(op, left, right)
        result = np.asarray(OPERATORS[op](mc.asarray(left), mc.asarray(right)))
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(
            np.signbit(result)[~np.isnan(expected)], np.signbit(expected)[~np.isnan(expected)]
        )


def test_division_by_zero_of_integers_and_complex_numbers() -> None:
    np.testing.assert_array_equal(
        np.asarray(mc.asarray([1, 0, -1]) / 0), np.array([np.inf, np.nan, -np.inf], np.float32)
    )
    result = np.asarray(mc.asarray([1 + 1j]) / 0j)
    assert np.isinf(result.real).all()


@pytest.mark.parametrize(("left", "right"), list(itertools.product(["bool", *NUMERIC], repeat=2)))
def test_promotion(left: str, right: str) -> None:
    """Within a kind as NumPy does; between kinds, as the standard leaves undefined, an error."""
    a, b = mc.ones(3, dtype=left), mc.ones(3, dtype=right)
    kinds = {
        ("i" if name in INTEGERS else "b" if name == "bool" else "f") for name in (left, right)
    }
    undefined = len(kinds) > 1 or (
        {left, right} > {"uint64"} and any(name.startswith("int") for name in (left, right))
    )
    if undefined or kinds == {"b"}:
        with pytest.raises(TypeError):
            a + b
        return
    if {left, right} == {"float16", "bfloat16"}:
        expected = np.dtype(np.float32)  # NumPy has no opinion
    else:
        expected = np.result_type(numpy_dtype(left), numpy_dtype(right))
    assert np.asarray(a + b).dtype == expected


@pytest.mark.parametrize(
    ("dtype", "scalar"),
    [
        ("int32", 1.0),
        ("int32", True),
        ("float32", True),
        ("float32", 1j),
        ("bool", 1),
        ("bool", True),
        ("uint8", "1"),
        ("float32", None),
        ("float32", [1.0]),
        ("float32", np.ones(3, np.float32)),
    ],
)
def test_scalars_that_do_not_mix(dtype: str, scalar: Any) -> None:
    array = mc.ones(3, dtype=dtype)
    with pytest.raises(TypeError):
        array + scalar
    with pytest.raises(TypeError):
        scalar * array


@pytest.mark.parametrize(("dtype", "scalar"), [("int8", 128), ("uint8", -1), ("int64", 1 << 63)])
def test_integers_out_of_range(dtype: str, scalar: int) -> None:
    with pytest.raises(OverflowError, match=f"{scalar} is out of range for {dtype}"):
        mc.ones(3, dtype=dtype) + scalar


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(ValueError, match=r"^Shapes \(2, 3\) and \(2,\) do not broadcast"):
        mc.ones((2, 3)) + mc.ones(2)


def test_numpy_scalars_count_as_numbers() -> None:
    result = mc.ones(2, dtype="float16") * np.float32(2)
    assert result.dtype == mc.float16
    assert (np.float64(3) - mc.ones(2)).tolist() == [2.0, 2.0]


def test_long_chain_of_work_is_ordered() -> None:
    x = mc.zeros(1001, dtype="int32")
    for k in range(300):
        x = x + k
        x += 1
    assert set(x.tolist()) == {sum(range(300)) + 300}
