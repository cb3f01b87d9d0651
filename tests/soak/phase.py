"""phase.py launches|compiles FIRST COUNT: COUNT steps in this process.

Prints a sample as JSON after FIRST steps, after COUNT, and some in between.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

from memory import Sample
from objects import Counter
from work import Launches, compile_one

import metalcore as mc

SAMPLES = 9  # after the first, in a long run; each takes half a second
LONG = 5000


def steps_of(phase: str, count: int) -> tuple[Callable[[int], None], int, Callable[[], None]]:
    """One step by its number, how many there are, and a check of all."""
    if phase == "compiles":
        is_large = count >= LONG
        return lambda number: compile_one(number, is_large=is_large), count, lambda: None
    launches = Launches()
    rounds = count // Launches.PER_ROUND
    return launches.round, rounds, lambda: launches.check(rounds)


def renew_interned_strings() -> None:
    """Fills CPython's table of interned strings once.

    It sheds the dead ones only when it is full, and has another size from then on. NumPy's
    `__array_interface__` would fill it somewhere in the middle.
    """
    for number in range(100_000):
        sys.intern(f"soak {number}")


def main() -> None:
    """Every sample on a line: how much is done, what the process holds, the live objects."""
    phase, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    report = mc.warmup()
    assert report.state == "done", report
    counter = Counter()
    renew_interned_strings()
    step, steps, check = steps_of(phase, count)
    per_step = count // steps
    first //= per_step
    samples = SAMPLES if count >= LONG else 1
    stops = {first + (steps - first) * k // samples for k in range(samples + 1)}
    begin = time.monotonic()
    for number in range(steps):
        step(number)
        if number + 1 in stops:
            sample = Sample.take()
            line = {
                "done": (number + 1) * per_step,
                "seconds": round(time.monotonic() - begin, 3),
                **asdict(sample),
                "objects": counter.counts(),
            }
            print(json.dumps(line), flush=True)
    check()


if __name__ == "__main__":
    main()
