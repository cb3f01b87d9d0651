"""Kernels that a warm-up is asked for, and who waits for them."""

from __future__ import annotations

import asyncio
import time

import pytest

import metalcore as mc

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
