"""The cache on disk, as Python sees it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import metalcore as mc

PROGRAM = """
import sys
import metalcore as mc
source = '''
#include <metal_stdlib>
using namespace metal;
constant int extra [[function_constant(0)]];
kernel void add(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] += extra;
}
'''
library = mc.compile(source)
for extra in (3, 4):
    x = mc.arange(100, dtype="int32")
    library.add(x, threads=100, constants={"extra": extra})
    assert x.tolist() == [i + extra for i in range(100)]
"""
SAY = """
stats = mc.cache.stats()
maps = open("/proc/self/maps").read()
print(stats.hits, stats.misses, stats.damaged, "libhostmetal-compiler" in maps)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for the caches of the processes that a test starts."""
    monkeypatch.setenv("METALCORE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("METALCORE_WARMUP", "false")
    monkeypatch.setenv("METALCORE_WARMUP_PROFILE", "false")
    return tmp_path


def said(result) -> str:
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if len(path.stem) == 64}


def fill(
    folder: Path, run_python, program: str = PROGRAM, files: int = 3, **environment: str
) -> dict[str, bytes]:
    """Two pipelines and a library; the latter is written without anybody waiting for it."""
    environment["METALCORE_CACHE_DIR"] = str(folder)
    for _ in range(10):
        said(run_python(program + "assert mc.cache.wait()", **environment))
        if len(contents(folder)) == files:
            break
    return contents(folder)


def test_path_is_the_folder_of_this_version() -> None:
    assert mc.cache.path is not None
    assert mc.cache.path.parent == Path(os.environ["METALCORE_CACHE_DIR"]) / "metalcore"
    with pytest.raises(AttributeError, match="no attribute 'paths'"):
        _ = mc.cache.paths


def test_second_process_needs_no_compiler(folder: Path, run_python) -> None:
    assert said(run_python(PROGRAM + SAY)) == "0 2 0 True"
    fill(folder, run_python)
    assert said(run_python(PROGRAM + SAY)) == "2 0 0 False"


# Two libraries, the first with many kinds of kernels: five pipelines.
MANY = """
import random, threading
import metalcore as mc
source = '''
#include <metal_stdlib>
using namespace metal;
constant int extra [[function_constant(0)]];
constant float scale [[function_constant(1)]];
struct Pair { int a; float b; };
kernel void constants(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * scale + extra;
}
kernel void turn(device float *x, threadgroup float *given [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                 uint n [[threads_per_threadgroup]]) {
  threadgroup float own[64];
  given[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  own[n - 1 - t] = given[t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[i] = own[t];
}
kernel void total(device float *x, device atomic_uint *count, constant Pair &pair,
                  uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  float all = simd_sum(sin(x[i]) * pair.b);
  if (lane == 0)
    atomic_fetch_add_explicit(count, uint(pair.a), memory_order_relaxed);
  x[i] = all + exp(x[i]);
}
'''
other = "kernel void set(device float *x [[buffer(0)]]) { x[0] = VALUE; }"
builds = [
    lambda: mc.compile(source).constants.prepare(constants={"extra": 3, "scale": 0.5}),
    lambda: mc.compile(source).constants.prepare(constants={"extra": -3, "scale": 2.5}),
    lambda: mc.compile(source).turn.prepare(),
    lambda: mc.compile(source).total.prepare(),
    lambda: mc.compile(other, macros={"VALUE": "7"}, math_mode="fast").set.prepare(),
]
"""


def test_two_processes_write_the_same_bytes(tmp_path: Path, folder: Path, run_python) -> None:
    """Whatever the order in which they build, and whether one after the other."""
    in_turn = MANY + "for build in builds: build()\n"
    at_once = (
        MANY
        + """
random.shuffle(builds)
threads = [threading.Thread(target=build) for build in builds]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    )
    one = fill(tmp_path / "one", run_python, in_turn, 7, METALCORE_CPU_THREADS="1")
    two = fill(tmp_path / "a longer name", run_python, at_once, 7, METALCORE_WARMUP="true")
    assert sorted(Path(name).suffix for name in one) == [".library"] * 2 + [".pipeline"] * 5
    assert one == two


