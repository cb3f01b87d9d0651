"""What a compile takes: a small kernel, MLX's softmax, llama.cpp's kernels.

Fresh processes without the cache on disk open the compiler and then time, one after the other: a
small kernel, source to code, and a second one; the ten kernels of MLX's softmax, front end and
code, a thread for each processor; llama.cpp's file of 12,000 lines, front end, and a few of its
kernels to code, each alone.
Each line has the median over the processes and its limit; the exit code is 1 beyond one.
`python benchmarks/compile_latency.py [--processes 5] [--json FILE]`. Downloads the sources once.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

# Milliseconds. The front end and the code generator of a prototype without a library around them
# took 1 / 1.3 of these on a machine with two CPUs.
LIMITS = {
    "small kernel, first": 1.3 * 16,
    "small kernel, second": 1.3 * 14,
    "MLX softmax, front end": 1.3 * 42,
    "MLX softmax, ten kernels to code": 1.3 * 180,
    "llama.cpp, front end": 1.3 * 3600,
    "llama.cpp, one kernel to code": 1.3 * 200,
}

CHILD = """
import ctypes, json, os, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path.append(sys.argv[1])

import metalcore as mc
import mlx_kernels
from metalcore.tools.corpora.includes import flatten
from source_archives import SourceArchive

SMALL = '''
#include <metal_stdlib>
using namespace metal;
kernel void step(device const float *x, device float *y, constant float &a,
                 uint i [[thread_position_in_grid]]) { y[i] = x[i] * a + SALT; }
'''
LLAMA = SourceArchive(
    "llama-cpp-python",
    "llama_cpp_python-0.3.16.tar.gz",
    "34ed0f9bd9431af045bb63d9324ae620ad0536653740e9bb163a2e1fcb973be6",
)
LLAMA_KERNELS = (
    "kernel_add", "kernel_soft_max_f32", "kernel_rms_norm", "kernel_rope_norm_f32",
    "kernel_mul_mv_q4_K_f32", "kernel_mul_mv_q8_0_f32", "kernel_get_rows_q4_0",
    "kernel_argsort_f32_i32_asc",
)
KINDS = ("float", "half", "bfloat16_t")
SOFTMAX = {
    f"{name}_{kind}{suffix}": (template, kind, *accumulator)
    for name, template in {"block": "softmax_single_row", "looped": "softmax_looped"}.items()
    for kind in KINDS
    for suffix, accumulator in (("", ()), ("_precise", ("float",)))
    if kind != "float" or not accumulator
}

times = {}

def timed(name, work):
    begin = time.perf_counter()
    result = work()
    times[name] = (time.perf_counter() - begin) * 1e3
    return result

def small(number):
    mc.compile(SMALL.replace("SALT", f"{number}.5f")).step.prepare()

softmax = mlx_kernels.source("defines.h", "softmax.h", kernels=SOFTMAX)
(llama,) = LLAMA.folder(".metal", ".h").rglob("ggml-metal.metal")
llama_text = flatten(llama, [llama.parent.parent])

mc.zeros(1).tolist()  # the device is there
library = ctypes.CDLL(str(Path(mc.__file__).parent / "libhostmetal.so"))
timed("opening the compiler", library.hostmetal_open_compiler)
timed("small kernel, first", lambda: small(1))
timed("small kernel, second", lambda: small(2))
kernels = timed("MLX softmax, front end", lambda: mc.compile(softmax, math_mode="safe"))
assert len(kernels.kernel_names) == 10, kernels.kernel_names
with ThreadPoolExecutor(os.cpu_count()) as threads:
    timed("MLX softmax, ten kernels to code",
          lambda: list(threads.map(lambda name: kernels[name].prepare(), kernels.kernel_names)))
kernels = timed("llama.cpp, front end", lambda: mc.compile(llama_text))
for name in LLAMA_KERNELS:
    timed(name, kernels[name].prepare)
times["llama.cpp, one kernel to code"] = max(times[name] for name in LLAMA_KERNELS)
print(json.dumps(times))
"""


def measure() -> dict[str, float]:
    """One fresh process; milliseconds."""
    tests = Path(__file__).resolve().parents[1] / "tests" / "python"
    off = ("METALCORE_CACHE", "METALCORE_WARMUP", "METALCORE_WARMUP_PROFILE")
    result = subprocess.run(
        [sys.executable, "-c", CHILD, str(tests)],
        env=os.environ | dict.fromkeys(off, "false"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    times: dict[str, float] = json.loads(result.stdout)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    runs = [measure() for _ in range(arguments.processes)]
    medians = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    if arguments.json:
        result = {"medians": medians, "limits": LIMITS, "cpus": os.cpu_count(), "processes": runs}
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    for name, median in medians.items():
        limit = f", limit {LIMITS[name]:.0f}" if name in LIMITS else ""
        spread = f"{min(run[name] for run in runs):.1f} to {max(run[name] for run in runs):.1f}"
        print(f"{name}: {median:.1f} ms{limit} ({spread})")
    return 0 if all(medians[name] <= limit for name, limit in LIMITS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
