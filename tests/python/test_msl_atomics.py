"""Atomic functions under contention: many threads on few words, in both address spaces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import metalcore as mc
from msl_kernels import HEADER

WORDS = 5
GROUP_SIZE = 96  # and threadgroups at the edge
THREADS = 20_011
GROUPS = -(-THREADS // GROUP_SIZE)
TYPES = {"int": np.int32, "uint": np.uint32}

# What the values that meet in a word make of it, which holds 0 at first.
OPERATIONS: dict[str, tuple[np.ufunc, Callable[[NDArray], NDArray]]] = {
    "add": (np.add, lambda x: x),
    "sub": (np.add, lambda x: 0 - x),
    "min": (np.minimum, lambda x: np.minimum(x, 0)),
    "max": (np.maximum, lambda x: np.maximum(x, 0)),
    "or": (np.bitwise_or, lambda x: x),
    "xor": (np.bitwise_xor, lambda x: x),
    "and": (np.bitwise_and, lambda x: x & 0),
}
ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]

THREAD = """uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
    uint size [[threads_per_threadgroup]], uint group [[threadgroup_position_in_grid]]"""


def device_kernel(name: str, type: str, update: str) -> str:
    """`update` acts on *word with x; r is what it returned."""
    return f"""
kernel void {name}_device(device const {type} *x_, device atomic_{type} *words,
    device {type} *out, {THREAD}) {{
  device atomic_{type} *word = words + i % {WORDS};
  {type} x = x_[i], r = 0;
  {update}
  out[i] = r;
}}
"""


def threadgroup_kernel(name: str, type: str, update: str) -> str:
    """Each threadgroup has words of its own, which it copies to its row of `words`."""
    return f"""
