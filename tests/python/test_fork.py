"""A forked child works: during the warm-up, after work, and under multiprocessing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a forked child of a process that uses Apple's Metal is refused"
)

# Python 3.12 and later warn of every fork beside threads.
ENVIRONMENT = {"METALCORE_WARMUP": "true", "PYTHONWARNINGS": "ignore::DeprecationWarning"}

PRELUDE = """
import multiprocessing, os, random, sys, threading, time
import numpy as np
import metalcore as mc

SOURCE = '''
#include <metal_stdlib>
kernel void add(device int *out, constant int &k, uint i [[thread_position_in_grid]]) {
  out[i] += k;
}
'''

def work(k):
    "A built-in operation and a compiled kernel, checked."
    x = mc.full(1001, k, dtype=np.int32)
    mc.compile(SOURCE).add(x, k, threads=1001)
    assert (np.asarray(x) == 2 * k).all()
    assert int((x + 1).sum()) == 1001 * (2 * k + 1)
    return k

def in_child(function, *arguments):
    "Exit code of a forked child that calls a function."
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            function(*arguments)
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""

PROGRAMS = {
    "right_after_import": "assert in_child(work, 3) == 0; work(4)",
    "after_work": "work(4); assert in_child(work, 3) == 0; work(5)",
    "after_warmup": "mc.warmup(); assert in_child(work, 3) == 0; work(5)",
    "with_work_in_flight": """
x = mc.zeros(1_000_003, dtype=np.int32)
kernel = mc.compile(SOURCE).add
for _ in range(50):
    kernel(x, 1, threads=x.size)
assert in_child(work, 3) == 0
assert (np.asarray(x) == 50).all()
""",
    "while_threads_compile": """
def compile_many(thread):
    for k in range(8):
        mc.compile(SOURCE.replace("+= k", f"+= k + {thread} - {thread} + {k} - {k}")).add
threads = [threading.Thread(target=compile_many, args=(t,)) for t in range(2)]
for thread in threads:
    thread.start()
codes = [in_child(work, 3) for _ in range(5)]
for thread in threads:
    thread.join()
assert codes == [0] * 5, codes
work(6)
""",
    "child_waits_for_the_warmup": """
def wait():
    assert mc.warmup(timeout=60).state == "done"
    work(3)
assert in_child(wait) == 0
assert mc.warmup(timeout=60).state == "done"
""",
    "grandchild": "assert in_child(lambda: (work(1), in_child(work, 2) == 0 or os._exit(2))) == 0",
    "child_exits_normally": """
pid = os.fork()
if pid == 0:
    work(3)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
work(4)
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_fork(run_python, program: str) -> None:
    result = run_python(PRELUDE + program, **ENVIRONMENT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.slow
def test_fork_at_random_moments_of_the_warmup(run_python, rng) -> None:
    for delay in rng.uniform(0, 0.3, 20):
        result = run_python(
            f"{PRELUDE}\ntime.sleep({delay})\nassert in_child(work, 3) == 0\nwork(4)\n",
            **ENVIRONMENT,
        )
        assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), delay


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(run_python, tmp_path: Path, method: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        PRELUDE
        + f"""
if __name__ == "__main__":
    with multiprocessing.get_context("{method}").Pool(3) as pool:
        assert pool.map(work, range(12)) == list(range(12))
    work(3)
"""
    )
    result = run_python(script, **ENVIRONMENT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
