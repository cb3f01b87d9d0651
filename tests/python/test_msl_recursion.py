"""Functions that call themselves, other than in their last place, against Python's."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import FLOATS, HEADER, NUMBERS, loads, stores, vector

DEEPEST = 7


def walk(x: NDArray, depth: int) -> NDArray:
    """What `walk` of `numbers` computes."""
    if depth == 0:
        return x
    one = np.asarray(depth % 3).astype(x.dtype)
    return walk(x + one, depth - 1) - walk(x, depth // 2)


@pytest.mark.parametrize("type", NUMBERS)
def test_arguments_and_results_of_all_types(type: str, rng: np.random.Generator) -> None:
    """Scalars and vectors, by value."""
    dtype, count = NUMBERS[type], 101
    source = HEADER
    for width in (1, 2, 3, 4):
        whole = vector(type, width)
        source += f"""
{whole} walk_{width}({whole} x, uint depth) {{
  if (depth == 0)
    return x;
  {whole} y = walk_{width}({whole}(x + {type}(depth % 3)), depth - 1);
  return {whole}(y - walk_{width}(x, depth / 2));
}}
kernel void run_{width}(device const {type} *x_, device {type} *out,
                        uint i [[thread_position_in_grid]]) {{
{loads(type, width, "x")}  {whole} r = walk_{width}(x, i % {DEEPEST + 1});
{stores(width)}}}
"""
    library = mc.compile(source)
    for width in (1, 2, 3, 4):
        if type in FLOATS:
            x = rng.integers(-4, 5, (count, width)).astype(dtype)  # every sum is exact
        else:
            info = np.iinfo(dtype)
            x = rng.integers(info.min, info.max, (count, width), dtype, endpoint=True)
        out = np.zeros_like(x)
        library[f"run_{width}"](x, out, threads=count)
        mc.synchronize()
        expected = np.array([walk(row, i % (DEEPEST + 1)) for i, row in enumerate(x)])
        np.testing.assert_array_equal(out, expected)


def test_functions_that_call_each_other() -> None:
    """Hofstadter's sequences."""
    count = 500
    out = np.zeros((2, count), np.uint32)
    mc.compile(
        HEADER
        + """
uint male(uint n);
uint female(uint n) { return n == 0 ? 1 : n - male(female(n - 1)); }
uint male(uint n) { return n == 0 ? 0 : n - female(male(n - 1)); }
kernel void run(device uint *out, constant uint &count, uint i [[thread_position_in_grid]]) {
  out[i] = female(i % 15);
  out[count + i] = male(i % 15);
}"""
    ).run(out, count, threads=count)
    mc.synchronize()

    @functools.cache
    def sequence(is_female: bool, n: int) -> int:
        if n == 0:
            return int(is_female)
        return n - sequence(not is_female, sequence(is_female, n - 1))

    for row, is_female in zip(out, (True, False), strict=True):
        assert row.tolist() == [sequence(is_female, i % 15) for i in range(count)]


def test_memory_of_all_kinds_and_variables_by_reference(rng: np.random.Generator) -> None:
    """Quicksort, on device memory and on the thread's own."""
    rows, length = 70, 60
    x = rng.integers(-1000, 1000, (rows, length), np.int32)
    in_place, out, calls = x.copy(), np.zeros_like(x), np.zeros(rows, np.uint32)
    mc.compile(
        HEADER
        + f"""
struct range {{ int first, last; }};
template <typename T> void sort(T x, range r, thread uint &calls) {{
  ++calls;
  if (r.first >= r.last)
    return;
  int pivot = x[(r.first + r.last) / 2];
  range left = {{r.first, r.last}}, right = left;
  while (left.first <= left.last) {{
    while (x[left.first] < pivot) ++left.first;
    while (x[left.last] > pivot) --left.last;
    if (left.first <= left.last) {{
      int other = x[left.first];
      x[left.first++] = x[left.last];
      x[left.last--] = other;
    }}
  }}
  right.first = left.first;
  left = range{{r.first, left.last}};
  sort(x, left, calls);
  sort(x, right, calls);
}}
kernel void run(device int *x, device int *out, device uint *calls,
                uint i [[thread_position_in_grid]]) {{
  int own[{length}];
  for (int k = 0; k < {length}; ++k)
    own[k] = x[i * {length} + k];
  uint on_thread = 0, on_device = 0;
  sort<thread int *>(own, range{{0, {length} - 1}}, on_thread);
  for (int k = 0; k < {length}; ++k)
    out[i * {length} + k] = own[k];
  sort<device int *>(x + i * {length}, range{{0, {length} - 1}}, on_device);
  calls[i] = on_thread == on_device ? on_thread : 0;
}}"""
    ).run(in_place, out, calls, threads=rows)
    mc.synchronize()
    np.testing.assert_array_equal(out, np.sort(x, axis=1))
    np.testing.assert_array_equal(in_place, out)
    assert (calls > length).all()