kernel void {name}_threadgroup(device const {type} *x_, device {type} *words,
    device {type} *out, {THREAD}) {{
  threadgroup atomic_{type} local[{WORDS}];
  if (t < {WORDS})
    atomic_store_explicit(&local[t], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup atomic_{type} *word = local + i % {WORDS};
  {type} x = x_[i], r = 0;
  {update}
  out[i] = r;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t < {WORDS})
    words[group * {WORDS} + t] = atomic_load_explicit(&local[t], memory_order_relaxed);
}}
"""


Launch = Callable[[str, NDArray], tuple[NDArray, NDArray]]


def launcher(library: mc.Library, space: str) -> Launch:
    """Launches a kernel on those values. Its result: all words, and what each thread got back."""

    def launch(name: str, values: NDArray) -> tuple[NDArray, NDArray]:
        rows = GROUPS if space == "threadgroup" else 1
        words = mc.zeros(rows * WORDS, dtype=values.dtype.name)
        out = mc.zeros(THREADS, dtype=values.dtype.name)
        library[f"{name}_{space}"](
            mc.asarray(values), words, out, threads=THREADS, group_size=GROUP_SIZE
        )
        return np.asarray(words), np.asarray(out)

    return launch


def words_of_threads(space: str) -> NDArray[np.int64]:
    """Which word of all rows each thread acts on."""
    threads = np.arange(THREADS)
    row = threads // GROUP_SIZE if space == "threadgroup" else 0
    return row * WORDS + threads % WORDS


def reduced(ufunc: np.ufunc, values: NDArray, space: str) -> NDArray:
    """Of the threads that meet in each word."""
    words = words_of_threads(space)
    order = np.argsort(words, kind="stable")
    starts = np.searchsorted(words[order], np.arange(words.max() + 1))
    return ufunc.reduceat(values[order], starts, dtype=values.dtype)


def meetings(space: str) -> list[NDArray[np.int64]]:
    """The threads that meet in each word."""
    words = words_of_threads(space)
    order = np.argsort(words, kind="stable")
    return np.split(order, np.searchsorted(words[order], np.arange(1, words.max() + 1)))


@pytest.mark.parametrize("space", ["device", "threadgroup"])
@pytest.mark.parametrize("type", TYPES)
def test_fetch_and_modify(rng: np.random.Generator, type: str, space: str) -> None:
    make = device_kernel if space == "device" else threadgroup_kernel
    library = mc.compile(
        HEADER
        + "".join(
            make(f"{name}_{order}", type, f"r = atomic_fetch_{name}_explicit(word, x, {full});")
            for name in OPERATIONS
            for order in ORDERS
            for full in (f"memory_order_{order}",)
        )
    )
    launch = launcher(library, space)
    info = np.iinfo(TYPES[type])
    values = rng.integers(info.min, info.max, THREADS, dtype=TYPES[type], endpoint=True)
    for name, (ufunc, finish) in OPERATIONS.items():
        expected = finish(reduced(ufunc, values, space))
        for order in ORDERS:
            words, returned = launch(f"{name}_{order}", values)
            np.testing.assert_array_equal(words, expected, err_msg=f"{name}, {order}")
            # The first to come saw the start.
            assert reduced(np.logical_or, returned == 0, space).all(), (name, order)


@pytest.mark.parametrize("space", ["device", "threadgroup"])
@pytest.mark.parametrize("type", TYPES)
def test_each_thread_sees_another_value(type: str, space: str) -> None:
    """Counting gives each number once; what is exchanged is handed on, and nothing is lost."""
    make = device_kernel if space == "device" else threadgroup_kernel
    loop = """{type} old = atomic_load_explicit(word, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(word, &old, old + 1, memory_order_relaxed,
                                                memory_order_relaxed)) {{
  }}
  r = old;"""
    updates = {
        "count": "r = atomic_fetch_add_explicit(word, 1, memory_order_relaxed);",
        "loop": loop.format(type=type),
        "exchange": "r = atomic_exchange_explicit(word, x, memory_order_relaxed);",
    }
    launch = launcher(
        mc.compile(HEADER + "".join(make(name, type, text) for name, text in updates.items())),
        space,
    )
    values = np.arange(1, THREADS + 1, dtype=TYPES[type])
    for name in ("count", "loop"):
        words, returned = launch(name, values)
        for word, threads in enumerate(meetings(space)):
            assert words[word] == threads.size
            np.testing.assert_array_equal(np.sort(returned[threads]), np.arange(threads.size))
    words, returned = launch("exchange", values)
    for word, threads in enumerate(meetings(space)):
        seen = np.sort([*returned[threads], words[word]])
        np.testing.assert_array_equal(seen, [0, *values[threads]])


FLOAT_LOOP = """
inline void add(threadgroup atomic_uint *word, float x) {
  uint old = atomic_load_explicit(word, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(word, &old, as_type<uint>(as_type<float>(old) + x),
                                                memory_order_relaxed, memory_order_relaxed)) {
  }
}
"""


def test_sums_of_floats(rng: np.random.Generator) -> None:
    """Of whole numbers they are exact; of others as exact as any order of additions."""
    library = mc.compile(
        HEADER
        + device_kernel("add", "float", "atomic_fetch_add_explicit(word, x, memory_order_relaxed);")
        + device_kernel("sub", "float", "atomic_fetch_sub_explicit(word, x, memory_order_relaxed);")
    )
    launch = launcher(library, "device")
    whole = rng.integers(-100, 101, THREADS).astype(np.float32)
    broken = rng.uniform(-1, 1, THREADS).astype(np.float32)
    for name, sign in (("add", 1), ("sub", -1)):
        for values in (whole, broken):
            words, _ = launch(name, values)
            for word, threads in enumerate(meetings("device")):
                exact = sign * values[threads].sum(dtype=np.float64)
                bound = threads.size * 2.0**-24 * np.abs(values[threads]).sum(dtype=np.float64)
                assert abs(words[word] - exact) <= (0 if values is whole else bound)


def test_sums_of_floats_in_threadgroup_memory(rng: np.random.Generator) -> None:
    """Metal has no atomic float there; programs compare and exchange its bits."""
    text = threadgroup_kernel("add", "uint", "add(word, as_type<float>(x));")
    launch = launcher(mc.compile(HEADER + FLOAT_LOOP + text), "threadgroup")
    values = rng.integers(-100, 101, THREADS).astype(np.float32)
    words, _ = launch("add", values.view(np.uint32))
    for word, threads in enumerate(meetings("threadgroup")):
        assert words.view(np.float32)[word] == values[threads].sum()


def test_floats_are_exchanged(rng: np.random.Generator) -> None:
    text = """
  r = atomic_exchange_explicit(word, x, memory_order_relaxed);
  float old = atomic_load_explicit(word, memory_order_relaxed);
  atomic_compare_exchange_weak_explicit(word, &old, old, memory_order_relaxed,
                                        memory_order_relaxed);"""
    launch = launcher(mc.compile(HEADER + device_kernel("exchange", "float", text)), "device")
    values = np.arange(1, THREADS + 1, dtype=np.float32)
    words, returned = launch("exchange", values)
    for word, threads in enumerate(meetings("device")):
        # The second step may have put a value back that another thread had taken.
        assert set(returned[threads]) <= {0, *values[threads]}
        assert words[word] in values[threads]


@pytest.mark.parametrize("space", ["device", "threadgroup"])
def test_one_thread_wins_a_bool(space: str) -> None:
    make = device_kernel if space == "device" else threadgroup_kernel
    updates = {
        "exchange": "r = !atomic_exchange_explicit(word, true, memory_order_relaxed);",
        "compare": """bool old = false;
  r = atomic_compare_exchange_weak_explicit(word, &old, true, memory_order_relaxed,
                                            memory_order_relaxed);
  r = r && !old;""",
    }
    text = "".join(make(name, "bool", update) for name, update in updates.items())
    library = mc.compile(HEADER + text)
    for name in updates:
        rows = GROUPS if space == "threadgroup" else 1
        # atomic_bool takes a word in device memory.
        words = mc.zeros(rows * WORDS, dtype="uint32" if space == "device" else "bool")
        out = mc.zeros(THREADS, dtype="bool")
        library[f"{name}_{space}"](
            mc.zeros(THREADS, dtype="bool"), words, out, threads=THREADS, group_size=GROUP_SIZE
        )
        assert np.asarray(words).all()
        for threads in meetings(space):
            assert np.asarray(out)[threads].sum() == 1


@pytest.mark.parametrize("operation", ["min", "max"])
def test_extremes_of_64_bits(rng: np.random.Generator, operation: str) -> None:
    text = f"atomic_{operation}_explicit(word, x, memory_order_relaxed);"
    library = mc.compile(HEADER + device_kernel("f", "ulong", text))
    values = rng.integers(0, 1 << 64, THREADS, dtype=np.uint64)
    start = np.full(WORDS, (1 << 64) - 1 if operation == "min" else 0, np.uint64)
    words, out = mc.asarray(start), mc.zeros(THREADS, dtype="uint64")
    library.f_device(mc.asarray(values), words, out, threads=THREADS, group_size=GROUP_SIZE)
    reduce = np.minimum if operation == "min" else np.maximum
    for word in range(WORDS):
        assert np.asarray(words)[word] == reduce.reduce(values[word::WORDS])


LAST_GROUP = """
kernel void total(device const uint *x, device uint *parts, device atomic_uint *done,
    device uint *sum, constant uint &groups, {thread}) {{
  threadgroup atomic_uint part;
  threadgroup bool is_last;
  if (t == 0)
    atomic_store_explicit(&part, 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&part, x[i], memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) {{
    parts[group] = atomic_load_explicit(&part, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    is_last = atomic_fetch_add_explicit(done, 1, memory_order_relaxed) == groups - 1;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst);
  }}
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  if (is_last && t == 0) {{
    uint whole = 0;
    for (uint k = 0; k < groups; ++k)
      whole += parts[k];
    *sum = whole;
  }}
}}
"""


def test_the_last_threadgroup_sees_all_others(rng: np.random.Generator) -> None:
    kernel = mc.compile(HEADER + LAST_GROUP.format(thread=THREAD)).total
    for _ in range(20):
        values = rng.integers(0, 1 << 32, THREADS, dtype=np.uint32)
        result = mc.zeros(1, dtype="uint32")
        kernel(
            mc.asarray(values),
            mc.zeros(GROUPS, dtype="uint32"),
            mc.zeros(1, dtype="uint32"),
            result,
            GROUPS,
            threads=THREADS,
            group_size=GROUP_SIZE,
        )
        assert np.asarray(result)[0] == values.sum(dtype=np.uint32)


def test_coherent_memory_and_arguments_that_nothing_uses() -> None:
    out = mc.zeros(64, dtype="uint32")
    mc.compile(
        f"""{HEADER}
