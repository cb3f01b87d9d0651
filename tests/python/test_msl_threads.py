"""What a kernel knows about its threads, and barriers, in threadgroups of every shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

Shape = tuple[int, int, int]

# Grid and threadgroup, x first: whole and partial simdgroups, quadgroups and threadgroups.
GRIDS: list[tuple[Shape, Shape]] = [
    ((64, 1, 1), (32, 1, 1)),
    ((100, 1, 1), (37, 1, 1)),
    ((23, 9, 1), (8, 4, 1)),
    ((11, 7, 5), (4, 3, 2)),
    ((3, 50, 1), (3, 33, 1)),
]
VECTORS = [
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threads_per_grid",
    "threads_per_threadgroup",
    "dispatch_threads_per_threadgroup",
    "threadgroups_per_grid",
    "grid_origin",
]
SCALARS = [
    "thread_index_in_threadgroup",
    "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "threads_per_simdgroup",
    "thread_execution_width",
    "thread_index_in_quadgroup",
    "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",
    "dispatch_quadgroups_per_threadgroup",
]


def divide_up(a: int, b: int) -> int:
    return -(-a // b)


def attributes(grid: Shape, group: Shape) -> Iterator[dict[str, Shape | int]]:
    """Of each thread, in the order of the grid."""
    for z, y, x in itertools.product(*(range(n) for n in grid[::-1])):
        position = (x, y, z)
        in_grid = tuple(p // n for p, n in zip(position, group, strict=True))
        local = tuple(p % n for p, n in zip(position, group, strict=True))
        size = tuple(min(n, g - i * n) for n, g, i in zip(group, grid, in_grid, strict=True))
        index = local[0] + size[0] * (local[1] + size[1] * local[2])
        threads, dispatched = int(np.prod(size)), int(np.prod(group))
        yield {
            "thread_position_in_grid": position,
            "thread_position_in_threadgroup": local,
            "threadgroup_position_in_grid": in_grid,
            "threads_per_grid": grid,
            "threads_per_threadgroup": size,
            "dispatch_threads_per_threadgroup": group,
            "threadgroups_per_grid": tuple(
                divide_up(g, n) for g, n in zip(grid, group, strict=True)
            ),
            "grid_origin": (0, 0, 0),
            "thread_index_in_threadgroup": index,
            "thread_index_in_simdgroup": index % 32,
            "simdgroup_index_in_threadgroup": index // 32,
            "simdgroups_per_threadgroup": divide_up(threads, 32),
            "dispatch_simdgroups_per_threadgroup": divide_up(dispatched, 32),
            "threads_per_simdgroup": 32,
            "thread_execution_width": 32,
            "thread_index_in_quadgroup": index % 4,
            "quadgroup_index_in_threadgroup": index // 4,
            "quadgroups_per_threadgroup": divide_up(threads, 4),
            "dispatch_quadgroups_per_threadgroup": divide_up(dispatched, 4),
        }


def parameter_types() -> Iterator[tuple[str, str, int]]:
    """Attribute, type and how many components that has."""
    for scalar, count in itertools.product(("uint", "ushort"), (1, 2, 3)):
        for name in VECTORS + (SCALARS if count == 1 else []):
            yield name, scalar + (str(count) if count > 1 else ""), count


@pytest.mark.parametrize("synchronised", [False, True])
def test_attributes_of_threads(synchronised: bool) -> None:
    """Of kernels that run as a loop, and of those that run as one fiber for each thread."""
    types = list(parameter_types())
    total = sum(count for _, _, count in types)
    parameters, statements, place = "", "", 0
    for number, (name, type, count) in enumerate(types):
        parameters += f",\n    {type} p{number} [[{name}]]"
        for k in range(count):
            part = f"p{number}[{k}]" if count > 1 else f"p{number}"
            statements += f"  out[{place}] = {part};\n"
            place += 1
    barrier = "threadgroup_barrier(mem_flags::mem_none);" if synchronised else ""
    kernel = mc.compile(
        f"""{HEADER}
