"""Many threads at once: one compile per kernel, the GIL free while the compiler works."""

from __future__ import annotations

import itertools
import json
import statistics
import threading
import time
from pathlib import Path

import metalcore as mc

THREADS = """
import json, threading
import numpy as np
import metalcore as mc

SOURCE = '''
#include <metal_stdlib>
kernel void affine(device const int *x, device int *y, uint i [[thread_position_in_grid]]) {
  y[i] = x[i] * 3 + OFFSET;
}
'''
COUNT = 32
start = threading.Barrier(COUNT)
faults = []

def work(thread, offset):
    try:
        x = np.arange(101 + thread, dtype=np.int32)
        start.wait()
        y = mc.zeros(x.size, dtype=np.int32)
        mc.compile(SOURCE, macros={"OFFSET": str(offset)}).affine(x, y, threads=x.size)
        np.testing.assert_array_equal(np.asarray(y), x * 3 + offset)
        assert int(mc.full(7, offset, dtype=np.int32).sum()) == 7 * offset
    except BaseException as error:
        faults.append(repr(error))

def run(offsets):
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(offsets)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_32_threads_during_the_warmup(run_python) -> None:
    """Half of them want the same kernel, the others one of their own each."""
    result = run_python(
        THREADS
        + """
run([0] * 16 + list(range(1, 17)))
print(json.dumps([faults, mc.warmup().state]))
""",
        METALCORE_WARMUP="true",
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == [[], "done"]


def test_one_compile_per_kernel(run_python) -> None:
    """All built-in pipelines are there already, so the count is that of the distinct kernels."""
    result = run_python(
        THREADS
        + """
assert mc.warmup().state == "done"
assert int(mc.full(7, 1, dtype=np.int32).sum()) == 7
before = mc.warmup_status()
run([k // 8 for k in range(32)])
after = mc.warmup_status()
print(json.dumps([faults, after.pipelines_built - before.pipelines_built]))
"""
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == [[], 4]


def test_64_threads_that_want_one_kernel_compile_it_once(tmp_path: Path, run_python) -> None:
    """Counted in the timeline of the process: one front-end run, one pipeline."""
    file = tmp_path / "trace.json"
    result = run_python(
        THREADS.replace("COUNT = 32", "COUNT = 64") + "run([7] * COUNT)\nassert not faults, faults",
        METALCORE_TRACE=str(file),
        METALCORE_WARMUP="false",
        METALCORE_CACHE="false",
    )
    assert (result.returncode, result.stderr) == (0, "")
    events = json.loads(file.read_text())
    names = [(event.get("cat"), event["name"]) for event in events]
    assert names.count(("compile", "library")) == 1
    assert names.count(("compile", "affine")) == 1
    assert names.count(("launch", "affine")) == 64


def test_different_kernels_of_one_library_from_many_threads() -> None:
    names = [f"kernel_{k}" for k in range(8)]
    source = "#include <metal_stdlib>\n" + "\n".join(
        f"kernel void {name}(device int *out) {{ out[{k}] = {k + 1}; }}"
        for k, name in enumerate(names)
    )
    library = mc.compile(source)
    out = mc.zeros(len(names), dtype="int32")
    threads = [
        threading.Thread(target=lambda name=name: library[name](out, threads=1)) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert out.tolist() == list(range(1, len(names) + 1))


def test_failed_compile_reaches_every_thread() -> None:
    source = "kernel void broken(device int *out) { *out = missing; }"
    errors = []

    def compile_broken() -> None:
        try:
            mc.compile(source)
        except mc.CompileError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=compile_broken) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 8
    assert len(set(errors)) == 1
    assert "missing" in errors[0]


def test_python_runs_while_another_thread_compiles() -> None:
    """A counting thread never stands still for as long as a compile takes."""
    body = "\n".join(f"  x[i] = sin(x[i]) * {k}.5f + cos(x[i] + {k});" for k in range(60))
    source = f"""
#include <metal_stdlib>
using namespace metal;
kernel void busy(device float *x, uint i [[thread_position_in_grid]]) {{
  x[i] += SALT;
{body}
}}"""
    mc.warmup()
    x = mc.zeros(1, dtype="float32")
    ticks: list[float] = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())

    def longest_pause(begin: float, end: float) -> float:
        inside = [begin, *(tick for tick in ticks if begin < tick < end), end]
        return max(b - a for a, b in itertools.pairwise(inside))

    counter = threading.Thread(target=count)
    counter.start()
    try:
        shares = []
        for salt in range(9):
            ticks.clear()
            begin = time.perf_counter()
            mc.compile(source, macros={"SALT": f"{salt}.25f"}).busy(x, threads=1)
            end = time.perf_counter()
            shares.append(longest_pause(begin, end) / (end - begin))
    finally:
        stop.set()
        counter.join()
    assert statistics.median(shares) < 0.5, json.dumps(shares)
