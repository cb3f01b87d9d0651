"""What a process loads: no LLVM for built-in operations."""

from __future__ import annotations

import json
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/maps")

BUILTINS = """
import json, re
import numpy as np
import metalcore as mc

def mapped():
    lines = open("/proc/self/maps").read().splitlines()
    return sorted({line.split("/")[-1] for line in lines if "/" in line})

x = mc.full((7, 5), 3, dtype=np.float32)
total = ((x + mc.ones((7, 5), dtype=np.float32)) * 2 - 1).sum()
x.fill(1)
after_builtins = float(total), mapped()
mc.compile('''
#include <metal_stdlib>
kernel void one(device int *out) { *out = 1; }
''').one(np.zeros(1, np.int32), threads=1)
mc.synchronize()
print(json.dumps([after_builtins, mapped()]))
"""

COMPILER_LIBRARIES = ("libhostmetal-compiler", "libLLVM", "libclang-cpp")


def compilers(names: list[str]) -> set[str]:
    """Which libraries of the compiler are among the mapped files."""
    return {library for library in COMPILER_LIBRARIES for name in names if library in name}


def test_builtins_load_no_compiler(run_python) -> None:
    result = run_python(BUILTINS, METALCORE_WARMUP="false")
    assert (result.returncode, result.stderr) == (0, "")
    (total, before), after = json.loads(result.stdout)
    assert total == 7 * 5 * ((3 + 1) * 2 - 1)
    assert any(name.startswith("libhostmetal.so") for name in before)
    assert compilers(before) == set()
    # The same look finds them once a kernel was compiled.
    assert "libhostmetal-compiler" in compilers(after)


def test_import_opens_neither_device_nor_compiler(run_python) -> None:
    result = run_python(
        """
import os, time
import metalcore
time.sleep(0.1)
print(len(os.listdir("/proc/self/task")))
print(open("/proc/self/maps").read())
""",
        METALCORE_WARMUP="false",
        OPENBLAS_NUM_THREADS="1",
    )
    assert (result.returncode, result.stderr) == (0, "")
    threads, maps = result.stdout.split("\n", 1)
    assert threads == "1"
    assert compilers(maps.splitlines()) == set()
