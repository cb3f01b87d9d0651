"""The standard library's functions of float and half, each width, against NumPy's float64.

The limits are those of the Metal Shading Language Specification, in units of the last place.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER, loads, stores, vector

COUNT = 2400  # divisible by every width
WIDTHS = (1, 2, 3, 4)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan]

Doubles = NDArray[np.float64]


class Float(NamedTuple):
    """A scalar type; `digits` of its significand."""

    name: str
    dtype: np.dtype
    digits: int

    @property
    def info(self) -> np.finfo:
        return np.finfo(self.dtype)


FLOAT = Float("float", np.dtype(np.float32), 24)
HALF = Float("half", np.dtype(np.float16), 11)


class Function(NamedTuple):
    """Takes arguments from `low` to `high`, and the special values."""

    name: str
    reference: Callable[..., Doubles]
    limit: float = 0.0
    low: float = -1e4
    high: float = 1e4

    @property
    def arity(self) -> int:
        if isinstance(self.reference, np.ufunc):
            return self.reference.nin
        return len(inspect.signature(self.reference).parameters)

    def limit_of(self, type: Float) -> float:
        # Half is computed as float and rounded once more.
        return self.limit if type is FLOAT or self.limit <= 0.5 else 1.0


def sine_of_half_turns(x: Doubles) -> Doubles:
    rest = np.fmod(x, 2.0)
    return np.where(rest == np.trunc(rest), np.copysign(0.0, x), np.sin(np.pi * rest))


def cosine_of_half_turns(x: Doubles) -> Doubles:
    rest = np.abs(np.fmod(x, 2.0))
    return np.where((rest == 0.5) | (rest == 1.5), 0.0, np.cos(np.pi * rest))


def positive_difference(x: Doubles, y: Doubles) -> Doubles:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0.0))


def median(x: Doubles, y: Doubles, z: Doubles) -> Doubles:
    return np.fmax(np.fmin(x, y), np.fmin(np.fmax(x, y), z))


def next_after(type: Float) -> Callable[[Doubles, Doubles], Doubles]:
    def reference(x: Doubles, y: Doubles) -> Doubles:
        return np.nextafter(x.astype(type.dtype), y.astype(type.dtype)).astype(np.float64)

    return reference


FUNCTIONS = [
    Function("acos", np.arccos, 4, -1, 1),
    Function("acosh", np.arccosh, 4, 1),
    Function("asin", np.arcsin, 4, -1, 1),
    Function("asinh", np.arcsinh, 4),
    Function("atan", np.arctan, 5),
    Function("atanh", np.arctanh, 5, -1, 1),
    Function("ceil", np.ceil),
    Function("cos", np.cos, 4),
    Function("cosh", np.cosh, 4, -80, 80),
    Function("cospi", cosine_of_half_turns, 4, -100, 100),
    Function("exp", np.exp, 4, -80, 80),
    Function("exp10", lambda x: np.power(10.0, x), 4, -35, 35),
    Function("exp2", np.exp2, 4, -120, 120),
    Function("fabs", np.fabs),
    Function("abs", np.fabs),
    Function("floor", np.floor),
    Function("log", np.log, 4, 0),
    Function("log10", np.log10, 4, 0),
    Function("log2", np.log2, 4, 0),
    Function("rint", np.rint),
    Function("round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), 0, -4e3, 4e3),
    Function("rsqrt", lambda x: 1 / np.sqrt(x), 2, 0),
    Function("saturate", lambda x: np.where(np.isnan(x), 0.0, np.clip(x, 0.0, 1.0)), 0, -2, 2),
    Function("sign", lambda x: np.where(np.isnan(x), 0.0, np.sign(x))),
    Function("sin", np.sin, 4),
    Function("sinh", np.sinh, 4, -80, 80),
    Function("sinpi", sine_of_half_turns, 4, -100, 100),
    Function("sqrt", np.sqrt, 0.5, 0),
    Function("tan", np.tan, 6),
    Function("tanh", np.tanh, 5, -20, 20),
    Function("trunc", np.trunc),
    Function("atan2", np.arctan2, 6),
    Function("copysign", np.copysign),
    Function("divide", np.divide, 0.5),
    Function("fdim", positive_difference, 0.5),
    Function("fmax", np.fmax),
    Function("fmin", np.fmin),
    Function("fmod", np.fmod),
    Function("max", np.fmax),
    Function("min", np.fmin),
    Function("pow", np.power, 16, 0, 20),
    Function("powr", lambda x, y: np.exp(y * np.log(x)), 16, 0, 20),
    Function("step", lambda edge, x: np.where(x < edge, 0.0, 1.0)),
    Function("clamp", lambda x, y, z: np.fmin(np.fmax(x, y), z)),
    Function("fma", lambda x, y, z: x * y + z, 0.5, -50, 50),
    Function("fmax3", lambda x, y, z: np.fmax(np.fmax(x, y), z)),
    Function("fmin3", lambda x, y, z: np.fmin(np.fmin(x, y), z)),
    Function("fmedian3", median),
    Function("max3", lambda x, y, z: np.fmax(np.fmax(x, y), z)),
    Function("min3", lambda x, y, z: np.fmin(np.fmin(x, y), z)),
    Function("median3", median),
]


def kernel(function: Function, type: Float, width: int) -> str:
    arguments = "xyz"[: function.arity]
    parameters = "".join(f"device const {type.name} *{name}_, " for name in arguments)
    return f"""
