"""What kernels log reaches Python's logging, or stderr."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import metalcore as mc

SOURCE = """
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log logger("com.example", "test");
kernel void report(device const float *x, uint i [[thread_position_in_grid]]) {
  if (x[i] < 0)
    logger.log_error("x[%u] = %.2f", i, x[i]);
  if (i == 0) {
    os_log_default.log("default");
    os_log_default.log_info("info");
    os_log_default.log_debug("%v2hlf", float2(x[0], x[1]));
  }
}
"""


def messages(caplog: pytest.LogCaptureFixture) -> set[tuple[int, str]]:
    return {(r.levelno, r.message) for r in caplog.records if r.message.startswith("[")}


def test_messages_reach_logging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "metalcore")
    library = mc.compile(SOURCE, enable_logging=True)
    x = mc.asarray([1.5, 2.0, -3.25, 4.0], dtype="float32")
    library.report(x, threads=4)
    mc.synchronize()
    assert messages(caplog) >= {
        (logging.ERROR, "[com.example:test] x[2] = -3.25"),
        (logging.WARNING, "[kernel] default"),
    }


def test_messages_may_choose_their_type(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "metalcore")
    source = SOURCE.replace(
        'logger.log_error("x[%u] = %.2f", i, x[i])',
        'logger.log_with_type(x[i] < -1 ? os_log_type_fault : os_log_type_default, "%.2f", x[i])',
    )
    library = mc.compile(source, enable_logging=True)
    library.report(mc.asarray([-3.25, -0.5], dtype="float32"), threads=2)
    mc.synchronize()
    assert messages(caplog) >= {
        (logging.ERROR, "[com.example:test] -3.25"),
        (logging.WARNING, "[com.example:test] -0.50"),
    }


def test_nothing_is_logged_by_default(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "metalcore")
    mc.compile(SOURCE).report(mc.asarray([-1.0, 0.0], dtype="float32"), threads=2)
    mc.synchronize()
    assert messages(caplog) == set()


def test_a_batch_that_is_open_gets_a_log(caplog: pytest.LogCaptureFixture) -> None:
    """Work that was queued before the first kernel that logs is of no account."""
    program = """
        import metalcore as mc
        x = mc.ones(1 << 20, dtype="float32")
        for _ in range(50):
            x = x + x
        library = mc.compile(SOURCE, enable_logging=True)
        library.report(mc.asarray([-1.0, 2.0], dtype="float32"), threads=2)
        mc.synchronize()
    """
    assert run(program) == [
        "metalcore: error: [com.example:test] x[0] = -1.00",
        "metalcore: warning: [kernel] default",
    ]


def test_levels_below_the_threshold_are_asked_for() -> None:
    program = """
        import metalcore as mc
        mc.compile(SOURCE, enable_logging=True).report(mc.ones(2, dtype="float32"), threads=2)
        mc.synchronize()
    """
    lines = run(program, METALCORE_LOG_LEVEL="debug")
    assert [line for line in lines if "[" in line and "kernel]" in line] == [
        "metalcore: warning: [kernel] default",
        "metalcore: info: [kernel] info",
        "metalcore: debug: [kernel] 1.000000,1.000000",
    ]


def run(program: str, **environment: str) -> list[str]:
    """The lines on stderr of a program of its own."""
    text = f"SOURCE = {SOURCE!r}\n{textwrap.dedent(program)}"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()


def test_profiles_keep_it(tmp_path: Path) -> None:
    """A pipeline that logs is made ready as one."""
    profile = tmp_path / "profile.json"
    program = """
        import metalcore as mc
        mc.compile(SOURCE, enable_logging=True).report(mc.ones(2, dtype="float32"), threads=2)
        mc.synchronize()
    """
    first = run(program, METALCORE_WARMUP_PROFILE=str(profile), METALCORE_CACHE_DIR=str(tmp_path))
    (library,) = json.loads(profile.read_text())["libraries"]
    assert library["enable_logging"] is True
    second = run(program, METALCORE_WARMUP_PROFILE=str(profile), METALCORE_CACHE_DIR=str(tmp_path))
    assert second == first == ["metalcore: warning: [kernel] default"]
