"""What the commands that compile corpora share: options, fresh settings, progress, the report."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec

from .report import Report, print_report, row
from .run import Selection, run
from .unit import Unit

# Read when metalcore is imported.
FRESH = {"METALCORE_CACHE": "false", "METALCORE_WARMUP": "false"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds them."""
    parser.add_argument(
        "--only", type=_expression, default="", metavar="REGEX", help="kernels whose name matches"
    )
    parser.add_argument(
        "--limit",
        type=_count,
        metavar="N",
        help="take at most N kernels of a file to code, drawn at random; the front end sees all",
    )
    parser.add_argument("--seed", type=int, default=0, help="of that draw (default: %(default)s)")
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=_cpus(),
        metavar="N",
        help="threads (default: the CPUs, %(default)s)",
    )
    parser.add_argument(
        "--cache",
        action="store_true",
        help="use the cache on disk: by default everything is compiled, and nothing is kept",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def without_cache(arguments: Sequence[str]) -> None:
    """Starts Python again with these arguments where its settings are not a fresh compile's."""
    if any(os.environ.get(name) != value for name, value in FRESH.items()):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *arguments], {**os.environ, **FRESH})


def compile_units(units: Sequence[Unit], arguments: argparse.Namespace) -> int:
    """Compiles them, prints the report and returns the exit code."""
    from metalcore._progress import ProgressBar

    selection = Selection(arguments.only, arguments.limit, arguments.seed)
    report = Report()
    has_bar = sys.stderr.isatty() and not arguments.json and find_spec("tqdm") is not None
    start = time.perf_counter()
    with ProgressBar("kernels", "kernel") if has_bar else ProgressLines(report) as progress:
        for outcome in run(units, arguments.jobs, selection, progress.update):
            report.outcomes.append(outcome)
    report.seconds = time.perf_counter() - start
    return print_report(report, arguments.json)


class ProgressLines:
    """Says now and then in a log how far it is: which units are done, and the rate."""

    SECONDS = 30.0

    def __init__(self, report: Report) -> None:
        self._report = report
        self._start = self._last = time.perf_counter()
        self._told = 0  # of the report's outcomes

    def __enter__(self) -> ProgressLines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, done: int, total: int, current: str = "") -> None:
        """Takes new numbers, and what is being done."""
        now = time.perf_counter()
        if now - self._last < self.SECONDS:
            return
        self._last = now
        for outcome in self._report.outcomes[self._told :]:
            print("  ".join(row(outcome)), file=sys.stderr)
        self._told = len(self._report.outcomes)
        rate = done / (now - self._start)
        print(
            f"{done} kernels so far, {total - done} left of {current}; {rate:.1f} kernels/s",
            file=sys.stderr,
            flush=True,
        )


def _cpus() -> int:
    """As many as this process may run on, where the system says it."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None
    return text


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative")
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number