kernel void test_{function.name}_{width}({parameters}device {type.name} *out,
                                         uint i [[thread_position_in_grid]]) {{
{loads(type.name, width, arguments)}
  {vector(type.name, width)} r = {function.name}({", ".join(arguments)});
{stores(width)}}}
"""


def ulps(got: Doubles, expected: Doubles, type: Float) -> Doubles:
    """Distances in units of the last place of a number of `type` near `expected`."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.astype(type.dtype).astype(np.float64)
        smallest = float(type.info.smallest_normal)
        exponent = np.frexp(np.where(np.isfinite(expected), expected, 1.0))[1]
        unit = np.ldexp(1.0, np.maximum(exponent, np.frexp(smallest)[1]) - type.digits)
        distance = np.abs(got - expected) / unit
    largest = float(type.info.max)
    same = (got == rounded) | (np.isnan(got) & np.isnan(expected))
    # The neighbour of infinity is the largest number; results below the normal ones may be zero.
    beside = np.isinf(rounded) & (got == np.copysign(largest, rounded))
    tiny = (np.abs(expected) < smallest) & (np.abs(got) <= smallest)
    wrong = np.isnan(got) | np.isnan(expected) | np.isinf(got) | np.isinf(rounded)
    return np.where(same | tiny, 0.0, np.where(beside, 1.0, np.where(wrong, np.inf, distance)))


def numbers(function: Function, type: Float, random: np.random.Generator) -> NDArray[np.floating]:
    """Evenly spread, and of all magnitudes, from `low` to `high`."""
    largest = min(function.high, -function.low if function.low < 0 else function.high)
    magnitudes = np.exp2(random.uniform(-12, np.log2(max(largest, 1.0)), COUNT // 2))
    magnitudes *= random.choice([-1.0, 1.0], COUNT // 2)
    even = random.uniform(function.low, function.high, COUNT - COUNT // 2)
    values = random.permutation(np.concatenate([magnitudes, even]))
    return np.clip(values, function.low, function.high).astype(type.dtype)


def arguments_of(
    function: Function, type: Float, random: np.random.Generator
) -> list[NDArray[np.floating]]:
    """Numbers, and between them each special value with each other."""
    arguments = [numbers(function, type, random) for _ in range(function.arity)]
    corners = np.array(list(itertools.product(SPECIAL, repeat=function.arity)))
    places = random.permutation(COUNT)[: len(corners)]
    for argument, values in zip(arguments, corners.T, strict=True):
        argument[places] = values
    return arguments


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=lambda type: type.name)
def test_functions(type: Float) -> None:
    functions = [*FUNCTIONS, Function("nextafter", next_after(type))]
    library = mc.compile(
        HEADER
        + "".join(kernel(function, type, width) for function in functions for width in WIDTHS),
        math_mode="safe",
    )
    random = np.random.default_rng()
    for function in functions:
        arguments = arguments_of(function, type, random)
        if function.name == "clamp":  # undefined unless low <= high
            arguments[1:] = np.fmin(*arguments[1:]), np.fmax(*arguments[1:])
        with np.errstate(all="ignore"):
            expected = function.reference(*(x.astype(np.float64) for x in arguments))
        for width in WIDTHS:
            out = mc.empty(COUNT, dtype=type.dtype.name)
            library[f"test_{function.name}_{width}"](
                *map(mc.asarray, arguments), out, threads=COUNT // width
            )
            got = np.asarray(out)
            error = ulps(got.astype(np.float64), expected, type)
            worst = int(np.argmax(error))
            assert error[worst] <= function.limit_of(type), (
                f"{function.name}{tuple(x[worst] for x in arguments)} of {type.name}, width "
                f"{width}, is {got[worst]} and should be {expected[worst]}"
            )


def test_names_with_the_math_mode_as_an_argument() -> None:
    """What MLX's headers call: each is the library's function in the namespace of its mode."""
    modes = {"MAYBE_FAST": "metal::", "FAST": "metal::fast::", "PRECISE": "metal::precise::"}
    without = {"abs", "clamp", "copysign", "fdim", "fma", "max", "median3", "max3", "min", "min3"}
    without |= {"saturate", "sign", "step", "fmedian3"}
    functions = [function for function in FUNCTIONS if function.name not in without]
    kernels = ""
    for function in functions:
        names = "xyz"[: function.arity]
        values = ", ".join(f"{name}[i]" for name in names)
        bits = "".join(
            f"""
  out[{number} * {COUNT} + i] =
      as_type<uint>(__metal_{function.name}({values}, __METAL_{mode}_MATH__)) ==
      as_type<uint>({space}{function.name}({values}));"""
            for number, (mode, space) in enumerate(modes.items())
        )
        parameters = "".join(f"device const float *{name}, " for name in names)
        kernels += f"""
kernel void test_{function.name}({parameters}device uint *out,
                                 uint i [[thread_position_in_grid]]) {{{bits}
}}
"""
    library = mc.compile(HEADER + kernels)
    random = np.random.default_rng()
    for function in functions:
        out = mc.zeros(len(modes) * COUNT, dtype="uint32")
        arguments = arguments_of(function, FLOAT, random)
        library[f"test_{function.name}"](*map(mc.asarray, arguments), out, threads=COUNT)
        assert np.asarray(out).all(), function.name
