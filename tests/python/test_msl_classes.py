"""Classes of programs where a kernel's arguments and threadgroup memory have them."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

COMPLEX = """
struct Complex {
  float real, imaginary;
  Complex(float r = 1, float i = 2) : real(r), imaginary(i) {}
};
"""


def test_threadgroup_memory_of_a_class_with_constructors(rng: np.random.Generator) -> None:
    """No thread runs the constructor, which would overwrite what another has written."""
    library = mc.compile(
        HEADER
        + COMPLEX
        + """
kernel void turn(device const float2 *in, device float2 *out,
                 uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  threadgroup Complex shared[64];
  shared[i] = Complex(in[i].x, in[i].y);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const Complex other = shared[n - 1 - i];
  out[i] = float2(other.imaginary, other.real);
}
"""
    )
    x = rng.standard_normal((64, 2)).astype(np.float32)
    out = np.zeros_like(x)
    library.turn(x, out, threads=64, group_size=64)
    np.testing.assert_array_equal(out, x[::-1, ::-1])


@pytest.mark.parametrize("start", ["= {}", "{}", "= Complex()", "= {3, 4}"])
def test_threadgroup_memory_has_no_initial_value(start: str) -> None:
    with pytest.raises(mc.CompileError, match="threadgroup variable 'x' cannot be initialised"):
        mc.compile(
            HEADER
            + COMPLEX
            + f"kernel void f(device float *o) {{ threadgroup Complex x {start}; *o = x.real; }}"
        )


def test_pointers_that_nothing_follows() -> None:
    """Classes of arguments that a kernel does not touch are complete all the same."""
    library = mc.compile(
        HEADER
        + """
template <typename T> struct Box { T value; };
kernel void one(device const float3x3 *a, constant packed_short3 *b, device const Box<half> *c,
                device int *out) { *out = 1; }
"""
    )
    out = np.zeros(1, np.int32)
    library.one(bytes(48), bytes(6), bytes(2), out, threads=1)
    assert out[0] == 1