inline uint before(const device coherent(device) uint *x, uint i) {{ return x[i - 1]; }}
uint coherent(uint x) {{ return x; }}
kernel void f(volatile coherent(device) device uint *out, device atomic_int *unused,
    uint i [[thread_position_in_grid]]) {{
  out[i] = coherent(i);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  threadgroup_barrier(mem_flags::mem_device);
  if (i % 2 == 1)
    out[i] += before((const device uint *)out, i);
}}
"""
    ).f(out, mc.zeros(1, dtype="int32"), threads=64, group_size=64)
    index = np.arange(64)
    np.testing.assert_array_equal(np.asarray(out), np.where(index % 2, 2 * index - 1, index))


@pytest.mark.parametrize(
    "call",
    [
        "atomic_fetch_add_explicit((threadgroup atomic_float *)local, 1.0f, memory_order_relaxed)",
        "atomic_load_explicit((threadgroup atomic_float *)local, memory_order_relaxed)",
        "atomic_fetch_max_explicit((device atomic_float *)words, 1.0f, memory_order_relaxed)",
        "atomic_fetch_add_explicit((device atomic_ulong *)words, 1ul, memory_order_relaxed)",
        "atomic_max_explicit((device atomic_uint *)words, 1u, memory_order_relaxed)",
        "atomic_fetch_or_explicit((device atomic_bool *)words, true, memory_order_relaxed)",
    ],
)
def test_what_metal_does_not_have(call: str) -> None:
    name = call.partition("(")[0]
    with pytest.raises(mc.CompileError, match=f"no matching function for call to '{name}'"):
        mc.compile(
            f"{HEADER}kernel void f(device uint *words, threadgroup uint *local) {{ {call}; }}"
        )
