"""The standard library's functions of float and half, each width, against NumPy's float64.

Each is called as it is, in namespace `fast` and in namespace `precise`. The limits are those of the
Metal Shading Language Specification for precise functions, in units of the last place: hostmetal's
fast ones are as exact.
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

WIDTHS = (1, 2, 3, 4)
EACH = 12  # numbers of one thread, divisible by every width
COUNT = 200 * EACH
SPACES = ("", "fast::", "precise::")
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
    """Takes arguments from `low` to `high`, and the special values.

    `text` makes the vector r, of type V, of the arguments x, y and z; I is a vector of integers,
    and S:: one of the namespaces. `size` is what the error is measured against where that is more
    than the result: sums may cancel.
    """

    name: str
    reference: Callable[..., Doubles]
    limit: float = 0.0
    low: float = -1e4
    high: float = 1e4
    text: str = ""
    size: Callable[..., Doubles] | None = None

    @property
    def arity(self) -> int:
        if isinstance(self.reference, np.ufunc):
            return self.reference.nin
        return len(inspect.signature(self.reference).parameters)

    def limit_of(self, type: Float) -> float:
        # Half is computed as float and rounded once more, but for sums and products.
        return self.limit if type is FLOAT or self.limit <= 0.5 or self.size else 1.0


def sine_of_half_turns(x: Doubles) -> Doubles:
    rest = np.fmod(x, 2.0)
    return np.where(rest == np.trunc(rest), np.copysign(0.0, x), np.sin(np.pi * rest))


def cosine_of_half_turns(x: Doubles) -> Doubles:
    rest = np.abs(np.fmod(x, 2.0))
    return np.where((rest == 0.5) | (rest == 1.5), 0.0, np.cos(np.pi * rest))


def tangent_of_half_turns(x: Doubles) -> Doubles:
    return sine_of_half_turns(x) / cosine_of_half_turns(x)


def positive_difference(x: Doubles, y: Doubles) -> Doubles:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0.0))


def median(x: Doubles, y: Doubles, z: Doubles) -> Doubles:
    return np.fmax(np.fmin(x, y), np.fmin(np.fmax(x, y), z))


def fraction(type: Float) -> Callable[[Doubles], Doubles]:
    below_one = 1 - 2.0**-type.digits

    def reference(x: Doubles) -> Doubles:
        rest = np.where(np.isinf(x), np.copysign(0.0, x), x - np.floor(x))
        # What is nearer to one than any number below it.
        return np.where(rest > below_one, below_one, rest)

    return reference


def smooth_step(low: Doubles, high: Doubles, x: Doubles) -> Doubles:
    t = np.fmin(np.fmax((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def exponent(x: Doubles) -> Doubles:
    found = np.frexp(np.where(np.isfinite(x), x, 1.0))[1] - 1.0
    return np.where(np.isinf(x), 2.0**31, np.where(np.isnan(x) | (x == 0), -(2.0**31), found))


def scaled(x: Doubles, n: Doubles) -> Doubles:
    return np.ldexp(x, np.nan_to_num(n).clip(-1e9, 1e9).astype(np.int32))


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
    Function("tanpi", tangent_of_half_turns, 6, -100, 100),
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
    Function(
        "mix",
        lambda x, y, a: x + (y - x) * a,
        *(3, -100, 100),
        size=lambda x, y, a: np.abs(x) + np.abs((y - x) * a),
    ),
    Function("smoothstep", smooth_step, 8, -2, 2, size=lambda *_: 1.0),
    Function("sincos", np.sin, 4, text="V c; V r = S::sincos(x, c);"),
    Function("sincos", np.cos, 4, text="V r; S::sincos(x, r);"),
    Function("modf", lambda x: np.modf(x)[0], text="V whole; V r = S::modf(x, whole);"),
    Function("modf", np.trunc, text="V r; S::modf(x, r);"),
    Function("frexp", lambda x: np.frexp(x)[0], text="I n; V r = S::frexp(x, n);"),
    Function(
        "frexp",
        lambda x: np.where(np.isfinite(x), np.frexp(x)[1], 0),
        text="I n; S::frexp(x, n); V r = V(n);",
    ),
    Function("ldexp", scaled, 0.5, -30, 30, text="V r = S::ldexp(x, I(y));"),
    Function("ilogb", exponent, text="V r = V(S::ilogb(x));"),
]
# Functions of which one of the results hangs on the type.
BY_TYPE = {"fract": fraction, "nextafter": next_after}


def functions_of(type: Float) -> list[Function]:
    return [*FUNCTIONS, *(Function(name, make(type)) for name, make in BY_TYPE.items())]


def statements(function: Function, type: Float, width: int, space: str) -> str:
    """The results of the vector `i`."""
    arguments = "xyz"[: function.arity]
    text = function.text or f"V r = S::{function.name}({', '.join(arguments)});"
    return f"""
  typedef {vector(type.name, width)} V;
  typedef {vector("int", width)} I;
{loads(type.name, width, arguments)}  {text.replace("S::", space)}
{stores(width)}"""


def kernels(number: int, function: Function, type: Float) -> str:
    """One writes the results of each namespace, and of each width of it, one after the other. In
    the other a thread makes a single number, so that threads become lanes of vectors."""
    inputs = "".join(f"device const {type.name} *{name}_, " for name in "xyz"[: function.arity])
    blocks = ""
    for place, (space, width) in enumerate(itertools.product(SPACES, WIDTHS)):
        count = EACH // width
        # Unrolled loops take long to compile.
        blocks += f"""
