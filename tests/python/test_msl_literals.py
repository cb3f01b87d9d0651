"""Floating-point literals, which have the type float without a suffix, in templates too."""

from __future__ import annotations

import numpy as np

import metalcore as mc
from msl_kernels import HEADER


def test_unsuffixed_literals_are_floats(rng: np.random.Generator) -> None:
    """Random decimals, as a constant's value and in an expression of a template's type."""
    values = rng.uniform(-1, 1, 60) * 10.0 ** rng.integers(-30, 30, 60)
    literals = [f"{value:.12e}" for value in values] + ["1.", ".5", "2e3", "0x1.8p-3", "16777217.0"]
    library = mc.compile(
        HEADER
        + """
template <typename T> void store(device const T *x, device float *out, device uint *sizes) {
"""
        + "".join(
            f"  out[{i}] = x[0] * {literal};  sizes[{i}] = sizeof(x[0] * {literal});\n"
            for i, literal in enumerate(literals)
        )
        + """}
kernel void of_float(device const float *x, device float *out, device uint *sizes) {
  store(x, out, sizes);
}
kernel void of_int(device const int *x, device float *out, device uint *sizes) {
  store(x, out, sizes);
}
kernel void of_half(device const half *x, device float *out, device uint *sizes) {
  store(x, out, sizes);
}
"""
    )
    expected = np.array([float.fromhex(x) if "x" in x else float(x) for x in literals], np.float32)
    for name, one in {
        "of_float": np.float32(1),
        "of_int": np.int32(1),
        "of_half": np.float16(1),
    }.items():
        out = np.zeros(len(literals), np.float32)
        sizes = np.zeros(len(literals), np.uint32)
        library[name](np.array([one]), out, sizes, threads=1)
        np.testing.assert_array_equal(sizes, 4, err_msg=name)
        np.testing.assert_array_equal(out, expected, err_msg=name)


def test_logging_does_nothing() -> None:
    """Format strings and values of any type are taken; without a log there is nothing to see."""
    library = mc.compile(
        HEADER
        + """
#include <metal_logging>
constant os_log logger("subsystem", "category");
kernel void noisy(device float4 *x, uint i [[thread_position_in_grid]]) {
  os_log_default.log("thread %u", i);
  logger.log_debug("%f %d", x[i].x, short(i));
  x[i] += 1;
  metal::os_log_default.log_fault("done");
}
"""
    )
    x = np.zeros((3, 4), np.float32)
    library.noisy(x, threads=3)
    assert (x == 1).all()
