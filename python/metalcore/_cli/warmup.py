"""`python -m metalcore warmup`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from .output import add_json, print_columns, print_json

if TYPE_CHECKING:
    from metalcore import WarmupReport


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "warmup",
        help="run the warm-up to its end, and fill the cache ahead of deployment",
        description="Runs the warm-up to its end. With a profile, every pipeline that it names is "
        "built and kept on disk.",
    )
    parser.add_argument("--profile", metavar="FILE", help="a profile that a program recorded")
    parser.add_argument(
        "--timeout", type=_seconds, metavar="S", help="seconds to wait at the most"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"{text} is no time to wait")
    return seconds


def report_json(report: WarmupReport) -> dict[str, object]:
    """A report as JSON has it. Times in seconds."""
    return {
        "state": report.state,
        "reason": report.reason,
        "stages": [
            {"name": stage.name, "seconds": stage.seconds, "done": stage.done}
            for stage in report.stages
        ],
        "cpu_seconds": report.cpu_seconds,
        "pipelines_built": report.pipelines_built,
        "cache_hits": report.cache_hits,
        "cache_misses": report.cache_misses,
    }


def run(arguments: argparse.Namespace) -> int:
    """Runs the command."""
    import metalcore

    # A bar is for people, at a terminal, and needs a module that not everybody has.
    progress = sys.stderr.isatty() and not arguments.json and _has_tqdm()
    report = metalcore.warmup(timeout=arguments.timeout, progress=progress)
    if arguments.json:
        print_json(report_json(report))
    else:
        state = report.state + (f": {report.reason}" if report.reason else "")
        print_columns(
            [("warm-up", state)]
            + [(f"  {s.name}", f"{s.seconds * 1e3:8.1f} ms") for s in report.stages]
            + [("pipelines", f"{report.pipelines_built} built")]
        )
    return 0 if report.state == "done" else 1


def _has_tqdm() -> bool:
    from importlib.util import find_spec

    return find_spec("tqdm") is not None
