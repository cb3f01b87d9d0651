"""The warm-up as Python sees it, and what the package says of itself."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time

import pytest

import metalcore as mc


def test_warmup_reports_its_stages() -> None:
    seen = []
    report = mc.warmup(progress=seen.append)
    assert (report.state, report.reason) == ("done", "")
    assert [stage.name for stage in report.stages] == ["device", "library", "compiler"]
    assert all(stage.done and stage.seconds >= 0 for stage in report.stages)
    assert report.cpu_seconds > 0
    assert report.pipelines_built > 0
    assert seen[-1].state == "done"
    assert "compiler" in repr(report)
    assert mc.warmup_status().state == "done"
    assert asyncio.run(mc.warmup_async()).state == "done"


def test_states_of_a_fresh_process(run_python) -> None:
    program = """
import json
import metalcore as mc
states = [mc.warmup_status().state, mc.warmup(blocking=False).state]
states += [mc.warmup(timeout=1e-6).state, mc.warmup().state]
print(json.dumps(states))
"""
    result = run_python(program, METALCORE_WARMUP="false")
    assert result.stderr == ""
    first, begun, timed, ended = json.loads(result.stdout)
    assert (first, ended) == ("disabled", "done")
    assert {begun, timed} <= {"running", "done"}


def test_keyboard_interrupt_ends_the_wait() -> None:
    """Sent while the warm-up runs: the wait ends at once and the process goes on."""
    program = """
import os, signal, threading, time
import metalcore as mc
try:
    threading.Timer(0.002, os.kill, (os.getpid(), signal.SIGINT)).start()
    mc.warmup()
    time.sleep(60)
except KeyboardInterrupt:
    pass
print(mc.warmup().state)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")
    assert signal.getsignal(signal.SIGINT) is not None


def test_import_is_light(run_python) -> None:
    result = run_python(
        "import sys, json; before = set(sys.modules); import metalcore;"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = {name.split(".")[0] for name in json.loads(result.stdout)}
    assert loaded.isdisjoint({"numpy", "tqdm", "rich", "matplotlib", "ml_dtypes", "asyncio"})


def test_import_time_is_printed(run_python, capsys: pytest.CaptureFixture[str]) -> None:
    program = "import time; t = time.perf_counter(); import metalcore; print(time.perf_counter()-t)"
    times = [float(run_python(program).stdout) for _ in range(5)]
    with capsys.disabled():
        print(f"\nimport metalcore: {min(times) * 1e3:.1f} ms")
    assert min(times) > 0


def test_versioninfo(capsys: pytest.CaptureFixture[str]) -> None:
    mc.warmup()
    mc.versioninfo()
    text = capsys.readouterr().out
    assert mc.__version__ in text
    assert mc.devices()[0].name in text
    assert "cache hits" in text
    assert "compiler" in text


def test_info_command(run_python) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "metalcore", "info"], capture_output=True, text=True, check=True
    )
    assert mc.__version__ in result.stdout


def test_devices() -> None:
    device = mc.devices()[0]
    assert device == mc.zeros(1).device
    assert hash(device) == hash(mc.zeros(1, device=device).device)
    assert device.max_threads_per_threadgroup >= 32
    assert device.max_buffer_length > 1 << 20
    assert device.name in repr(device)


def test_exports() -> None:
    namespace: dict[str, object] = {}
    exec("from metalcore import *", namespace)
    assert "zeros" in namespace
    assert not {"warmup", "compile"} & namespace.keys()
    assert all(hasattr(mc, name) for name in mc.__all__)


def test_synchronize_is_quick_when_idle() -> None:
    mc.synchronize()
    start = time.perf_counter()
    mc.synchronize()
    assert time.perf_counter() - start < 1