#pragma clang loop unroll(disable) vectorize(disable)
for (uint i = t * {count}; i < (t + 1) * {count}; ++i) {{
  device {type.name} *out = all + {place * COUNT};
{statements(function, type, width, space)}}}"""
    return f"""
kernel void all{number}({inputs}device {type.name} *all, uint t [[thread_position_in_grid]]) {{
{blocks}
}}
kernel void one{number}({inputs}device {type.name} *out, uint i [[thread_position_in_grid]]) {{
{statements(function, type, 1, "")}}}
"""


def ulps(got: Doubles, expected: Doubles, type: Float, size: Doubles | float = 0.0) -> Doubles:
    """Distances in units of the last place of a number of `type` near `expected`, or `size`."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = expected.astype(type.dtype).astype(np.float64)
        smallest = float(type.info.smallest_normal)
        magnitude = np.maximum(np.abs(expected), size)
        exponent = np.frexp(np.where(np.isfinite(magnitude), magnitude, 1.0))[1]
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


def check(
    number: int, function: Function, type: Float, library: mc.Library, arguments: list
) -> None:
    with np.errstate(all="ignore"):
        wide = [x.astype(np.float64) for x in arguments]
        expected = function.reference(*wide)
        size = function.size(*wide) if function.size else 0.0
    every = mc.empty((len(SPACES), len(WIDTHS), COUNT), dtype=type.dtype.name)
    single = mc.empty((1, 1, COUNT), dtype=type.dtype.name)
    inputs = [mc.asarray(x) for x in arguments]
    library[f"all{number}"](*inputs, every, threads=COUNT // EACH)
    library[f"one{number}"](*inputs, single, threads=COUNT)
    for out in (np.asarray(every), np.asarray(single)):
        error = ulps(out.astype(np.float64), expected, type, size)
        worst = np.unravel_index(int(np.argmax(error)), error.shape)
        space, width, place = worst
        assert error[worst] <= function.limit_of(type), (
            f"{SPACES[space]}{function.name}{tuple(x[place] for x in arguments)} of {type.name}, "
            f"width {WIDTHS[width]}, is {out[worst]} and should be {expected[place]}"
        )


@pytest.mark.parametrize("type", [FLOAT, HALF], ids=lambda type: type.name)
def test_functions(type: Float, rng: np.random.Generator) -> None:
    functions = functions_of(type)
    library = mc.compile(
        HEADER + "".join(kernels(*numbered, type) for numbered in enumerate(functions)),
        math_mode="safe",
    )
    for number, function in enumerate(functions):
        arguments = arguments_of(function, type, rng)
        if function.name == "clamp":  # undefined unless low <= high
            arguments[1:] = np.fmin(*arguments[1:]), np.fmax(*arguments[1:])
        check(number, function, type, library, arguments)


# Those that MLX's headers call, with the math mode as the last argument.
WITH_MODE = """
acos acosh asin asinh atan atanh atan2 ceil cos cosh cospi divide exp exp10 exp2 fabs floor fmax
fmax3 fmedian3 fmin fmin3 fmod fract log log10 log2 pow powr rint round rsqrt sin sinh sinpi sqrt
tan tanh tanpi trunc
""".split()


def test_names_with_the_math_mode_as_an_argument(rng: np.random.Generator) -> None:
    modes = {"MAYBE_FAST": "metal", "FAST": "metal::fast", "PRECISE": "metal::precise"}
    source = HEADER
    arity = {name: 3 if name[-1] == "3" else 1 for name in WITH_MODE}
    arity |= dict.fromkeys(("atan2", "divide", "fmax", "fmin", "fmod", "pow", "powr"), 2)
    for name in WITH_MODE:
        arguments = ", ".join(f"{x}[i]" for x in "xyz"[: arity[name]])
        same = "".join(
            f"""
  same[{number * COUNT} + i] =
      as_type<uint>(__metal_{name}({arguments}, __METAL_{mode}_MATH__)) ==
      as_type<uint>({space}::{name}({arguments}));"""
            for number, (mode, space) in enumerate(modes.items())
        )
        source += f"""
kernel void test_{name}(device const float *x, device const float *y, device const float *z,
                        device uint *same, uint i [[thread_position_in_grid]]) {{{same}
}}
"""
    library = mc.compile(source)
    x, y, z = (mc.asarray(rng.uniform(-3, 3, COUNT).astype(np.float32)) for _ in range(3))
    for name in WITH_MODE:
        same = mc.zeros(len(modes) * COUNT, dtype="uint32")
        library[f"test_{name}"](x, y, z, same, threads=COUNT)
        assert np.asarray(same).all(), name
