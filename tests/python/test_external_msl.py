"""Kernels that were written by others for Apple's compiler, compared with NumPy.

Their text is taken out of source distributions at test time. The references follow the kernels'
mathematics; where that is chaotic, only pixels count whose reference stays when its input moves by
one part in a million.
"""

from __future__ import annotations

import ast

import numpy as np
import numpy.typing as npt
import pytest

import metalcore as mc
from source_archives import SourceArchive

METALCOMPUTE = SourceArchive(
    "metalcompute",
    "metalcompute-0.2.9.tar.gz",
    "8e06ee4616cf3aa26384d8ff10e910c19ae4d8bc85a9ae2f202f5134729c46c6",
)
LLAMA_CPP_PYTHON = SourceArchive(
    "llama-cpp-python",
    "llama_cpp_python-0.3.16.tar.gz",
    "34ed0f9bd9431af045bb63d9324ae620ad0536653740e9bb163a2e1fcb973be6",
)

Floats = npt.NDArray[np.floating]
Pixels = npt.NDArray[np.uint8]


class ExampleText(ast.NodeVisitor):
    """The texts that a metalcompute example assigns to names or passes to `kernel`."""

    def __init__(self, program: str, **values: int) -> None:
        self.texts: dict[str, str] = {}
        self.kernels: list[str] = []
        self._values = values
        self.visit(ast.parse(METALCOMPUTE.read(f"examples/{program}")))

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Name) and (text := self._text(node.value)) is not None:
            self.texts[node.targets[0].id] = text
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "kernel":
            if (text := self._text(node.args[0])) is not None:
                self.kernels.append(text)
        self.generic_visit(node)

    def _text(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.JoinedStr):
            parts = []
            for value in node.values:
                if isinstance(value, ast.Constant):
                    parts.append(str(value.value))
                elif isinstance(value, ast.FormattedValue) and isinstance(value.value, ast.Name):
                    if value.value.id not in self._values:
                        return None
                    parts.append(str(self._values[value.value.id]))
            return "".join(parts)
        return None


def assert_same_picture(actual: Pixels, reference: Pixels, nudged: Pixels) -> None:
    """Compares the well-conditioned pixels to within one step of 255."""

    def difference(a: Pixels, b: Pixels) -> npt.NDArray[np.int16]:
        return np.abs(a.astype(np.int16) - b.astype(np.int16)).max(axis=-1)

    comparable = difference(reference, nudged) <= 1
    assert comparable.mean() > 0.99
    assert len(np.unique(reference)) > 200
    np.testing.assert_array_less(difference(actual, reference)[comparable], 2)


