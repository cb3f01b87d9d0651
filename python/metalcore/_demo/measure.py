"""Fresh processes, and the medians of what they say."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

CASES = ("builtin", "custom")
MODES = ("off", "at_once", "waited")


class Sample(TypedDict):
    """One process. Times in milliseconds."""

    import_ms: float
    first_ms: float
    second_ms: float
    process_ms: float
    warmup_stages: dict[str, float]


class Row(TypedDict):
    """Medians over the processes of one case and mode. Times in milliseconds."""

    case: str
    mode: str
    cache: str
    import_ms: float
    first_ms: float
    second_ms: float
    process_ms: float
    warmup_stages: dict[str, float]


def sample(case: str, mode: str) -> Sample:
    """Runs one fresh process."""
    environment = {**os.environ, "METALCORE_WARMUP": "false" if mode == "off" else "true"}
    child = Path(__file__).with_name("child.py")
    # Where this package was found, if through the module search path (and not an import hook).
    root = str(Path(__file__).absolute().parents[2])
    if root in map(os.path.abspath, sys.path):
        path = [root, *filter(None, [environment.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(path)
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, str(child), case, mode],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    process_ms = (time.perf_counter() - start) * 1e3
    if result.returncode != 0:
        raise RuntimeError(
            f"The process for {case}, {mode} ended with code {result.returncode}:\n{result.stderr}"
        )
    measured: Sample = json.loads(result.stdout)
    measured["process_ms"] = process_ms
    return measured


def median_row(case: str, mode: str, samples: list[Sample]) -> Row:
    """One row of the result."""
    stages = list(dict.fromkeys(name for s in samples for name in s["warmup_stages"]))
    return {
        "case": case,
        "mode": mode,
        # No compiled kernel outlives its process.
        "cache": "empty",
        "import_ms": statistics.median(s["import_ms"] for s in samples),
        "first_ms": statistics.median(s["first_ms"] for s in samples),
        "second_ms": statistics.median(s["second_ms"] for s in samples),
        "process_ms": statistics.median(s["process_ms"] for s in samples),
        "warmup_stages": {
            name: statistics.median(
                s["warmup_stages"][name] for s in samples if name in s["warmup_stages"]
            )
            for name in stages
        },
    }


def measure(repeat: int, progress: Callable[[], object]) -> list[Row]:
    """Measures every case and mode; calls `progress` after each process.

    The rows take turns, so that a slow moment of the machine meets all of them.
    """
    keys = [(case, mode) for case in CASES for mode in MODES]
    sample(*keys[0])  # reads the files into memory; not counted
    samples: dict[tuple[str, str], list[Sample]] = {key: [] for key in keys}
    for _ in range(repeat):
        for key in keys:
            samples[key].append(sample(*key))
            progress()
    return [median_row(*key, samples[key]) for key in keys]
