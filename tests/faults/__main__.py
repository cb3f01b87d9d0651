"""The fault drill: whatever happens to the cache, every kernel runs and gives what NumPy gives.

`python tests/faults` takes minutes, `--short` some seconds. The last line counts the cases; the
exit code is 1 unless nothing went wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import crowd
import damage
import folders
from outcome import HERE, Tally, environment

Progress = Callable[[int], None]


class Bar:
    """A progress bar on a terminal, nothing elsewhere. Any thread."""

    def __init__(self) -> None:
        self._bar = None
        self._lock = threading.Lock()
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(unit=" cases", dynamic_ncols=True)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, count: int) -> None:
        """So many cases more are done."""
        with self._lock:
            if self._bar is not None:
                self._bar.update(count)


def damage_worker(short: bool, share: int, shares: int) -> None:
    """One share of the damage drill in this process; a line of output per case, then the counts."""
    tally = damage.drill(
        Path(os.environ["METALCORE_CACHE_DIR"]),
        short,
        share,
        shares,
        lambda count: print(count, flush=True),
    )
    print(json.dumps(vars(tally)), flush=True)


def run_damage_worker(
    base: Path, short: bool, share: int, shares: int, progress: Progress
) -> Tally:
    """The same in a fresh process."""
    cache = base / f"damage-{share}"
    words = ["--short"] if short else []
    tally = Tally()
    with subprocess.Popen(
        [sys.executable, str(HERE), *words, "--share", f"{share}/{shares}"],
        env=environment(cache),
        stdout=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stdout is not None
        for line in worker.stdout:
            if line.startswith("{"):
                tally.merge(json.loads(line))
            else:
                progress(int(line))
    if tally.cases == 0 or worker.returncode != 0:
        tally.add(f"share {share} of the damage", worker.returncode or 1)
    return tally


def run_all(short: bool, jobs: int) -> Tally:
    """Every drill."""
    tally = Tally()
    lock = threading.Lock()

    def add(other: Tally) -> None:
        with lock:
            tally.merge(vars(other))

    with tempfile.TemporaryDirectory(prefix="metalcore-faults-") as name, Bar() as bar:
        base = Path(name)
        workers = [
            threading.Thread(
                target=lambda share=share: add(
                    run_damage_worker(base, short, share, jobs, bar.advance)
                )
            )
            for share in range(jobs)
        ]
        for worker in workers:
            worker.start()
        add(folders.drill(bar.advance))
        for worker in workers:
            worker.join()
        add(crowd.drill(base, short, bar.advance))
    return tally


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, prog="faults")
    parser.add_argument("--short", action="store_true", help="a sample of the cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("--share", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.share:
        share, shares = map(int, arguments.share.split("/"))
        damage_worker(arguments.short, share, shares)
        return 0
    tally = run_all(arguments.short, max(1, arguments.jobs))
    for note in tally.notes[:50]:
        print(note)
    print(tally.summary())
    return 0 if tally.is_clean() else 1


if __name__ == "__main__":
    sys.exit(main())
