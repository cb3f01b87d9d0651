"""`python -m metalcore warmup`."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import nullcontext
from importlib.util import find_spec
from typing import Any

from .output import add_json, print_columns, print_json


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "warmup",
        help="run the warm-up to its end, and fill the cache ahead of deployment",
        description="Runs the warm-up to its end. With a profile, every pipeline that it names is "
        "built and kept on disk.",
    )
    parser.add_argument("--profile", metavar="FILE", help="a profile that a program recorded")
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="seconds to wait at the most")
    add_json(parser)
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text} is no time to wait")
    return seconds


def run(arguments: argparse.Namespace) -> int:
    """Runs the command."""
    if arguments.profile is not None:
        return _build_profile(arguments)
    import metalcore
    from metalcore._info import warmup_facts

    report = metalcore.warmup(timeout=arguments.timeout, progress=_wants_bar(arguments))
    if arguments.json:
        print_json(warmup_facts(report))
    else:
        state = report.state + (f": {report.reason}" if report.reason else "")
        print_columns(
            [("warm-up", state)]
            + [(f"  {s.name}", f"{s.seconds * 1e3:8.1f} ms") for s in report.stages]
            + [("pipelines", f"{report.pipelines_built} built")]
        )
    return 0 if report.state == "done" else 1


def _build_profile(arguments: argparse.Namespace) -> int:
    from metalcore import cache
    from metalcore._progress import ProgressBar
    from metalcore._warmup import build_profile

    end = None if arguments.timeout is None else time.monotonic() + arguments.timeout
    with ProgressBar("kernels", "kernel") if _wants_bar(arguments) else nullcontext() as bar:
        result = build_profile(
            arguments.profile, timeout=arguments.timeout, progress=bar.update if bar else None
        )
    is_kept = cache.wait(None if end is None else max(0.0, end - time.monotonic()))
    unused = cache.stats().disabled_reason
    if arguments.json:
        print_json({**result.as_dict(), "kept": is_kept and not unused})
    else:
        print(f"{result.built} of {result.wanted} kernels are ready")
        for failure in result.failures:
            print(f"error: {failure}", file=sys.stderr)
        if unused or not is_kept:
            why = unused or "the time was up"
            print(f"warning: they were not all kept on disk: {why}", file=sys.stderr)
    return 0 if result.ok and is_kept and not unused else 1


def _wants_bar(arguments: argparse.Namespace) -> bool:
    """A bar is for people, at a terminal, and needs a module that not everybody has."""
    return sys.stderr.isatty() and not arguments.json and find_spec("tqdm") is not None
