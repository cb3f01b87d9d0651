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
    assert [stage.name for stage in report.stages] == [
        "compiler",
        "codegen",
        "device",
        "library",
        "profile",
        "trial",
    ]
    assert all(stage.done and stage.seconds >= 0 for stage in report.stages)
    assert report.cpu_seconds > 0
    assert report.pipelines_built > 0
    assert seen[-1].state == "done"
    assert "compiler" in repr(report)
    assert mc.warmup_status().state == "done"
    assert asyncio.run(mc.warmup_async()).state == "done"
    assert report.error is None


def test_the_cpu_time_is_all_that_was_used(run_python) -> None:
    """Also that of the compiler."""
    program = """
import json, time
import metalcore as mc
before = time.process_time() - time.thread_time()
report = mc.warmup()
print(json.dumps([report.cpu_seconds, time.process_time() - time.thread_time(), before]))
"""
    reported, used, before = json.loads(run_python(program, METALCORE_WARMUP="false").stdout)
    # Some threads that launches and the cache need are nobody's in particular.
    assert 0.8 * (used - before) <= reported <= 1.05 * used


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


@pytest.mark.parametrize("disabled", ["METALCORE_WARMUP=false", "METALCORE_NO_AUTOSTART=1"])
def test_import_starts_nothing_where_it_is_not_wanted(run_python, disabled: str) -> None:
    """And an explicit call does."""
    program = """
import os
before = len(os.listdir("/proc/self/task"))
import metalcore as mc
print(len(os.listdir("/proc/self/task")) - before, mc.warmup_status().state)
print(mc.warmup_status().reason)
print(mc.warmup().state)
"""
    name, value = disabled.split("=")
    result = run_python(program, **{"METALCORE_WARMUP": "true", name: value})
    reason = {
        "METALCORE_WARMUP": 'The preference "warmup" is false (environment).',
        "METALCORE_NO_AUTOSTART": "The environment variable METALCORE_NO_AUTOSTART is set.",
    }[name]
    assert (result.stdout, result.stderr) == (f"0 disabled\n{reason}\ndone\n", "")


@pytest.mark.parametrize("value", ["", "0"])
def test_an_empty_variable_keeps_nothing_from_starting(run_python, value: str) -> None:
    program = "import metalcore as mc; print(mc.warmup_status().state != 'disabled')"
    result = run_python(program, METALCORE_WARMUP="true", METALCORE_NO_AUTOSTART=value)
    assert result.stdout == "True\n"


def test_one_cpu_is_left_to_the_program(run_python) -> None:
    program = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import metalcore as mc
report = mc.warmup_status()
print(report.state, report.reason, mc.warmup().state, sep="; ")
"""
    result = run_python(program, METALCORE_WARMUP="auto")
    assert result.stdout == "skipped; The process may use only one CPU.; done\n"


def test_a_failed_warmup_is_logged_once_and_never_raised(run_python) -> None:
    program = """
import metalcore as mc
first, second = mc.warmup(), mc.warmup()
assert first.state == second.state == "failed", first
print(first.error)
try:
    mc.zeros(3)
except mc.DeviceError as error:
    print(error)
"""
    result = run_python(program, METALCORE_WARMUP="true", HOSTMETAL_DEVICE="none")
    assert result.returncode == 0
    assert result.stdout == "No Metal device was found.\n" * 2
    assert result.stderr.count("The warm-up failed") == 1
    assert len(result.stderr.splitlines()) == 1


def test_nothing_is_dispatched_or_kept_by_the_warmup(run_python) -> None:
    program = """
import metalcore as mc
mc.warmup()
print(mc.devices()[0].current_allocated_size)
"""
    lone = "import metalcore as mc; print(mc.devices()[0].current_allocated_size)"
    warm = run_python(program, METALCORE_WARMUP="true")
    cold = run_python(lone, METALCORE_WARMUP="false")
    assert (warm.stderr, cold.stderr) == ("", "")
    assert int(warm.stdout) == int(cold.stdout)


def test_the_warmup_never_takes_the_gil(run_python) -> None:
    """It ends while the only Python thread never lets the GIL go."""
    program = """
import ctypes, sys
sys.setswitchinterval(1000)
import metalcore as mc
hold = ctypes.PyDLL(None).usleep  # keeps the GIL
for _ in range(2000):
    hold(10_000)
    if mc._core.warmup_status().state == "done":
        break
print(mc._core.warmup_status().state)
"""
    result = run_python(program, METALCORE_WARMUP="true")
    assert (result.stdout, result.stderr) == ("done\n", "")


def test_a_bar_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs tqdm; install metalcore-compute\[demo\]"):
        mc.warmup(progress=True)


def test_a_bar_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm", reason="the bar needs metalcore-compute[demo]")
    kernel = ("kernel void nothing(device int *x) { *x = 0; }", "nothing")
    assert mc.warmup(progress=True, kernels=[kernel]).state == "done"
    assert capsys.readouterr().err == ""


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
