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
        "device",
        "library",
        "profile",
        "compiler",
    ]
    assert all(stage.done and stage.seconds >= 0 for stage in report.stages)
    assert report.cpu_seconds > 0
    assert report.pipelines_built > 0
    assert seen[-1].state == "done"
    assert "compiler" in repr(report)
    assert mc.warmup_status().state == "done"
    assert asyncio.run(mc.warmup_async()).state == "done"
    assert report.error is None


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


SOURCE = "kernel void one(device int *out [[buffer(0)]]) {{ *out = {}; }}"
SCALED = """
constant int factor [[function_constant(0)]];
kernel void scaled(device int *out [[buffer(0)]]) { *out = factor * 3; }
"""


def unique_source(rng) -> str:
    return SOURCE.format(rng.integers(1, 2**31))


def run_one(kernel: mc.Kernel, **how: object) -> int:
    out = mc.zeros(1, dtype="int32")
    kernel(out, threads=1, **how)
    return int(out.item())


def test_kernels_of_every_form_are_ready_afterwards(rng) -> None:
    number = int(rng.integers(1, 2**31))
    source, other, third = SOURCE.format(number), unique_source(rng), unique_source(rng)
    scaled = mc.compile(SCALED + f"// {number}").scaled
    seen = []
    before = mc.warmup_status()
    report = mc.warmup(
        kernels=[
            (source, "one"),
            (other, "one", {}),
            mc.compile(third).one,
            (scaled, {"factor": 2}),
            (SCALED + f"// {number}", "scaled", {"factor": 5}),
        ],
        progress=seen.append,
    )
    assert report.state == "done"
    assert report.kernels_wanted - before.kernels_wanted == 5
    assert report.kernels_done - before.kernels_done == 5
    assert seen[-1].kernels_done == report.kernels_done
    built = report.pipelines_built
    assert built - before.pipelines_built == 5
    assert run_one(mc.compile(source).one) == number
    assert run_one(scaled, constants={"factor": 2}) == 6
    assert run_one(scaled, constants={"factor": 5}) == 15
    assert mc.warmup_status().pipelines_built == built  # nothing was built twice
    assert report.cpu_seconds > before.cpu_seconds


def test_a_kernel_that_fails_is_raised_after_the_others(rng) -> None:
    number = int(rng.integers(1, 2**31))
    good = [SOURCE.format(f"{number} + {k} - {k}") for k in range(4)]
    before = mc.warmup_status()
    with pytest.raises(mc.CompileError, match="does not compile") as caught:
        mc.warmup(kernels=[(f"nonsense{number};", "one"), *((text, "one") for text in good)])
    assert "nonsense" in caught.value.diagnostics
    report = mc.warmup_status()
    assert report.kernels_done - before.kernels_done == 5
    assert report.pipelines_built - before.pipelines_built == 4
    assert report.state == "done"
    with pytest.raises(IndexError, match='no kernel "two"'):
        mc.warmup(kernels=[(good[0], "two"), (f"nonsense{number};", "one")])
    with pytest.raises(ValueError, match="factor"):
        mc.warmup(kernels=[(SCALED, "scaled")])
    with pytest.raises(mc.CompileError):
        asyncio.run(mc.warmup_async(kernels=[(f"nonsense{number};", "one")]))


def test_failures_are_not_raised_by_who_does_not_wait(rng) -> None:
    number = int(rng.integers(1, 2**31))
    mc.warmup(blocking=False, kernels=[(f"nonsense{number};", "one")])
    with pytest.raises(mc.CompileError):
        mc.compile(f"nonsense{number};")


@pytest.mark.parametrize(
    "wrong", [3, "one", ("source",), (), (None, "one"), ("s", "one", {}, 1), ("s", 3)]
)
def test_wrong_kernels_are_refused(wrong: object) -> None:
    with pytest.raises(TypeError, match="Each of kernels must be a Kernel"):
        mc.warmup(kernels=[wrong])  # type: ignore[list-item]


