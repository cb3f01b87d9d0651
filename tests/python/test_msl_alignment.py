"""Vectors and structures at addresses that are multiples of their scalars' size only."""

from __future__ import annotations

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

COUNT = 37
TYPES = {
    "float4": ("float", np.float32, 4),
    "float2x4": ("float", np.float32, 8),
    "half4": ("half", np.float16, 4),
    "half4x4": ("half", np.float16, 16),
    "ushort2": ("ushort", np.uint16, 2),
    "char4": ("char", np.int8, 4),
    "Pair": ("int", np.int32, 8),
}
SPACES = {
    "device": "device const {0} *from",
    "constant": "constant {0} *from",
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", TYPES)
def test_loads_and_stores(name: str, space: str, rng: np.random.Generator) -> None:
    """Odd strides, in both directions, through device and through threadgroup memory."""
    scalar, dtype, width = TYPES[name]
    stride = width + 1
    library = mc.compile(
        HEADER
        + f"""
struct Pair {{ int4 first, second; }};
static void move(device {name} &to, {space} const {name} &value) {{ to = value; }}
kernel void direct({SPACES[space].format(scalar)}, device {scalar} *to,
                   uint i [[thread_position_in_grid]]) {{
  move(*(device {name} *)(to + i * {stride} + 1),
       *({space} const {name} *)(from + i * {stride} + 1));
}}
kernel void shared({SPACES[space].format(scalar)}, device {scalar} *to,
                   threadgroup {scalar} *group, uint i [[thread_index_in_threadgroup]],
                   uint count [[threads_per_threadgroup]]) {{
  *(threadgroup {name} *)(group + i * {stride} + 1) =
      *({space} const {name} *)(from + i * {stride} + 1);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint other = count - 1 - i;
  *(device {name} *)(to + other * {stride} + 1) =
      *(threadgroup const {name} *)(group + other * {stride} + 1);
}}
"""
    )
    values = rng.integers(-100, 100, 1 + COUNT * stride).astype(dtype)
    expected = values.copy()
    expected[0] = 0
    expected[1:].reshape(COUNT, stride)[:, width:] = 0
    out = np.zeros_like(values)
    library.direct(values, out, threads=COUNT)
    np.testing.assert_array_equal(out, expected)

    out = np.zeros_like(values)
    library.shared(
        values, out, threads=COUNT, group_size=COUNT, threadgroup_memory=values.nbytes + 16
    )
    np.testing.assert_array_equal(out, expected)
