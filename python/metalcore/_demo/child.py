"""One fresh process of the demonstration: imports metalcore, runs kernels twice, prints the times.

Run as a script, so that nothing of metalcore is imported before the clock runs:
child.py {builtin|custom|program} {off|at_once|waited}
"""

import json
import sys
import time
from collections.abc import Callable

SOURCE = """
#include <metal_stdlib>
using namespace metal;

kernel void affine(device const float *x, device float *y, uint i [[thread_position_in_grid]]) {
  y[i] = %d.0f * x[i] + 1.0f;
}
"""
SHAPE = (1024, 1024)
PROGRAM_KERNELS = 50
PROGRAM_PAUSE = 0.2  # seconds of other work before the first of them


def main(case: str, mode: str) -> None:
    # What metalcore itself would import is not counted twice: NumPy is not part of it.
    start = time.perf_counter()
    import metalcore as mc

    import_ms = (time.perf_counter() - start) * 1e3

    # The warm-up off means that the first call pays for all of it, opening the device included.
    if mode == "waited":
        mc.warmup()

    def builtin() -> None:
        mc.empty(SHAPE).fill(1.5)
        mc.synchronize()

    def custom(factor: int = 2) -> None:
        x = mc.ones(SHAPE)
        y = mc.empty(SHAPE)
        mc.compile(SOURCE % factor).affine(x, y, threads=x.size)
        mc.synchronize()
        assert y[-1, -1].item() == factor + 1.0

    def twice(call: Callable[..., None], *arguments: int) -> list[float]:
        times = []
        for _ in range(2):
            start = time.perf_counter()
            call(*arguments)
            times.append((time.perf_counter() - start) * 1e3)
        return times

    if case == "program":
        end = time.perf_counter() + PROGRAM_PAUSE
        while time.perf_counter() < end:
            pass
        calls = [twice(custom, factor) for factor in range(PROGRAM_KERNELS)]
        # The kernel that the program has to wait for longest.
        times = max(calls, key=lambda pair: pair[0] - pair[1])
    else:
        times = twice({"builtin": builtin, "custom": custom}[case])

    report = mc.warmup_status()
    print(
        json.dumps(
            {
                "import_ms": import_ms,
                "first_ms": times[0],
                "second_ms": times[1],
                "warmup_stages": {
                    stage.name: stage.seconds * 1e3 for stage in report.stages if stage.done
                },
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
