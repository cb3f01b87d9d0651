"""Ends and forks processes at random moments of the warm-up, and counts what goes wrong.

A process must end soon, quietly, with the code it asked for, whatever its threads do; a forked
child must work. `python tests/exits/exits.py [--exits 1000] [--forks 300] [--seed N]`; the last
line counts, and the exit code is 1 when there was a fault.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

# From the request to the end; beyond it a process counts as hung.
PATIENCE = 60.0
LONGEST_DELAY = 0.4

PRELUDE = """
import os, signal, sys, threading, time
import metalcore as mc
SOURCE = "kernel void set(device int *out [[buffer(0)]]) { *out = %d; }"

def work(value):
    out = mc.zeros(1, dtype="int32")
    mc.compile(SOURCE % value).set(out, threads=1)
    assert out.item() == value
    assert int((mc.arange(10) + value).sum()) == 45 + 10 * value
"""

# What runs besides the warm-up when the end comes.
COMPANIONS = {
    "nothing": "",
    "kernels ahead": "mc.warmup(blocking=False, kernels=[(SOURCE % k, 'set') for k in range(9)])",
    "a thread that compiles": "threading.Thread(target=work, args=(5,), daemon=True).start()",
    "a thread that waits": "threading.Thread(target=mc.warmup, daemon=True).start()",
    "work": "work(7)",
}


@dataclass(frozen=True)
class Ending:
    """How a program ends itself, or is ended."""

    name: str
    code: str
    status: int
    error: str = ""  # the end of what it may say


ENDINGS = [
    Ending("normal", "", 0),
    Ending("sys.exit", "sys.exit(7)", 7),
    Ending("exception", "raise KeyError('mine')", 1, "KeyError: 'mine'\n"),
    Ending("os._exit", "os._exit(9)", 9),
    Ending("SIGTERM", "os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    Ending("SIGINT", "os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, "KeyboardInterrupt\n"),
]

FORKS = {
    "os.fork": """
pid = os.fork()
if pid == 0:
    try:
        work(3)
        os._exit(0)
    except BaseException:
        os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
work(4)
""",
    "a child that ends normally": """
pid = os.fork()
if pid == 0:
    work(3)
    sys.exit()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
work(4)
""",
    "multiprocessing fork": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(work, range(4))
work(4)
""",
    "multiprocessing spawn": """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.map(work, range(2))
    work(4)
""",
}


@dataclass(frozen=True)
class Case:
    """One process."""

    name: str
    program: str
    status: int = 0
    error: str = ""


def exit_case(chance: random.Random) -> Case:
    ending = chance.choice(ENDINGS)
    companion = chance.choice(list(COMPANIONS))
    delay = chance.uniform(0, LONGEST_DELAY) * chance.choice([0, 1, 1, 1])
    program = f"{PRELUDE}\n{COMPANIONS[companion]}\ntime.sleep({delay})\n{ending.code}\n"
    name = f"{ending.name} beside {companion} after {delay * 1e3:.0f} ms"
    return Case(name, program, ending.status, ending.error)


def fork_case(chance: random.Random) -> Case:
    how = chance.choice(list(FORKS))
    delay = chance.uniform(0, LONGEST_DELAY)
    program = f"{PRELUDE}\nif __name__ == '__main__':\n    time.sleep({delay})\n{FORKS[how]}"
    return Case(f"{how} after {delay * 1e3:.0f} ms", program)


def fault_of(case: Case, folder: Path, number: int) -> str | None:
    """Runs the process; None when it did as it should."""
    # A few programs share a profile, so that replays are cut short too.
    script = folder / f"program{number}.py"
    script.write_text(case.program)
    environment = {
        **os.environ,
        "METALCORE_WARMUP": "true",
        "METALCORE_WARMUP_PROFILE": str(folder / f"profile{number % 4}.json"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONWARNINGS": "ignore::DeprecationWarning",
    }
    begin = time.monotonic()
    try:
        result = subprocess.run(
            [sys.executable, str(script)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{case.name}: hung for {time.monotonic() - begin:.0f} s"
    if result.returncode != case.status:
        return f"{case.name}: code {result.returncode}, not {case.status}: {result.stderr[-500:]}"
    is_quiet = result.stderr == "" if not case.error else result.stderr.endswith(case.error)
    if result.stdout or not is_quiet or "metalcore:" in result.stderr:
        return f"{case.name}: said {result.stdout[-300:]!r} {result.stderr[-500:]!r}"
    return None


def run(exits: int, forks: int, seed: int, progress: Callable[[], object]) -> list[str]:
    """Runs the cases, two for each CPU at a time; returns the faults."""
    chance = random.Random(seed)
    cases = [exit_case(chance) for _ in range(exits)] + [fork_case(chance) for _ in range(forks)]
    chance.shuffle(cases)
    faults = []
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool,
    ):
        futures = [
            pool.submit(fault_of, case, Path(folder), number) for number, case in enumerate(cases)
        ]
        for future in as_completed(futures):
            fault = future.result()
            if fault is not None:
                faults.append(fault)
            progress()
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exits", type=int, default=1000)
    parser.add_argument("--forks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    total = arguments.exits + arguments.forks
    print(f"seed {seed}", flush=True)
    # A shell's background jobs ignore it, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begin = time.monotonic()
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        faults = run(arguments.exits, arguments.forks, seed, lambda: None)
    else:
        with tqdm(total=total, unit="process", disable=not sys.stderr.isatty()) as bar:
            faults = run(arguments.exits, arguments.forks, seed, bar.update)
    for fault in faults:
        print(fault)
    print(
        f"exits: {arguments.exits} exits and {arguments.forks} forks in "
        f"{time.monotonic() - begin:.0f} s, {len(faults)} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
