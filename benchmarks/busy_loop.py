"""How much a CPU-bound Python loop slows down beside the warm-up.

Pairs of fresh processes, the warm-up on and off, in turn. Each imports metalcore and counts for a
fixed time how far a loop gets; the warm-up falls into that time. The last line is the median of the
pairs' slowdowns. `python benchmarks/busy_loop.py [--pairs 20] [--seconds 0.5] [--json FILE]`. Wants
two idle CPUs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

# The loop first runs alone for a moment, so that the CPU's clock has settled.
CHILD = """
import sys, time
def count(seconds):
    steps, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for _ in range(1000):
            steps += 1
    return steps
count(0.1)
import metalcore as mc
print(count(float(sys.argv[1])), mc.warmup_status().state, mc.warmup_status().cpu_seconds)
"""


def steps(is_on: bool, seconds: float) -> int:
    """How far the loop gets in a fresh process."""
    result = subprocess.run(
        [sys.executable, "-c", CHILD, str(seconds)],
        env={**os.environ, "METALCORE_WARMUP": "true" if is_on else "false"},
        capture_output=True,
        text=True,
        check=True,
    )
    count, state, _ = result.stdout.split()
    if is_on and state == "disabled":
        raise RuntimeError("The warm-up did not start.")
    return int(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    slowdowns = []
    for pair in range(arguments.pairs):
        order = [True, False] if pair % 2 else [False, True]
        counts = {is_on: steps(is_on, arguments.seconds) for is_on in order}
        slowdowns.append(counts[False] / counts[True] - 1)
    median = statistics.median(slowdowns)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"median": median, "slowdowns": slowdowns}, indent=2) + "\n"
        )
    print(
        f"slowdown beside the warm-up: {median:+.2%} (median of {arguments.pairs} pairs, "
        f"{min(slowdowns):+.2%} to {max(slowdowns):+.2%})"
    )


if __name__ == "__main__":
    main()
