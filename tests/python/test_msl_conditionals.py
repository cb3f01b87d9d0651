"""Conditional operators between objects of one class in different address spaces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import metalcore as mc
from msl_kernels import HEADER

OPERANDS = {
    "device": "in[2 * i]",
    "constant": "fixed[2 * i]",
    "threadgroup": "group[0]",
    "thread": "local",
    "const thread": "unchanging",
    "value": "T(in[0])",
}
TYPES = ["half2", "float3", "packed_float3", "float2x4", "Pair"]


@pytest.mark.parametrize("type", TYPES)
def test_operands_in_any_address_space(type: str, rng: np.random.Generator) -> None:
    """All pairs of address spaces, in a template, where clang looks at the operator twice."""
    pairs = list(itertools.permutations(OPERANDS.values(), 2))
    library = mc.compile(
        HEADER
        + """
struct Pair { float first; int2 second; };
template <typename T>
void choose(device const T *in, constant T *fixed, threadgroup T *group, device T *out,
            device T *wanted, uint i) {
  T local = in[1];
  const T unchanging = fixed[1];
  uint k = i;
"""
        + "".join(
            f"  out[k] = i % 2 == 0 ? {a} : {b};\n"
            f"  if (i % 2 == 0) wanted[k] = {a}; else wanted[k] = {b};\n"
            "  k += 2;\n"
            for a, b in pairs
        )
        + f"""}}
kernel void choose_{type}(device const {type} *in, constant {type} *fixed,
                          threadgroup {type} *group, device {type} *out, device {type} *wanted,
                          uint i [[thread_index_in_threadgroup]]) {{
  if (i == 0)
    group[0] = fixed[2];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  choose(in, fixed, group, out, wanted, i);
}}
"""
    )
    size = {"half2": 4, "float3": 16, "packed_float3": 12, "float2x4": 32, "Pair": 16}[type]
    record = np.dtype((np.void, size))
    given = np.frombuffer(rng.bytes(6 * size), record)
    out, wanted = (np.zeros(2 * len(pairs), record) for _ in range(2))
    library[f"choose_{type}"](
        given[:3], given[3:], out, wanted, threads=2, group_size=2, threadgroup_memory=64
    )
    assert len({bytes(value) for value in wanted}) > 4
    assert [bytes(value) for value in out] == [bytes(value) for value in wanted]


def test_the_chosen_object_can_be_written() -> None:
    """In one address space the operator still is an object."""
    library = mc.compile(
        HEADER
        + """
kernel void mark(device float2 *x, device const float2 *y, uint i [[thread_position_in_grid]]) {
  (i == 0 ? x[1] : x[0]) = *(i == 0 ? &y[0] : &y[1]);
  device const float2 &seen = i == 0 ? x[2] : y[0];
  x[3 + i] = seen;
}
"""
    )
    x, y = np.zeros((5, 2), np.float32), np.array([[1, 2], [3, 4]], np.float32)
    library.mark(x, y, threads=2)
    np.testing.assert_array_equal(x, [[3, 4], [1, 2], [0, 0], [0, 0], [1, 2]])
