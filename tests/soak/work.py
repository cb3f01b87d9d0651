"""Launches and compiles of every kind, each checked."""

from __future__ import annotations

import numpy as np

import metalcore as mc

SOURCE = """
#include <metal_stdlib>
using namespace metal;
constant int extra [[function_constant(0)]];
struct Pair { int a; float b; };
kernel void add(device int *x, constant int &by, uint i [[thread_position_in_grid]]) {
  x[i] += by;
}
kernel void move(device const float *from, device float *to, constant Pair &pair,
                 uint i [[thread_position_in_grid]]) {
  to[i] = from[i] * pair.b + pair.a;
}
kernel void turn(device int *x, threadgroup int *scratch [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                 uint n [[threads_per_threadgroup]]) {
  scratch[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[i] = scratch[n - 1 - t] + extra;
}
"""
SIZE = 96


class Launches:
    """Rounds of launches."""

    PER_ROUND = 10

    def __init__(self) -> None:
        self._library = mc.compile(SOURCE)
        self._pair = np.zeros((), dtype=[("a", "i4"), ("b", "f4")])
        self._kept = mc.zeros(SIZE, dtype="int32")

    def round(self, number: int) -> None:
        """Ten launches on arrays of its own."""
        library = self._library
        numbers = np.arange(SIZE, dtype=np.int32)
        x = mc.asarray(numbers, copy=True)
        library.add(x, number, threads=SIZE)
        library.turn(
            x, threads=SIZE, group_size=SIZE, threadgroup_memory=4 * SIZE, constants={"extra": 3}
        )
        host = numbers.copy()
        library.add(host, 5, threads=SIZE)  # waits
        self._pair["a"], self._pair["b"] = number % 7, 0.5
        y = mc.empty(SIZE, dtype="float32")
        library.move(numbers.astype(np.float32), y, self._pair[()], threads=SIZE)
        total = (y + 1).sum()  # two launches
        z = mc.full(SIZE, number, dtype="int32")
        library.add(z, 1, threads=SIZE)
        library.add(self._kept, 1, threads=SIZE)
        copied = z.copy()
        assert x.tolist() == (numbers[::-1] + number + 3).tolist()
        assert host.tolist() == (numbers + 5).tolist()
        assert total.item() == float((numbers * 0.5 + number % 7 + 1).sum())
        assert copied.tolist() == [number + 1] * SIZE

    def check(self, rounds: int) -> None:
        """What all rounds together did."""
        assert self._kept.tolist() == [rounds] * SIZE


def compile_one(number: int, *, is_large: bool) -> None:
    """A kernel of its own for every number; with a warning, with a barrier, or wrong."""
    kind = number % 5
    if kind == 4:
        name = f"missing{number}"
        try:
            mc.compile(f"kernel void wrong(device int *x) {{ *x = {name}; }}")
        except mc.CompileError as error:
            if name not in str(error):
                raise
            return
        raise AssertionError("A wrong source was compiled.")
    if is_large and kind != 0:
        library = mc.compile(SOURCE.replace("int *x, constant", f"int *x /* {number} */, constant"))
        x = mc.arange(SIZE, dtype="int32")
        library.turn(
            x,
            threads=SIZE,
            group_size=SIZE,
            threadgroup_memory=4 * SIZE,
            constants={"extra": number},
        )
        assert x.tolist() == [SIZE - 1 - i + number for i in range(SIZE)]
        return
    warning = "int unused;" if kind == 1 else ""
    library = mc.compile(
        f"kernel void set(device int *x) {{ {warning} *x = VALUE; }}", macros={"VALUE": number}
    )
    x = mc.zeros(1, dtype="int32")
    library.set(x, threads=1)
    assert x.item() == number
