"""What the doctor looks at."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple


class Finding(NamedTuple):
    """One line of the doctor's report."""

    level: Literal["ok", "warning", "error"]
    subject: str
    text: str
    advice: str = ""


SMALLEST_FREE_SPACE = 64 << 20  # bytes, below which the cache is of little use
LONGEST_WAIT = 60.0  # seconds for a child process

# What the child does, without the cache: compile a kernel, run it, compare what it computed. The
# compiler's version comes from the compiler itself.
CHILD = """
import json, time
import metalcore as mc
source = '''
#include <metal_stdlib>
kernel void doctor(device const float *x, device float *y, device int *version,
                   uint i [[thread_position_in_grid]]) {
  y[i] = metal::fma(x[i], 3.0f, 1.0f);
  if (i == 0) {
    version[0] = __clang_major__;
    version[1] = __clang_minor__;
    version[2] = __clang_patchlevel__;
  }
}
'''
start = time.perf_counter()
kernel = mc.compile(source).doctor
seconds = time.perf_counter() - start
x = mc.arange(1000, dtype=mc.float32)
y, version = mc.empty(1000), mc.zeros(3, dtype=mc.int32)
kernel(x, y, version, threads=1000)
mc.synchronize()
wrong = sum(have != 3.0 * i + 1.0 for i, have in enumerate(y.tolist()))
total = mc.ones(1000).sum().item()
print(json.dumps({"seconds": seconds, "wrong": wrong, "total": total,
                  "version": ".".join(map(str, version.tolist()))}))
"""


def check_python() -> Iterator[Finding]:
    """Python and NumPy."""
    import metalcore

    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(
        "ok", "metalcore", f"{metalcore.__version__} in {Path(metalcore.__file__).parent}"
    )
    yield Finding("ok", "Python", f"{version}, {sys.executable}")
    try:
        import numpy as np
    except ImportError as error:
        yield Finding("error", "NumPy", str(error), "Install it: pip install numpy")
        return
    if tuple(map(int, np.__version__.split(".")[:2])) < (1, 23):
        yield Finding(
            "error", "NumPy", f"{np.__version__} is older than 1.23", "pip install -U numpy"
        )
    else:
        yield Finding("ok", "NumPy", np.__version__)


def check_device() -> Iterator[Finding]:
    """Device and driver."""
    import metalcore

    try:
        found = metalcore.devices()
        if not found:
            yield Finding(
                "error",
                "device",
                "no Metal device was found",
                "On Linux the package is incomplete (libhostmetal.so): install it again.",
            )
            return
        chosen = metalcore.empty(1).device
    except metalcore.Error as error:
        yield Finding(
            "error", "device", str(error), 'See the preference "device" (METALCORE_DEVICE).'
        )
        return
    yield Finding("ok", "device", chosen.name + (f", one of {len(found)}" if found[1:] else ""))
    yield Finding("ok", "driver", metalcore.info()["driver"])


def check_kernel() -> Iterator[Finding]:
    """The compiler, and what its code computes, in a process of its own that may crash."""
    try:
        result = subprocess.run(
            [sys.executable, "-c", CHILD],
            capture_output=True,
            text=True,
            timeout=LONGEST_WAIT,
            check=False,
            env={**os.environ, "METALCORE_CACHE": "false"},
        )
    except subprocess.TimeoutExpired:
        yield Finding(
            "error",
            "compiler",
            f"a small kernel was not done after {LONGEST_WAIT:.0f} s",
            "Is the machine overloaded? Please report it otherwise.",
        )
        return
    except OSError as error:
        yield Finding("error", "compiler", f"no child process can be started: {error}")
        return
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["it said nothing"])[-1]
        how = (
            f"signal {-result.returncode}"
            if result.returncode < 0
            else f"exit code {result.returncode}"
        )
        yield Finding(
            "error",
            "compiler",
            f"a small kernel failed ({how}): {last}",
            "Install the package again; libhostmetal-compiler.so must be beside libmetalcore.so.",
        )
        return
    measured = json.loads(result.stdout)
    yield Finding(
        "ok",
        "compiler",
        f"clang {measured['version']}, a small kernel took {measured['seconds'] * 1e3:.0f} ms",
    )
    if measured["wrong"] or measured["total"] != 1000:
        yield Finding(
            "error",
            "results",
            f"{measured['wrong']} of 1000 values of a kernel are wrong, and a sum of 1000 ones is "
            f"{measured['total']}",
            "Please report this with the output of `python -m metalcore info`.",
        )
    else:
        yield Finding("ok", "results", "a compiled and a built-in kernel compute what they should")