def test_wrong_constants_are_refused() -> None:
    with pytest.raises(TypeError, match='constants of kernel "one" must be a mapping, not list'):
        mc.warmup(kernels=[("source", "one", [1])])  # type: ignore[list-item]
    with pytest.raises(TypeError, match='Function constant "f" must be a bool, int or float'):
        mc.warmup(kernels=[("source", "one", {"f": "x"})])  # type: ignore[dict-item]


@pytest.mark.parametrize("timeout", [0, -1, 1e-9, float("nan"), 1e300])
def test_any_timeout_is_bounded_by_the_work(rng, timeout: float) -> None:
    report = mc.warmup(timeout=timeout, kernels=[(unique_source(rng), "one")])
    assert report.state in {"done", "running"}


def wait_for_kernels(count: int) -> None:
    """Until the background has built so many, but not for ever."""
    deadline = time.monotonic() + 60
    while mc.warmup_status().kernels_done < count and time.monotonic() < deadline:
        time.sleep(0.001)


def test_timeout_leaves_the_kernels_to_the_background(rng) -> None:
    source = unique_source(rng)
    mc.warmup()
    wanted = mc.warmup_status().kernels_wanted + 1
    report = mc.warmup(timeout=0, kernels=[(source, "one")])
    assert report.kernels_wanted == wanted
    wait_for_kernels(wanted)
    assert mc.warmup(kernels=[(source, "one")]).kernels_done == wanted + 1


def test_kernels_are_built_in_parallel(run_python) -> None:
    """By as many threads as there are CPUs, which are gone afterwards."""
    program = """
import os, threading, time
import metalcore as mc
mc.warmup()
def names():
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            found.append(open(f"/proc/self/task/{task}/comm").read().strip())
        except OSError:
            pass
    return {name for name in found if name.startswith("mc-compile")}
most = 0
source = "kernel void one(device int *out [[buffer(0)]]) { *out = %d; }"
mc.warmup(blocking=False, kernels=[(source % k, "one") for k in range(30)])
while mc.warmup_status().kernels_done < 30:
    most = max(most, len(names()))
while names():
    time.sleep(0.001)
print(most - min(8, len(os.sched_getaffinity(0))))
"""
    result = run_python(program, METALCORE_WARMUP="true")
    assert (result.stdout, result.stderr) == ("0\n", "")


def test_keyboard_interrupt_leaves_kernels_to_the_background(run_python) -> None:
    program = """
import os, signal, threading, time
import metalcore as mc
mc.warmup()
source = "kernel void one(device int *out [[buffer(0)]]) { *out = %d; }"
kernels = [(source % k, "one") for k in range(40)]
try:
    threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT)).start()
    mc.warmup(kernels=kernels)
    time.sleep(60)
except KeyboardInterrupt:
    pass
while mc.warmup_status().kernels_done < 40:
    time.sleep(0.01)
print(mc.warmup_status().pipelines_built >= 40)
"""
    result = run_python(program, METALCORE_WARMUP="true")
    assert (result.stdout, result.stderr) == ("True\n", "")


def test_other_tasks_run_while_a_coroutine_waits(rng) -> None:
    async def main() -> int:
        ticks = 0
        waiting = asyncio.gather(
            mc.warmup_async(kernels=[(unique_source(rng), "one") for _ in range(4)])
        )
        while not waiting.done():
            ticks += 1
            await asyncio.sleep(0.001)
        assert waiting.result()[0].state == "done"
        assert (await mc.warmup_async(timeout=0)).state == "done"
        return ticks

    assert asyncio.run(main()) > 1


def test_a_coroutine_waits_no_longer_than_it_is_told(rng) -> None:
    source = unique_source(rng)
    mc.warmup()
    wanted = mc.warmup_status().kernels_wanted + 1
    report = asyncio.run(mc.warmup_async(timeout=0, kernels=[(source, "one")]))
    assert report.kernels_wanted == wanted
    wait_for_kernels(wanted)
    assert mc.warmup(kernels=[(source, "one")]).kernels_done == wanted + 1


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
