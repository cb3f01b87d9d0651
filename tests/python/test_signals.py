"""Signals belong to the program: neither the compiler nor the cache takes a handler of theirs."""

from __future__ import annotations

from pathlib import Path

PROGRAM = """
import os, signal
import metalcore as mc

# LLVM's handler of some puts back what was there before; so those that it keeps come first.
NAMES = ["SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGQUIT", "SIGHUP", "SIGINT", "SIGTERM"]
signals = [getattr(signal, name) for name in NAMES]
got = []
for number in signals:
    signal.signal(number, lambda number, frame: got.append(number))
mc.warmup()
x = mc.zeros(1, dtype="int32")
mc.compile("kernel void set(device int *x) { *x = 3; }").set(x, threads=1)
assert x.item() == 3
assert mc.cache.wait(60)
assert mc.cache.stats().stored == STORED
for number in signals:
    os.kill(os.getpid(), number)
assert got == signals, got
"""


def test_handlers_of_the_program_stay(tmp_path: Path, run_python) -> None:
    """A kernel is compiled, run, linked and stored; each handler is called all the same."""
    result = run_python(
        PROGRAM.replace("STORED", "1"), METALCORE_CACHE_DIR=str(tmp_path), METALCORE_WARMUP="true"
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_handlers_of_the_program_stay_without_the_cache(run_python) -> None:
    result = run_python(
        PROGRAM.replace("STORED", "0"), METALCORE_CACHE="false", METALCORE_WARMUP="true"
    )
    assert (result.returncode, result.stderr) == (0, "")
