"""Kernels whose results tell them apart, checked against NumPy."""

from __future__ import annotations

import numpy as np

COUNT = 50


def source(number: int) -> str:
    """A kernel of its own for every number; each third one has a barrier."""
    shared = number % 3 == 0
    step = (
        f"scratch[t] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup);"
        f" x[i] = scratch[t] * {number + 2} + {number * number};"
        if shared
        else f"x[i] = x[i] * {number + 2} + {number * number};"
    )
    return f"""#include <metal_stdlib>
using namespace metal;
kernel void fault(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]],
                  uint t [[thread_index_in_threadgroup]]) {{
  {"threadgroup int scratch[1024];" if shared else ""}
  {step}
}}
"""


def is_right(number: int) -> bool:
    """Compiles the kernel, or finds it in the cache, runs it and compares with NumPy."""
    import metalcore as mc

    given = np.random.default_rng().integers(-1000, 1000, 777, dtype=np.int32)
    x = mc.asarray(given, copy=True)  # not in memory that happens to begin a page
    mc.compile(source(number)).fault(x, threads=given.size)
    return np.array_equal(np.asarray(x), given * (number + 2) + number * number)