def check_cpus() -> Iterator[Finding]:
    """The CPUs that this process may use, and what that means for the warm-up."""
    import metalcore

    report = metalcore.warmup_status()
    count = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    if report.state == "skipped":
        yield Finding(
            "warning",
            "warm-up",
            f"skipped: {report.reason}",
            "Allow two CPUs or more, or set METALCORE_WARMUP=true.",
        )
    elif report.state == "disabled":
        yield Finding("ok", "warm-up", f"disabled: {report.reason}")
    elif report.state == "failed":
        yield Finding("warning", "warm-up", f"failed: {report.reason}")
    else:
        yield Finding("ok", "warm-up", f"{report.state}, {count} CPUs allowed")


def check_cache() -> Iterator[Finding]:
    """The cache's folder: is it used, and is there space?"""
    from metalcore import cache

    folder = cache.path
    stats = cache.stats()
    if folder is None or stats.disabled_reason:
        is_wish = "preference" in stats.disabled_reason
        yield Finding(
            "ok" if is_wish else "warning",
            "cache",
            stats.disabled_reason or "the environment names no home folder",
            "" if is_wish else "Own the folder, mode 0700, or choose another: METALCORE_CACHE_DIR.",
        )
        return
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield Finding(
            "warning",
            "cache",
            f"{existing} cannot be written to",
            "Choose another folder: METALCORE_CACHE_DIR.",
        )
        return
    free = shutil.disk_usage(existing).free
    text = f"{folder}, {stats.files} files, {stats.bytes >> 20} of {stats.max_size >> 20} MiB"
    if free < SMALLEST_FREE_SPACE:
        yield Finding(
            "warning",
            "cache",
            f"{text}; only {free >> 20} MiB are free",
            "Make space, or choose another folder: METALCORE_CACHE_DIR.",
        )
    else:
        yield Finding("ok", "cache", f"{text}, {free >> 30} GiB free")


def check_preferences() -> Iterator[Finding]:
    """What was wrong with the preferences' sources."""
    from metalcore import preferences

    warnings = preferences.warnings()
    for warning in warnings:
        yield Finding("warning", "preferences", warning, "Mend the place that it names.")
    if not warnings:
        changed = [entry.name for entry in preferences.values() if entry.source != "default"]
        yield Finding("ok", "preferences", ", ".join(changed) or "all at their defaults")


def check_environment() -> Iterator[Finding]:
    """Variables that look like metalcore's but are none, or that one forgets."""
    from metalcore import preferences

    known = {f"METALCORE_{entry.name.upper()}" for entry in preferences.values()}
    others = {"METALCORE_TRACE", "METALCORE_NO_AUTOSTART"}
    is_clean = True
    for name in sorted(os.environ):
        if name.startswith("METALCORE_TEST"):
            continue
        if name == "METALCORE_TRACE":
            is_clean = False
            yield Finding(
                "warning",
                "environment",
                f"METALCORE_TRACE is set: every process writes {os.environ[name]}",
                "Unset it when the trace is done.",
            )
        elif name.startswith("METALCORE_") and name not in known | others:
            is_clean = False
            yield Finding(
                "warning", "environment", f"{name} means nothing to metalcore", "Unset it."
            )
    if is_clean:
        used = sorted(known & set(os.environ))
        yield Finding("ok", "environment", ", ".join(used) or "no variables are set")


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    check_python,
    check_device,
    check_kernel,
    check_cpus,
    check_cache,
    check_preferences,
    check_environment,
)
