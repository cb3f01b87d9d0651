"""What many threads gain that compile at once, and what a look-up costs beside a compile.

Each fresh process, without the cache on disk, makes its compiler ready and then times: 64 kernels
one after the other; 64 others from 64 threads at once (first in every second process); look-ups of
a finished kernel, by its source, while another thread compiles a long one. Each line has the median
over the processes and its limit; the exit code is 1 beyond one. `python benchmarks/single_flight.py
[--processes 7] [--json FILE]`. Wants two idle CPUs; the limit of the ratio is that of two.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

RATIO_LIMIT = 0.65
LOOK_UP_LIMIT = 1e-4  # seconds

CHILD = """
import json, sys, threading, time
import metalcore as mc

COUNT = 64
SOURCE = '''
#include <metal_stdlib>
using namespace metal;
kernel void step(device const float *x, device float *y, constant float &a,
                 uint i [[thread_position_in_grid]]) {
  float v = x[i] * a + SALT;
  for (int k = 0; k < 4; ++k)
    v = fma(v, x[i], sin(v));
  y[i] = v;
}
'''

def build(number, source=SOURCE):
    mc.compile(source.replace("SALT", f"{number}.5f")).step.prepare()

def serial(numbers):
    begin = time.perf_counter()
    for number in numbers:
        build(number)
    return time.perf_counter() - begin

def together(numbers):
    start = threading.Barrier(len(numbers) + 1)
    def work(number):
        start.wait()
        build(number)
    threads = [threading.Thread(target=work, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    start.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin

def look_ups():
    lines = "".join(f"  v += sin(v * {k}.25f) * cos(v + {k});\\n" for k in range(1, 400))
    long = SOURCE.replace("  y[i] = v;", lines + "  y[i] = v;")
    builder = threading.Thread(target=build, args=(9999, long))
    times = []
    builder.start()
    while builder.is_alive():
        begin = time.perf_counter()
        build(0)
        times.append(time.perf_counter() - begin)
    builder.join()
    return times

assert mc.warmup().state == "done"
serial(range(1000, 1004))
build(0)
times = {}
for way in sys.argv[1:]:
    first = {"serial": 1, "together": 1 + COUNT}[way]
    times[way] = {"serial": serial, "together": together}[way](range(first, first + COUNT))
print(json.dumps({**times, "look_ups": look_ups()}))
"""


def measure(order: list[str]) -> dict[str, float]:
    """One fresh process."""
    result = subprocess.run(
        [sys.executable, "-c", CHILD, *order],
        env={**os.environ, "METALCORE_CACHE": "false", "METALCORE_WARMUP": "true"}
        | {"METALCORE_WARMUP_PROFILE": "false"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    times = json.loads(result.stdout)
    look_ups = sorted(times["look_ups"])
    if len(look_ups) < 100:
        raise RuntimeError(f"The long compile was over after {len(look_ups)} look-ups.")
    return {
        "serial": times["serial"],
        "together": times["together"],
        "ratio": times["together"] / times["serial"],
        "look_up": statistics.median(look_ups),
        "look_up_99": look_ups[len(look_ups) * 99 // 100],
        "look_up_worst": look_ups[-1],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=7)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    order = ["serial", "together"]
    runs = [measure(order[:: -1 if k % 2 else 1]) for k in range(arguments.processes)]
    medians = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    limits = {"ratio": RATIO_LIMIT, "look_up": LOOK_UP_LIMIT}
    if arguments.json:
        result = {"medians": medians, "limits": limits, "cpus": os.cpu_count(), "processes": runs}
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    ratios = [run["ratio"] for run in runs]
    print(
        f"64 kernels: {medians['serial'] * 1e3:.0f} ms in turn, "
        f"{medians['together'] * 1e3:.0f} ms from 64 threads"
    )
    print(
        f"ratio: {medians['ratio']:.3f}, limit {RATIO_LIMIT} (median of {len(runs)} processes, "
        f"{min(ratios):.3f} to {max(ratios):.3f})"
    )
    print(
        f"look-up beside a compile: {medians['look_up'] * 1e6:.1f} µs, limit "
        f"{LOOK_UP_LIMIT * 1e6:.0f} µs (99th percentile {medians['look_up_99'] * 1e6:.1f} µs, "
        f"worst {medians['look_up_worst'] * 1e6:.0f} µs)"
    )
    return 0 if all(medians[name] <= limit for name, limit in limits.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