def test_stats_clear_and_prune(folder: Path, run_python) -> None:
    out = said(
        run_python(
            PROGRAM
            + """
assert mc.cache.wait(60)
stats = mc.cache.stats()
assert (stats.stored, stats.pending, stats.disabled_reason) == (2, 0, "")
assert stats.max_size == 2**28
assert mc.cache.prune().files == 0
removed = mc.cache.clear()
assert removed.bytes > 0 and removed.files >= 2, removed
after = mc.cache.stats()
print(after.files, after.bytes, after, removed.files >= stats.files)
"""
        )
    )
    assert out == "0 0 <metalcore.CacheStats 0 files, 0 bytes, 0 hits, 2 misses> True"
    assert contents(folder) == {}


def test_the_limit_is_kept(folder: Path, run_python) -> None:
    program = """
import metalcore as mc
for k in range(12):
    x = mc.zeros(4, dtype="int32")
    mc.compile(f"kernel void set(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]])"
               f" {{ x[i] = {k}; }}").set(x, threads=4)
    assert x.tolist() == [k] * 4
    assert mc.cache.wait()
print(mc.cache.stats().bytes, mc.cache.stats().failed_stores)
"""
    size, failed = map(int, said(run_python(program, METALCORE_CACHE_MAX_SIZE="20 KB")).split())
    assert 0 < size <= 20_000
    assert failed == 0


def test_without_the_cache_nothing_is_kept(folder: Path, run_python) -> None:
    program = PROGRAM + "print(mc.cache.stats().disabled_reason, mc.cache.wait(), mc.cache.clear())"
    out = said(run_python(program, METALCORE_CACHE="false"))
    assert out == 'The preference "cache" is false. True <metalcore.CacheRemoved 0 files, 0 bytes>'
    assert list(folder.iterdir()) == []


def test_without_a_home_there_is_no_path(run_python, tmp_path: Path) -> None:
    program = PROGRAM + "print(mc.cache.path, mc.cache.stats().disabled_reason)"
    out = said(run_python(program, METALCORE_CACHE_DIR="", HOME="", XDG_CACHE_HOME=""))
    assert out == ('None Neither the preference "cache_dir" nor the environment names a folder.')


def test_forked_child_finds_and_keeps(folder: Path, run_python) -> None:
    program = (
        PROGRAM
        + """
import os
child = os.fork()
if child == 0:
    y = mc.zeros(4, dtype="int32")
    mc.compile("kernel void one(device int *x [[buffer(0)]]) { x[0] = 1; }").one(y, threads=1)
    ok = y.tolist() == [1, 0, 0, 0] and mc.cache.wait(60) and mc.cache.stats().failed_stores == 0
    os._exit(0 if ok else 1)
assert os.waitpid(child, 0)[1] == 0
assert mc.cache.wait()
print(mc.cache.stats().files >= 3)
"""
    )
    assert said(run_python(program)) == "True"


def test_results_are_right_from_disk(folder: Path, run_python, rng: np.random.Generator) -> None:
    given = rng.standard_normal(1001).astype(np.float32)
    np.save(folder / "x.npy", given)
    program = f"""
import numpy as np
import metalcore as mc
x = mc.asarray(np.load({str(folder / "x.npy")!r}))
mc.compile('''#include <metal_stdlib>
using namespace metal;
kernel void f(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {{
  x[i] = x[i] * 2.5f + 1.0f;
}}''').f(x, threads=1001)
np.save({str(folder / "y.npy")!r}, np.asarray(x))
print(mc.cache.stats().hits)
"""
    for hits in ("0", "1"):
        assert said(run_python(program)) == hits
        np.testing.assert_allclose(
            np.load(folder / "y.npy"), given.astype(np.float64) * 2.5 + 1, rtol=1e-6, atol=1e-6
        )


def test_waiting_has_an_end(folder: Path, run_python) -> None:
    program = """
import metalcore as mc
for number in range(20):
    source = f"kernel void set(device int *x) {{ *x = {number}; }}"
    x = mc.zeros(1, dtype="int32")
    mc.compile(source).set(x, threads=1)
    assert x.item() == number
print(mc.cache.stats().pending > 0, mc.cache.wait(0), mc.cache.wait(), mc.cache.stats().pending)
"""
    assert said(run_python(program)) == "True False True 0"


def test_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'paht'"):
        mc.cache.paht  # noqa: B018
