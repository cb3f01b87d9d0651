"""The fuzz: wrong programs of every kind through the compiler, which must survive them all.

`python tests/fuzz` takes many minutes, `--short` half of one. Sources of the tests are mutated,
token by token and byte by byte, and compiled in one process: front end, and back end for what it
takes.
A crash (caught or not), a hang, a refusal that says nothing and growing memory are faults. The
input is kept then. `--seed` repeats a run, `--only` one case of it. The last lines count; the exit
code is 1 unless nothing went wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutate import Mutator
from seeds import ROOT, seeds
from worker import case

HERE = Path(__file__).parent
ENDED = ("out of time", "out of memory")
RIGHT = ("compiled", "compiled without kernels", "refused", "kernel refused", *ENDED)
TIME_LIMIT = "20"  # seconds of processor time for one compile
GROWTH_LIMIT = 0.05  # but for what compiles that were ended kept
KEPT_LIMIT = 16 << 20  # bytes
SAMPLES = 10
SETTLED = 1000  # sources; with fewer in all, half of them


@dataclass
class Run:
    """What was done so far."""

    seed: int
    count: int
    seconds: float
    patience: float
    folder: Path
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)  # seconds, case
    kept: int = 0  # bytes of the heap, by compiles that were ended
    kept_by: list[int] = field(default_factory=list)  # each sample of the present process
    memory: str = "not measured"
    done: int = 0

    def __post_init__(self) -> None:
        self._mutator = Mutator(seeds())
        self._begin = time.monotonic()

    def run(self) -> None:
        """To the end, with a fresh process after each that died."""
        while self.done < self.count and not self._is_over():
            self._run_process()

    def keep(self, number: int, what: str, text: str) -> None:
        """Notes a fault; its source goes into the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.seed}-{number}.metal"
        path.write_bytes(case(self._mutator, self.seed, number))
        self.faults.append(f"case {number}, {path}: {what} {text.strip()[-400:]}".rstrip())
        print(self.faults[-1], flush=True)

    def _is_over(self) -> bool:
        return time.monotonic() - self._begin > self.seconds

    def _run_process(self) -> None:
        samples: list[dict[str, int]] = []
        self.kept_by = []
        interval = max(self.count // SAMPLES, 1)
        begin = self.done
        words = [self.seed, self.done, self.count, interval]
        with subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), *map(str, words)],
            env={**os.environ, "HOSTMETAL_COMPILE_TIME_LIMIT": TIME_LIMIT},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            lines: queue.Queue[str] = queue.Queue()
            said: list[str] = []
            threads = [
                threading.Thread(target=_read, args=(process.stdout, lines.put), daemon=True),
                threading.Thread(target=_read, args=(process.stderr, said.append), daemon=True),
            ]
            for thread in threads:
                thread.start()
            self._follow(process, lines, samples)
            threads[1].join(5)
        if process.returncode not in (0, -signal.SIGKILL) and not self._is_over():
            self.keep(self.done, f"ended the process ({process.returncode})", "".join(said))
            self.done += 1
        self._judge(samples, begin, interval)
        if self.kept > KEPT_LIMIT:
            self.faults.append(f"compiles that were ended kept {_mebibytes(self.kept)}")

    def _follow(
        self, process: subprocess.Popen[str], lines: queue.Queue[str], samples: list[dict[str, int]]
    ) -> None:
        while True:
            try:
                line = lines.get(timeout=self.patience)
            except queue.Empty:
                process.kill()
                self.keep(self.done, f"hangs for more than {self.patience:.0f} s", "")
                self.done += 1
                return
            if not line:
                return
            self._note(json.loads(line), samples)
            if self._is_over():
                process.kill()
                return

    def _note(self, line: dict[str, Any], samples: list[dict[str, int]]) -> None:
        if "memory" in line:
            samples.append(line["memory"])
            self.kept_by.append(self.kept)
            memory = ", ".join(f"{name} {_mebibytes(value)}" for name, value in samples[-1].items())
            print(f"{self.done:7d} sources  {memory}  {_counts(self.outcomes)}", flush=True)
        elif "outcome" in line:
            self.outcomes[line["outcome"]] += 1
            self.slowest = max(self.slowest, (line["seconds"], line["number"]))
            if line["outcome"] in ENDED or "crashed" in line["outcome"]:
                self.kept += line["kept"]
            if line["outcome"] not in RIGHT:
                self.keep(line["number"], line["outcome"], line["text"])
            self.done = line["number"] + 1

    def _judge(self, samples: list[dict[str, int]], begin: int, interval: int) -> None:
        """Compares the last sample with one at which all that is kept on purpose is there."""
        settled = min(-(-SETTLED // interval), SAMPLES // 2)
        if len(samples) < settled + 2:
            return
        grown = []
        for name, end in samples[-1].items():
            start = samples[settled][name]
            growth = (end - self.kept + self.kept_by[settled]) / start - 1
            grown.append(f"{name} {_mebibytes(start)} -> {_mebibytes(end)} ({growth:+.1%})")
            if growth > GROWTH_LIMIT:
                self.faults.append(f"memory grew: {grown[-1]}")
        self.memory = (
            f"after {begin + settled * interval} sources and at the end: {', '.join(grown)}"
        )


def _counts(outcomes: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in outcomes.most_common())


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def _read(stream: Any, put: Any) -> None:
    for line in stream:
        put(line)
    put("")


def show(seed: int, number: int) -> int:
    """One case, again: its source and what becomes of it."""
    from worker import Compiler, run

    import metalcore

    source = case(Mutator(seeds()), seed, number)
    sys.stdout.buffer.write(source + b"\n")
    sys.stdout.flush()
    compiler = Compiler(Path(metalcore.__file__).parent / "libhostmetal-compiler.so")
    print(*run(compiler, source), compiler.library(source).diagnostics, sep="\n")
    return 0


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="fuzz")
    parser.add_argument("--short", action="store_true", help="as much as half a minute allows")
    parser.add_argument("--count", type=int, default=None, help="cases (20000)")
    parser.add_argument("--seconds", type=float, default=None, help="end after so long")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one by default")
    parser.add_argument("--only", type=int, help="the number of one case, to be shown")
    parser.add_argument("--patience", type=float, default=120, help="seconds; more is a hang")
    parser.add_argument("--keep", type=Path, default=ROOT / "build/fuzz", help="for faulty inputs")
    arguments = parser.parse_args()
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    if arguments.only is not None:
        return show(seed, arguments.only)
    count = arguments.count or (600 if arguments.short else 20_000)
    seconds = arguments.seconds or (30 if arguments.short else float("inf"))
    print(f"fuzz: seed {seed}", flush=True)
    run = Run(seed, count, seconds, arguments.patience, arguments.keep)
    run.run()
    slowest, number = run.slowest
    print(f"fuzz: {run.done} sources, seed {seed}: {_counts(run.outcomes)}")
    print(f"fuzz: slowest: case {number} with {slowest:.1f} s")
    print(
        f"fuzz: memory {run.memory}; limit {GROWTH_LIMIT:+.0%}; "
        f"{_mebibytes(run.kept)} kept by compiles that were ended, limit {_mebibytes(KEPT_LIMIT)}"
    )
    print(f"fuzz: {len(run.faults)} faults", *run.faults, sep="\n  ")
    return 1 if run.faults or not run.done else 0


if __name__ == "__main__":
    sys.exit(main())