def mandelbrot(width: int, height: int, iterations: int, nudge: float = 0.0) -> Pixels:
    ids = np.arange(width * height)
    # The kernel takes its height from the width's place.
    cx = (2.5 * ((ids % width) / width - 0.5) - 0.7) * (1 + nudge)
    cy = 2.5 * (0.5 - (ids // width) / width) * (1 + nudge)
    zx, zy = cx, cy
    steps = np.ones(ids.shape)
    inside = np.ones(ids.shape, bool)
    for _ in range(iterations):
        x, y = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        zx, zy = np.where(inside, x, zx), np.where(inside, y, zy)
        inside &= zx * zx + zy * zy < 4
        steps += inside
    for _ in range(2):
        zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
    with np.errstate(divide="ignore", invalid="ignore"):
        steps += 2 - np.log2(np.log(np.hypot(zx, zy)))
        phase = 3.14159 * steps / 256
        colour = 0.5 + 0.5 * np.sin(phase[:, None] * [13, 17, 19])
        colour[steps >= iterations] *= 0
    return np.trunc(np.nan_to_num(colour * 255)).astype(np.uint8)


def test_mandelbrot() -> None:
    width, height, inner, outer = 129, 97, 16, 4
    example = ExampleText(
        "metalcompute-mandelbrot", iterations=inner * outer, outer_iter=outer
    ).texts
    source = example["start"] + example["loop_start"] + example["step"] * inner + example["end"]
    kernel = mc.compile(source).mandelbrot
    image = np.zeros((width * height, 4), np.uint8)
    kernel(np.array([width, height], np.float32), image, threads=width * height)
    mc.synchronize()

    assert (image[:, 3] == 255).all()
    assert_same_picture(
        image[:, :3],
        mandelbrot(width, height, inner * outer),
        mandelbrot(width, height, inner * outer, nudge=1e-6),
    )


def raymarch(width: int, height: int, steps: int, camera: Floats, target: Floats) -> Pixels:
    def normalize(vector: Floats) -> Floats:
        return vector / np.linalg.norm(vector, axis=-1, keepdims=True)

    ids = np.arange(width * height)
    u = (ids % width) / width - 0.5
    v = 0.5 - (ids // width) / height
    forward = normalize(target - camera)
    across = normalize(np.cross(forward, [0.0, 1.0, 0.0]))
    down = normalize(np.cross(forward, across))
    ray = normalize(u[:, None] * across - v[:, None] * down + forward)
    length = np.zeros((ids.size, 1))
    for _ in range(steps):
        position = camera + length * ray
        cell = np.mod(position - target, 1.0) - 0.5
        ball = (cell * cell).sum(axis=1) - 0.2**2
        length[:, 0] += np.minimum(ball, position[:, 1] + 0.6)
    fog = np.where(length > 100, 0.0, np.minimum(1.0, 4 / length))
    return np.trunc(np.mod(camera + length * ray, 1.0) * fog * 255).astype(np.uint8)


def test_raymarch() -> None:
    width, height, steps = 129, 97, 300
    example = ExampleText("metalcompute-raymarch").texts
    source = example["kernel_start"] + example["kernel_step"] * steps + example["kernel_end"]
    kernel = mc.compile(source).test
    camera, target = np.array([1.0, 1.0, -2.0]), np.array([0.0, 0.9, 0.0])
    image = np.zeros((width * height, 4), np.uint8)
    uniforms = np.concatenate([[width, height], camera, target]).astype(np.float32)
    kernel(uniforms, image, threads=width * height)
    mc.synchronize()

    assert (image[:, 3] == 255).all()
    assert_same_picture(
        image[:, :3],
        raymarch(width, height, steps, camera, target),
        raymarch(width, height, steps, camera * (1 + 1e-6), target),
    )


def test_measure_arithmetic() -> None:
    """Thousands of doublings and squarings leave the signs of the doubled values, or NaN."""
    count, start = 1001, -60.0
    example = ExampleText("metalcompute-measure").texts
    source = example["kernel_start"] + example["kernel_step"] * 7 + example["kernel_end"]
    kernel = mc.compile(source).test
    out = np.zeros(count, np.float32)
    kernel(np.array([start], np.float32), out, threads=count)
    mc.synchronize()

    ids = np.arange(count)
    squared = start * 1e-4 + ids * 1e-5
    assert np.abs(squared).max() < 0.9  # so v1 and v3 vanish
    doubled = np.stack([squared + 1e-4 + ids * 2e-5, squared + 3e-4 + ids * 4e-5])
    clear = np.abs(doubled).min(axis=0) > 1e-6
    with np.errstate(over="ignore", invalid="ignore"):
        expected = np.float32(np.copysign(np.inf, doubled)).sum(axis=0)
    assert {str(value) for value in np.unique(expected)} == {"-inf", "inf", "nan"}
    np.testing.assert_array_equal(out[clear], expected[clear])


def test_measure_transfer(rng: np.random.Generator) -> None:
    (source,) = ExampleText("metalcompute-measure").kernels
    kernel = mc.compile(source).test
    bytes_in = rng.integers(0, 256, 16_411, np.uint8)
    bytes_out = np.zeros_like(bytes_in)
    kernel(bytes_in, bytes_out, threads=bytes_in.size)
    mc.synchronize()
    np.testing.assert_array_equal(bytes_out, bytes_in + np.uint8(2))


# The C structures of the kernels' `args`.
SOFT_MAX_ARGUMENTS = np.dtype(
    [
        ("ne00", "3i4"),
        ("nb01", "3u8"),
        ("ne11", "3i4"),
        ("nb11", "3u8"),
        ("nb1", "3u8"),
        ("scale", "f4"),
        ("max_bias", "f4"),
        ("m0", "f4"),
        ("m1", "f4"),
        ("heads", "i4"),
    ],
    align=True,
)
RMS_NORM_ARGUMENTS = np.dtype(
    [
        ("ne00", "i4"),
        ("ne00_4", "i4"),
        ("nb", "3u8"),
        ("eps", "f4"),
        ("nef", "(3,3)i4"),
        ("nbf", "(3,3)u8"),
    ],
    align=True,
)


@pytest.fixture(scope="module")
def ggml() -> mc.Library:
    """All of ggml's kernels, its two own headers put in place as its embedded build does."""
    folder = "vendor/llama.cpp/ggml/src"
    source = LLAMA_CPP_PYTHON.read(f"{folder}/ggml-metal/ggml-metal.metal")
    for include, header in {
        '#include "ggml-metal-impl.h"': f"{folder}/ggml-metal/ggml-metal-impl.h",
        '#include "ggml-common.h"': f"{folder}/ggml-common.h",
    }.items():
        assert include in source
        source = source.replace(include, LLAMA_CPP_PYTHON.read(header))
    return mc.compile(source)


def test_ggml_soft_max(ggml: mc.Library, rng: np.random.Generator) -> None:
    """Rows with a mask and ALiBi slopes: threadgroup memory, barriers, simdgroup reductions."""
    batches, heads, rows, columns = 2, 5, 3, 157
    x = rng.standard_normal((batches, heads, rows, columns), np.float32)
    mask = rng.standard_normal((1, 1, rows, columns), np.float32)
    mask[rng.random(mask.shape) < 0.2] = -np.inf
    out = np.zeros_like(x)
    scale, max_bias, log2_heads = 0.37, 8.0, 4
    m0, m1 = 2 ** (-max_bias / log2_heads), 2 ** (-max_bias / 2 / log2_heads)

    arguments = np.zeros((), SOFT_MAX_ARGUMENTS)
    arguments["ne00"] = columns, rows, heads
    arguments["nb01"] = arguments["nb1"] = x.strides[2::-1]
    arguments["ne11"] = rows, 1, 1
    arguments["nb11"] = mask.strides[2::-1]
    arguments["scale"], arguments["max_bias"] = scale, max_bias
    arguments["m0"], arguments["m1"], arguments["heads"] = m0, m1, log2_heads

    source = mc.asarray(x)  # given twice: the kernel compares the pointers and takes no sinks
    group = 64
    ggml["kernel_soft_max_f32"](
        source,
        mask,
        source,
        out,
        arguments.tobytes(),
        groups=(rows, heads, batches),
        group_size=(group, 1, 1),
        threadgroup_memory=[32 * 4],
    )
    mc.synchronize()

    head = np.arange(heads)
    slope = np.where(
        head < log2_heads, m0 ** (head + 1.0), m1 ** (2.0 * (head - log2_heads) + 1)
    ).reshape(1, heads, 1, 1)
    logits = x.astype(np.float64) * scale + slope * mask
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(
        out, weights / weights.sum(axis=-1, keepdims=True), rtol=2e-5, atol=1e-8
    )


def test_ggml_rms_norm_mul(ggml: mc.Library, rng: np.random.Generator) -> None:
    """Times a weight that every row shares: vector loads, two simdgroup reductions."""
    rows, columns, epsilon = 7, 412, 1e-5
    x = rng.standard_normal((rows, columns), np.float32)
    weight = rng.standard_normal(columns, np.float32)
    out = np.zeros_like(x)

    arguments = np.zeros((), RMS_NORM_ARGUMENTS)
    arguments["ne00"], arguments["ne00_4"], arguments["eps"] = columns, columns // 4, epsilon
    arguments["nb"] = x.strides[0], x.nbytes, x.nbytes
    arguments["nef"] = 1  # the weight has one row, which every row takes
    arguments["nbf"][:, 0] = x.strides[0], x.nbytes, x.nbytes
    ggml["kernel_rms_norm_mul"](
        arguments.tobytes(),
        x,
        weight,
        weight,
        out,
        groups=(rows, 1, 1),
        group_size=(96, 1, 1),
        threadgroup_memory=[32 * 4],
    )
    mc.synchronize()

    exact = x.astype(np.float64)
    norm = exact / np.sqrt((exact**2).mean(axis=1, keepdims=True) + epsilon) * weight
    np.testing.assert_allclose(out, norm, rtol=2e-5, atol=1e-6)
