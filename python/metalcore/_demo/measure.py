"""Fresh processes, and the medians of what they say."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

MODES = ("off", "at_once", "waited")
# Case, mode, and whether an earlier process has filled the cache on disk.
ROWS = (
    *(("builtin", mode, "empty") for mode in MODES),
    *(("custom", mode, "empty") for mode in MODES),
    *(("custom", mode, "filled") for mode in MODES),
    ("program", "at_once", "empty"),
    ("program", "at_once", "filled"),
)


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


def sample(case: str, mode: str, cache: Path) -> Sample:
    """Runs one fresh process with that folder as its cache."""
    environment = {
        **os.environ,
        "METALCORE_WARMUP": "false" if mode == "off" else "true",
        "METALCORE_CACHE": "true",
        "METALCORE_CACHE_DIR": str(cache),
        "METALCORE_WARMUP_PROFILE": "true",
    }
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


def median_row(case: str, mode: str, cache: str, samples: list[Sample]) -> Row:
    """One row of the result."""
    stages = list(dict.fromkeys(name for s in samples for name in s["warmup_stages"]))
    return {
        "case": case,
        "mode": mode,
        "cache": cache,
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
    """Measures every row; calls `progress` after each process that counts.

    The rows take turns, so that a slow moment of the machine meets all of them, and in a new order
    each time: what one process leaves behind, memory that is still warm, makes the next faster.
    """
    samples: dict[tuple[str, str, str], list[Sample]] = {row: [] for row in ROWS}
    with tempfile.TemporaryDirectory(prefix="metalcore-demo-") as folder:
        # These are not counted; they read the package's files into memory, too. A process has so
        # much time at its end to write what it compiled: a second one writes the rest.
        for case, mode, cache in ROWS:
            if cache == "filled":
                for _ in range(2):
                    sample(case, "waited", Path(folder, f"{case}-{mode}"))
        for turn in range(repeat):
            for case, mode, cache in random.sample(ROWS, len(ROWS)):
                name = f"{case}-{mode}" if cache == "filled" else f"{case}-{mode}-{turn}"
                samples[case, mode, cache].append(sample(case, mode, Path(folder, name)))
                progress()
    return [median_row(*row, samples[row]) for row in ROWS]
