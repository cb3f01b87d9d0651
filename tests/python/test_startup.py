"""What a program's first call does not wait for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import metalcore as mc

COMPILER = "libhostmetal-compiler.so"

# A library that is not opened before somebody writes to the pipe that a variable names; the dynamic
# loader keeps its lock until then.
SLOW_LIBRARY = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void wait_for_the_pipe(void) {
  char byte;
  int pipe = open(getenv("TEST_PIPE"), O_RDONLY);
  while (read(pipe, &byte, 1) == -1)
    ;
}
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package whose compiler takes as long to open as the test wants."""
    shutil.copytree(
        Path(mc.__file__).parent,
        tmp_path / "metalcore",
        ignore=shutil.ignore_patterns(COMPILER),
    )
    subprocess.run(
        ["clang-19", "-shared", "-fPIC", "-xc", "-", "-o", tmp_path / "metalcore" / COMPILER],
        input=SLOW_LIBRARY,
        text=True,
        check=True,
    )
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_built_in_operations_do_not_wait_for_the_compiler(package: Path) -> None:
    program = package / "program.py"  # a file, so that its use of kernels is recorded
    program.write_text("""
import metalcore as mc

x = mc.arange(100000, dtype=mc.float32)
print(((x + x) * 3.0).sum().item(), flush=True)
y = mc.arange(0, 1, 0.25)
mc.synchronize()
report = mc.warmup_status()
print(y.tolist(), report.state, [stage.name for stage in report.stages], flush=True)
""")
    child = subprocess.Popen(
        [sys.executable, program],
        env={
            **os.environ,
            "PYTHONPATH": str(package),
            "METALCORE_WARMUP": "true",
            "METALCORE_WARMUP_PROFILE": "true",
            "METALCORE_CACHE_DIR": str(package / "cache"),
            "TEST_PIPE": str(package / "pipe"),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(60, child.kill)
    late.start()
    with (package / "pipe").open("w"):  # the compiler is being opened, and waits for a byte
        assert child.stdout is not None
        lines = [child.stdout.readline(), child.stdout.readline()]
    output, _ = child.communicate()
    late.cancel()
    assert float(lines[0]) == pytest.approx(6.0 * sum(range(100000)), rel=1e-6)
    assert lines[1] == "[0.0, 0.25, 0.5, 0.75] running ['compiler']\n"
    assert (child.returncode, output) == (0, "")


def test_foundation_loads_no_character_converters(run_python) -> None:
    program = """
import metalcore as mc
mc.warmup()
print(sorted({line.split()[-1] for line in open("/proc/self/maps") if "/gconv/" in line
              and ".so" in line}))
"""
    assert run_python(program, METALCORE_WARMUP="true").stdout == "[]\n"
