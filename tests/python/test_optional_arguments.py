"""Arguments whose existence a function constant decides."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

SOURCE = (
    HEADER
    + """
constant bool has_bias [[function_constant(3)]];
constant bool has_mask [[function_constant(7)]];
constant bool uses_mask [[function_constant(8)]];
template <typename T>
[[kernel]] void add(device const T *x [[buffer(0)]],
                    device const T *bias [[buffer(1), function_constant(has_bias)]],
                    const device bool *mask [[buffer(2), function_constant(has_mask)]],
                    const constant int &scale
                    [[buffer(3), function_constant(has_mask)]],
                    device T *out [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  T r = x[i];
  if (has_bias)
    r += bias[i];
  if (uses_mask)  // nothing but the arguments asks for has_mask
    r = mask[i] ? r * T(scale) : T(0);
  out[i] = r;
}
template [[host_name("add")]] [[kernel]] decltype(add<float>) add<float>;
"""
)


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("has_mask", [False, True])
def test_arguments_that_are_left_out(
    has_bias: bool, has_mask: bool, rng: np.random.Generator
) -> None:
    """None stands for them."""
    kernel = mc.compile(SOURCE).add
    x, bias = rng.standard_normal((2, 77)).astype(np.float32)
    mask = rng.random(77) < 0.5
    out = np.zeros_like(x)
    constants = {"has_bias": has_bias, "has_mask": has_mask, "uses_mask": has_mask}
    kernel(
        x,
        bias if has_bias else None,
        *((mask, 3) if has_mask else (None, None)),
        out,
        threads=77,
        constants=constants,
    )
    expected = x + bias if has_bias else x
    if has_mask:
        expected = np.where(mask, expected * 3, 0)
    np.testing.assert_array_equal(out, expected)
    used = {a.name for a in kernel.prepare(constants=constants).arguments if a.is_used}
    assert used == {"x", "out"} | ({"bias"} if has_bias else set()) | (
        {"mask", "scale"} if has_mask else set()
    )


def test_arguments_that_exist_are_needed() -> None:
    kernel = mc.compile(SOURCE).add
    x = np.zeros(1, np.float32)
    constants = {"has_bias": True, "has_mask": False, "uses_mask": False}
    with pytest.raises(TypeError, match='"bias" of kernel "add" takes an array, a number or bytes'):
        kernel(x, None, None, None, x.copy(), threads=1, constants=constants)
