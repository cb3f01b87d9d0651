"""PyTorch: the Metal kernel headers of its wheel.

Some of them instantiate their kernels themselves. Those for element-wise operations are templates
over functors: here they get one functor for each function of PyTorch's special mathematics, and for
the operators, over the types that PyTorch registers such operations with.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from metalcore.tools.corpora.includes import flatten_text
from metalcore.tools.corpora.unit import Unit
from source_archives import SourceArchive

WHEEL = SourceArchive(
    "torch",
    "torch-2.14.1-cp311-cp311-macosx_14_0_arm64.whl",
    "b6074b130fd26bc50f5d171f07dfed70db22dd0c354ab34767729249f9e0f042",
)
MATHEMATICS = ("special_math", "utils", "indexing")
KERNELS = "ATen/native/mps/kernels/"

FLOATS = ("float", "half", "bfloat")
SIGNED = ("long", "int", "short", "char")
INTEGERS = (*SIGNED, "uchar")

# Of floating point and integers, which become float.
UNARY = (
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "digamma",
    "entr",
    "sinc",
    "spherical_bessel_j0",
    "bessel_j0_forward",
    "bessel_j1_forward",
    "bessel_y0_forward",
    "bessel_y1_forward",
    "modified_bessel_i0_forward",
    "modified_bessel_i1_forward",
    "modified_bessel_k0_forward",
    "modified_bessel_k1_forward",
    "scaled_modified_bessel_k0_forward",
    "scaled_modified_bessel_k1_forward",
)
STANDARD = (
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "exp",
    "exp2",
    "floor",
    "log",
    "log10",
    "log2",
    "rsqrt",
    "sin",
    "sqrt",
    "tan",
    "trunc",
)
POLYNOMIALS = (
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
)
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
OPERATORS = {"add": "+", "sub": "-"}
BITWISE = {"and": "&", "or": "|", "xor": "^", "left_shift": "<<", "right_shift": ">>"}


def functor(name: str, parameters: Sequence[str], value: str) -> str:
    """A functor whose result has the type of its operands."""
    declared = ", ".join(f"T {parameter}" for parameter in parameters)
    return (
        f"struct {name}_functor {{ template <typename T> T operator()({declared}) "
        f"{{ return T({value}); }} }};\n"
    )


def registered(macro: str, name: str, types: Sequence[str], result: str = "") -> Iterator[str]:
    """PyTorch's macro, once for each type; the result's is the operands' unless it is given."""
    for each in types:
        yield f"{macro}({name}, {each}, {result or each});\n"


def log_gamma() -> Iterator[str]:
    """Calls itself through `gamma`."""
    yield "DEFINE_UNARY_FLOATING_FUNCTOR(log_gamma);\n"
    yield from registered("REGISTER_UNARY_OP", "log_gamma", FLOATS)


def unary() -> Iterator[str]:
    for name in UNARY:
        yield f"DEFINE_UNARY_FLOATING_FUNCTOR({name});\n"
    for name in STANDARD:
        yield f"namespace functors {{ using metal::precise::{name}; }}\n"
        yield functor(name, "x", f"functors::{name}(float(x))")
    for name in (*UNARY, *STANDARD):
        yield from registered("REGISTER_UNARY_OP", name, FLOATS)
    for name in UNARY:
        if name != "sinc":
            yield from registered("REGISTER_UNARY_OP", name, INTEGERS, "float")


def binary() -> Iterator[str]:
    for name, operator in OPERATORS.items():
        yield functor(name, "ab", f"a {operator} b")
        yield from registered("REGISTER_BINARY_OP", name, (*FLOATS, *INTEGERS, "float2"))
    for name in ("mul", "div"):
        yield functor(name, "ab", f"c10::metal::{name}(a, b)")
        yield from registered("REGISTER_OPMATH_BINARY_OP", name, (*FLOATS, *INTEGERS))
    for name in ("max", "min", "remainder", "fmod"):
        yield functor(name, "ab", f"c10::metal::{name}(a, b)")
        yield from registered("REGISTER_BINARY_OP", name, (*FLOATS, *INTEGERS))
    for name in ("zeta", "xlogy", "xlog1py", "logaddexp", "logaddexp2"):
        yield functor(name, "ab", f"c10::metal::{name}(a, b)")
        yield from registered("REGISTER_BINARY_OP", name, FLOATS)
    for name, operator in BITWISE.items():
        yield functor(name, "ab", f"a {operator} b")
        yield from registered("REGISTER_BINARY_OP", name, INTEGERS)


def comparisons() -> Iterator[str]:
    for name, operator in COMPARISONS.items():
        yield f"DEFINE_BINARY_COMPARISON_FUNCTOR({name}, {operator});\n"
        for macro in ("REGISTER_BINARY_OP", "REGISTER_BINARY_CASTOUT_OP"):
            yield from registered(macro, name, (*FLOATS, *INTEGERS), "bool")


def polynomials() -> Iterator[str]:
    for name in POLYNOMIALS:
        yield functor(name, "ab", f"c10::metal::{name}_forward(float(a), float(b))")
        yield from registered("REGISTER_BINARY_OP", name, FLOATS)


def ternary() -> Iterator[str]:
    values = {"addcmul": "a + b * c", "addcdiv": "a + b / c", "lerp": "a + c * (b - a)"}
    for name, value in values.items():
        yield functor(name, "abc", value)
        yield from registered("REGISTER_OPMATH_TERNARY_OP", name, FLOATS)
        if name == "addcmul":
            yield from registered("REGISTER_TERNARY_OP", name, INTEGERS)


def source(headers: Sequence[str], lines: Iterator[str]) -> str:
    """A file of PyTorch's."""
    includes = [f"#include <{header}>\n" for header in headers]
    using = "#include <metal_stdlib>\nusing namespace metal;\nusing namespace c10::metal;\n"
    return "".join(["namespace c10 { namespace metal {} }\n", using, *includes, *lines])


def units() -> list[Unit]:
    """One for each group of kernels."""
    include = WHEEL.folder(".h") / "torch" / "include"
    mathematics = [f"c10/metal/{header}.h" for header in MATHEMATICS]
    attention = [*mathematics, "c10/metal/common.h", KERNELS + "Activation.h"]
    groups = {
        "unary": (mathematics, unary()),
        "log_gamma": (mathematics, log_gamma()),
        "binary": (mathematics, binary()),
        "comparisons": (mathematics, comparisons()),
        "polynomials": (mathematics, polynomials()),
        "ternary": (mathematics, ternary()),
        "sort": ([*mathematics, KERNELS + "SortTopK.h"], iter(())),
        "gemv": ([*mathematics, KERNELS + "LinearAlgebra.h", KERNELS + "Gemv.h"], iter(())),
        "decode_attention": ([*mathematics, KERNELS + "DecodeAttention.h"], iter(())),
        "prefill_attention": ([*attention, KERNELS + "PrefillAttention.h"], iter(())),
        "mpp_attention": ([*attention, KERNELS + "MppAttention.h"], iter(())),
    }
    return [
        Unit(
            name=f"torch/{name}",
            text=functools.partial(
                flatten_text, source(headers, lines), [include], f"{name}.metal"
            ),
            math_mode="safe",
            stands_in=False,
            needs="Metal 4" if name == "mpp_attention" else "",
        )
        for name, (headers, lines) in groups.items()
    ]
