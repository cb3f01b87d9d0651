"""ggml's element-wise kernels: the operation is a function constant."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ggml_kernels import arguments, library, number, run, tensor

Doubles = NDArray[np.float64]

SLOPE, SCALE, BIAS, VALUE, LOW, HIGH = 0.3, 1.7, -0.4, -0.2, -1.1, 0.9


def erf(x: Doubles) -> Doubles:
    return np.vectorize(math.erf)(x)


def sigmoid(x: Doubles) -> Doubles:
    return 1 / (1 + np.exp(-x))


def gelu(x: Doubles) -> Doubles:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)))


def gelu_quick(x: Doubles) -> Doubles:
    return x * sigmoid(1.702 * x)


def gelu_erf(x: Doubles) -> Doubles:
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def silu(x: Doubles) -> Doubles:
    return x * sigmoid(x)


def hard_sigmoid(x: Doubles) -> Doubles:
    return np.clip(x / 6 + 0.5, 0, 1)


def xielu(x: Doubles) -> Doubles:
    positive = SCALE * x * x + BIAS * x
    negative = (np.exp(np.minimum(x, VALUE)) - 1 - x) * SLOPE + BIAS * x
    return np.where(x > 0, positive, negative)


UNARY: dict[str, Callable[[Doubles], Doubles]] = {
    "SCALE": lambda x: SCALE * x + BIAS,
    "FILL": lambda x: np.full_like(x, VALUE),
    "CLAMP": lambda x: np.clip(x, LOW, HIGH),
    "SQR": np.square,
    "SQRT": np.sqrt,
    "SIN": np.sin,
    "COS": np.cos,
    "LOG": np.log,
    "LEAKY_RELU": lambda x: np.where(x > 0, x, SLOPE * x),
    "TANH": np.tanh,
    "RELU": lambda x: np.maximum(x, 0),
    "SIGMOID": sigmoid,
    "GELU": gelu,
    "GELU_ERF": gelu_erf,
    "GELU_QUICK": gelu_quick,
    "SILU": silu,
    "ELU": lambda x: np.where(x > 0, x, np.expm1(x)),
    "NEG": np.negative,
    "ABS": np.abs,
    "SGN": np.sign,
    "STEP": lambda x: np.heaviside(x, 0),
    "HARDSWISH": lambda x: x * hard_sigmoid(x),
    "HARDSIGMOID": hard_sigmoid,
    "EXP": np.exp,
    "SOFTPLUS": lambda x: np.logaddexp(0, x),
    "EXPM1": np.expm1,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "ROUND": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),  # halves away from zero
    "TRUNC": np.trunc,
    "XIELU": xielu,
}

# Each operation with one kind of kernel: all kinds of kernel come up.
KINDS = ("f32_f32", "f32_f32_4", "f16_f16", "f16_f16_4")
CASES = [(name, KINDS[i % len(KINDS)], i % 3 == 0) for i, name in enumerate(UNARY)]


@pytest.mark.parametrize(("name", "kind", "contiguous"), CASES)
def test_unary(name: str, kind: str, contiguous: bool, rng: np.random.Generator) -> None:
    """Rows of every length; those that are not contiguous are parts of longer ones."""
    width = 4 if kind.endswith("_4") else 1
    dtype = np.dtype(np.float16 if kind.startswith("f16") else np.float32)
    columns = 67 * width
    storage = rng.uniform(-8, 8, (2, 3, 5, columns if contiguous else columns + 12)).astype(dtype)
    storage.flat[::50] = 0
    x = storage[..., :columns]
    out = np.zeros(x.shape, dtype)

    fields = tensor("0", x) | tensor("", out)
    for field in "ne00", "ne0":
        fields[field] //= width
    threads = 1 if contiguous else 32
    groups = (x.size // width, 1, 1) if contiguous else (5 * -(-columns // width // threads), 3, 2)
    run(
        library("unary")[f"kernel_unary_{kind}"],
        arguments(
            "unary",
            fields,
            slope=SLOPE,
            scale=SCALE,
            bias=BIAS,
            val=VALUE,
            min=LOW,
            max=HIGH,
        ),
        storage,
        out,
        groups=groups,
        group_size=threads,
        FC_unary_op=number(f"OP_UNARY_NUM_{name}"),
        FC_unary_cnt=contiguous,
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = UNARY[name](x.astype(np.float64))
    tolerance = 1e-3 if dtype == np.float16 else 2e-6
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance)


GATED: dict[str, Callable[[Doubles, Doubles], Doubles]] = {
    "reglu": lambda x, gate: np.maximum(x, 0) * gate,
    "geglu": lambda x, gate: gelu(x) * gate,
    "swiglu": lambda x, gate: silu(x) * gate,
    "geglu_erf": lambda x, gate: gelu_erf(x) * gate,
    "geglu_quick": lambda x, gate: gelu_quick(x) * gate,
    "swiglu_oai": lambda x, gate: (
        np.minimum(x, HIGH)
        * sigmoid(SCALE * np.minimum(x, HIGH))
        * (1 + np.clip(gate, -HIGH, HIGH))
    ),
    "swiglu_clamp": lambda x, gate: silu(np.minimum(x, HIGH)) * np.clip(gate, -HIGH, HIGH),
}


@pytest.mark.parametrize("name", GATED)
def test_gated_units(name: str, rng: np.random.Generator) -> None:
    """Both halves of each row of one tensor, exchanged."""
    columns = 75
    x = rng.normal(0, 2, (7, 2 * columns)).astype(np.float32)
    out = np.zeros((7, columns), np.float32)
    run(
        library("unary")[f"kernel_{name}_f32"],
        arguments(
            "glu",
            tensor("0", x) | tensor("1", x) | tensor("", out),
            i00=columns,
            i10=0,
            alpha=SCALE,
            limit=HIGH,
        ),
        x,
        x,
        out,
        groups=(7, 1, 1),
        group_size=columns // 2,
    )
    gate, value = np.split(x.astype(np.float64), 2, axis=1)
    np.testing.assert_allclose(out, GATED[name](value, gate), rtol=5e-6, atol=5e-6)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}


@pytest.mark.parametrize("operation", BINARY)
@pytest.mark.parametrize(
    ("kind", "rows"),
    [("f32_f32_f32", True), ("f32_f32_f32_4", False), ("f16_f16_f16", False)],
)
def test_binary_with_broadcast(
    operation: str, kind: str, rows: bool, rng: np.random.Generator
) -> None:
    """The second operand is repeated along every axis, or is one row for all rows."""
    dtype = np.dtype(np.float16 if kind.startswith("f16") else np.float32)
    width = 4 if kind.endswith("_4") else 1
    x = rng.uniform(-2, 2, (4, 6, 5, 84)).astype(dtype)
    shape = (1, 1, 1, 28) if rows else (2, 3, 1, 28)
    y = rng.uniform(0.5, 2, shape).astype(dtype)
    out = np.zeros_like(x)
    fields = tensor("0", x) | tensor("1", y) | tensor("", out)
    for field in "ne00", "ne10", "ne0":
        fields[field] //= width
    run(
        library("binbcast")[f"kernel_bin_fuse_{kind}"],
        arguments("bin", fields, offs=0, o1=0),
        x,
        y,
        out,
        groups=(84 // width, 4 * 6 * 5, 1) if rows else (5, 6, 4),
        group_size=1 if rows else 16,
        FC_bin_op=list(BINARY).index(operation),
        FC_bin_f=1,
        FC_bin_rb=rows,
        FC_bin_cb=True,
    )
    repeats = [extent // other for extent, other in zip(x.shape, y.shape, strict=True)]
    expected = BINARY[operation](x.astype(np.float64), np.tile(y.astype(np.float64), repeats))
    np.testing.assert_allclose(out, expected, rtol=1e-3 if dtype == np.float16 else 3e-7, atol=1e-6)


def test_fused_additions(rng: np.random.Generator) -> None:
    """Five sums in one kernel, whose addends lie in one buffer at offsets given as an array."""
    addends = 5
    x = rng.standard_normal((3, 200), np.float32)
    y = rng.standard_normal((addends, 3, 200), np.float32)
    out = np.zeros_like(x)
    offsets = [i * y.strides[0] for i in rng.permutation(addends)]
    run(
        library("binbcast")["kernel_bin_fuse_f32_f32_f32"],
        arguments(
            "bin",
            tensor("0", x) | tensor("1", y[0]) | tensor("", out),
            offs=0,
            o1=[*offsets, *[0] * (8 - addends)],
        ),
        x,
        y,
        out,
        groups=(3, 1, 1),
        group_size=64,
        FC_bin_op=0,
        FC_bin_f=addends,
        FC_bin_rb=False,
        FC_bin_cb=False,
    )
    expected = x.astype(np.float64) + y.astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
