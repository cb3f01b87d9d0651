"""The soak: a hundred thousand launches and ten thousand compiles leave nothing behind.

`python tests/soak` takes minutes, `--short` some seconds. Each phase is a process of its own, as a
user's would be: warm-up, cache and profile on. What it holds after its first tenth, when all that
is kept on purpose is there, is compared with what it holds at its end: bytes that malloc gave out,
bytes in RAM, mappings, threads, files, and Objective-C objects by class. The last line counts; the
exit code is 1 unless nothing has grown.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from objects import left_behind

HERE = Path(__file__).parent
LIMIT = 0.05  # of growth, and of shrinking
SLACK = {"mappings": 8, "threads": 2, "files": 2}  # what comes and goes in the background

Sample = dict[str, Any]


@dataclass
class Phase:
    """One process."""

    name: str
    warm_up: int  # of its steps, how many come before the first sample
    count: int
    samples: list[Sample] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def run(self) -> None:
        """To its end; fills in samples and faults."""
        with tempfile.TemporaryDirectory(prefix="metalcore-soak-") as folder:
            command = [str(HERE / "phase.py"), self.name, str(self.warm_up), str(self.count)]
            environment = {
                **os.environ,
                "METALCORE_WARMUP": "true",
                "METALCORE_CACHE": "true",
                "METALCORE_CACHE_DIR": folder,
                "METALCORE_WARMUP_PROFILE": "true",
            }
            with subprocess.Popen(
                [sys.executable, *command], env=environment, stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout is not None
                for line in process.stdout:
                    self.samples.append(json.loads(line))
                    print(self.describe(self.samples[-1]), flush=True)
        if process.returncode != 0:
            self.faults.append(f"{self.name}: exit code {process.returncode}")
        elif not self.samples or self.samples[-1]["done"] != self.count:
            self.faults.append(f"{self.name}: no sample at the end")
        else:
            self.judge(self.samples[0], self.samples[-1])

    def describe(self, sample: Sample) -> str:
        """One line."""
        return (
            f"{sample['done']:7d} {self.name:9s} {sample['seconds']:7.1f} s  "
            f"heap {sample['heap'] / 2**20:7.3f} MiB  rss {sample['rss'] / 2**20:7.2f} MiB  "
            f"{sample['mappings']} mappings  {sample['threads']} threads  {sample['files']} files  "
            f"{sum(sample['objects'].values())} objects"
        )

    def growth(self, what: str) -> float:
        """From the first sample to the last, as a fraction."""
        return self.samples[-1][what] / self.samples[0][what] - 1

    def judge(self, first: Sample, last: Sample) -> None:
        """Looks for what has changed by more than it may."""
        for what in ("heap", "rss", "mappings", "threads", "files"):
            change = abs(last[what] - first[what])
            if change > max(LIMIT * first[what], SLACK.get(what, 0)):
                self.faults.append(f"{self.name}: {what} from {first[what]} to {last[what]}")
        for name, count in left_behind(first["objects"], last["objects"]).items():
            self.faults.append(f"{self.name}: {count} objects of class {name}")

    def objects(self) -> int:
        """How many more there are at the end."""
        first, last = self.samples[0]["objects"], self.samples[-1]["objects"]
        return sum(left_behind(first, last).values())

    def summary(self) -> str:
        """Its part of the last line."""
        if len(self.samples) < 2:
            return f"{self.count} {self.name} (broken off)"
        return (
            f"{self.count} {self.name} (heap {self.growth('heap'):+.2%}, "
            f"rss {self.growth('rss'):+.2%}, {self.objects()} objects left)"
        )


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="soak")
    parser.add_argument("--short", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--launches", type=int, default=None)
    parser.add_argument("--compiles", type=int, default=None)
    parser.add_argument("--json", type=Path, help="where all samples are to go")
    arguments = parser.parse_args()
    launches = arguments.launches or (3000 if arguments.short else 100_000)
    compiles = arguments.compiles or (440 if arguments.short else 10_000)
    # The caches in memory are full after some 300 compiles, the profile after some 700.
    phases = [
        Phase("launches", launches // 10, launches),
        Phase("compiles", max(compiles // 10, min(1000, compiles * 3 // 4)), compiles),
    ]
    for phase in phases:
        phase.run()
    if arguments.json:
        arguments.json.write_text(
            json.dumps({phase.name: phase.samples for phase in phases}, indent=2) + "\n"
        )
    faults = [fault for phase in phases for fault in phase.faults]
    for fault in faults:
        print(fault)
    print(f"soak: {', '.join(phase.summary() for phase in phases)}; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