@pytest.mark.parametrize("size", [1, 32, 75, 256])
def test_barriers_threadgroup_memory_and_constants(size: int, rng: np.random.Generator) -> None:
    """What only the kernel knows reaches the functions: its group, and what constructors made."""
    groups = 3
    x = rng.integers(0, 1000, (groups, size), np.uint32)
    out = np.zeros_like(x)
    kernel = mc.compile(
        HEADER
        + """
constant uint base [[function_constant(0)]];
constant uint factor = base * 2 + 1;
uint fold(threadgroup uint *x, uint i, uint size) {
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (size == 1)
    return x[0] - base;
  uint half_size = (size + 1) / 2;
  if (i + half_size < size)
    x[i] += x[i + half_size];
  return fold(x, i, half_size) * factor + i;
}
kernel void run(device const uint *x, device uint *out, uint i [[thread_index_in_threadgroup]],
                uint at [[thread_position_in_grid]], uint size [[threads_per_threadgroup]]) {
  threadgroup uint shared[256];
  shared[i] = x[at];
  out[at] = fold(shared, i, size);
}"""
    ).run
    base = int(rng.integers(1, 100))
    kernel(x, out, threads=x.size, group_size=size, constants={"base": base})
    mc.synchronize()
    expected = np.broadcast_to(x.sum(axis=1, keepdims=True) - base, x.shape).astype(np.uint32)
    rest = size
    while rest > 1:
        expected = expected * np.uint32(2 * base + 1) + np.arange(size, dtype=np.uint32)
        rest = (rest + 1) // 2
    np.testing.assert_array_equal(out, expected)


DEEP = """
uint deep(uint n) { return n == 0 ? 7 : deep(n - 1) * 3 + n; }
kernel void run(device const uint *n, device uint *out, uint i [[thread_position_in_grid]]) {
  out[i] = deep(n[i]);
}
kernel void wait(device const uint *n, device uint *out, uint i [[thread_position_in_grid]]) {
  uint result = deep(n[i]);
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = simd_sum(result);
}
"""


def deep(n: int) -> int:
    result = 7
    for k in range(1, n + 1):
        result = (result * 3 + k) % (1 << 32)
    return result


@pytest.mark.parametrize("name", ["run", "wait"])
def test_recursion_that_goes_too_deep_is_an_error(name: str, rng: np.random.Generator) -> None:
    """Of the launch: the process and the queue go on."""
    kernel, count = mc.compile(HEADER + DEEP)[name], 300
    depths = rng.integers(0, 200, count).astype(np.uint32)
    expected = np.array([deep(int(n)) for n in depths], np.uint32)
    if name == "wait":
        groups = np.array_split(expected, range(32, count, 32))
        expected = np.concatenate([np.full(len(g), g.sum(dtype=np.uint32)) for g in groups])
    for victims in ([0], [count - 1], range(count), range(1, count, 3)):
        out = np.zeros_like(depths)
        too_deep = depths.copy()
        too_deep[list(victims)] = 1_000_000
        with pytest.raises(mc.LaunchError, match=f'"{name}" called functions so deep that the 655'):
            kernel(too_deep, out, threads=count, group_size=128)
        kernel(depths, out, threads=count, group_size=128)
        mc.synchronize()
        np.testing.assert_array_equal(out, expected)


REFUSED: dict[str, tuple[str, str]] = {
    "simdgroup operations": (
        "float f(float x) { return x > 9 ? x : -f(x + simd_sum(x)); }",
        r'"run" calls "f\(float\)", which calls itself and has simdgroup operations in it',
    ),
    "a large frame": (
        "float f(float x) { float a[4000]; for (int k = 0; k < 4000; ++k) a[k] = x + k * x;"
        " float y = x > 9 ? x : -f(a[int(x) & 7] + 1); return y + a[int(y) & 1023]; }",
        r'A function of the kernel "run" that calls itself needs \d+ bytes .* is 8192\.',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_recursive_functions_may_not_have(what: str) -> None:
    function, message = REFUSED[what]
    library = mc.compile(f"{HEADER}{function}\nkernel void run(device float *x) {{ *x = f(*x); }}")
    with pytest.raises(mc.PipelineError, match=message):
        library.run.prepare()