kernel void f(device uint *all, uint3 at [[thread_position_in_grid]],
    uint3 grid [[threads_per_grid]]{parameters}) {{
  device uint *out = all + {total} * (at.x + grid.x * (at.y + grid.y * at.z));
  {barrier}
{statements}}}
"""
    ).f
    for grid, group in GRIDS:
        out = mc.zeros((int(np.prod(grid)), total), dtype="uint32")
        kernel(out, threads=grid, group_size=group)
        expected = []
        for thread in attributes(grid, group):
            row: list[int] = []
            for name, _, count in types:
                value = thread[name]
                row += value[:count] if isinstance(value, tuple) else [value]
            expected.append(row)
        np.testing.assert_array_equal(np.asarray(out), expected, err_msg=f"{grid}, {group}")


MEMORY = ["none", "device", "threadgroup", "texture", "threadgroup_imageblock", "object_data"]
FLAGS = [
    *(f"mem_flags::mem_{name}" for name in MEMORY),
    "mem_flags::mem_device | mem_flags::mem_threadgroup",
    "mem_flags::mem_device | mem_flags::mem_threadgroup | mem_flags::mem_texture",
]

# Before each barrier threads write what others read behind it: at the top, in loops, in branches
# of whole threadgroups, in functions, and after some threads have left.
BARRIERS = """
void exchange#(threadgroup uint *shared, thread uint &x, uint t, uint size) {
  shared[t] = x;
  BARRIER;
  x = 3 * x + shared[(t + 1) % size];
  BARRIER;
}
kernel void f#(device const uint *in, device uint *out, uint i [[thread_position_in_grid]],
    uint t [[thread_index_in_threadgroup]], uint size [[threads_per_threadgroup]],
    uint group [[threadgroup_position_in_grid]]) {
  threadgroup uint shared[256];
  uint x = in[i];
  exchange#(shared, x, t, size);
  for (uint k = 0; k < 3; ++k) {
    if (k == 1)
      continue;
    exchange#(shared, x, t, size);
  }
  if (group % 2 == 0) {
    exchange#(shared, x, t, size);
  } else {
    for (uint k = 0; k < group; ++k)
      exchange#(shared, x, t, size);
  }
  shared[t] = x;
  BARRIER;
  out[i] = x;
  if (t % 3 == 1)
    return;
  x += shared[(t + 2) % size];
  BARRIER;
  shared[t] = x;
  BARRIER;
  out[i] = x + shared[(t + 1) % size];
}
"""


def exchanged(values: NDArray[np.uint32], group: int) -> NDArray[np.uint32]:
    def exchange(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
        return np.uint32(3) * x + np.roll(x, -1)

    x = values
    for _ in range(1 + 2 + (1 if group % 2 == 0 else group)):
        x = exchange(x)
    threads = np.arange(x.size)
    stays = threads % 3 != 1
    second = np.where(stays, x + np.roll(x, -2), x)
    return np.where(stays, second + np.roll(second, -1), x)


@pytest.mark.parametrize("function", ["threadgroup", "simdgroup"])
def test_barriers(rng: np.random.Generator, function: str) -> None:
    """With every flag. A simdgroup's barrier is enough where it is the whole threadgroup."""
    texts = ""
    for number, flags in enumerate(FLAGS):
        texts += BARRIERS.replace("BARRIER", f"{function}_barrier({flags})").replace(
            "#", str(number)
        )
    library = mc.compile(HEADER + texts)
    sizes = (1, 29, 32) if function == "simdgroup" else (1, 5, 32, 64, 75, 256)
    for number, size in itertools.product(range(len(FLAGS)), sizes):
        count = 4 * size
        values = rng.integers(0, 1 << 32, count, dtype=np.uint32)
        out = mc.zeros(count, dtype="uint32")
        library[f"f{number}"](mc.asarray(values), out, threads=count, group_size=size)
        expected = [exchanged(part, group) for group, part in enumerate(np.split(values, 4))]
        np.testing.assert_array_equal(
            np.asarray(out), np.concatenate(expected), err_msg=f"{FLAGS[number]}, {size} threads"
        )


def test_the_order_of_lanes_in_threadgroups_of_three_dimensions() -> None:
    kernel = mc.compile(
        f"""{HEADER}
kernel void f(device uint *out, uint3 at [[thread_position_in_grid]],
    uint3 grid [[threads_per_grid]], uint t [[thread_index_in_threadgroup]]) {{
  uint place = at.x + grid.x * (at.y + grid.y * at.z);
  out[2 * place] = 32 * simd_min(t / 32) + simd_prefix_exclusive_sum(1u);
  out[2 * place + 1] = 4 * quad_min(t / 4) + quad_prefix_exclusive_sum(1u);
}}
"""
    ).f
    for grid, group in GRIDS:
        out = mc.zeros((int(np.prod(grid)), 2), dtype="uint32")
        kernel(out, threads=grid, group_size=group)
        index = [thread["thread_index_in_threadgroup"] for thread in attributes(grid, group)]
        np.testing.assert_array_equal(np.asarray(out), np.stack([index, index], axis=1))


@pytest.mark.parametrize("form", ["{0} kernel", "kernel {0}"])
def test_a_kernel_limits_its_threads(form: str) -> None:
    head = form.format("[[max_total_threads_per_threadgroup(48)]]")
    kernel = mc.compile(f"{HEADER}{head} void f(device uint *out) {{ *out = 1; }}").f
    out = mc.zeros(1, dtype="uint32")
    kernel(out, threads=48, group_size=48)
    assert out.item() == 1
    with pytest.raises(mc.LaunchError, match="48"):
        kernel(out, threads=64, group_size=64)
