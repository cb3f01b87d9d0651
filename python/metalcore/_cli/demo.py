"""`python -m metalcore demo`."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "demo",
        help="measure the time to the first kernel",
        description="Measures, in fresh processes, what a caller sees of the first kernel: with "
        "the warm-up off, at once after import, and after warmup().",
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="write the medians to a JSON file, or print nothing else",
    )
    parser.add_argument("--plot", metavar="FILE", help="write a plot (PNG) to a file")
    parser.add_argument(
        "--repeat",
        type=_positive,
        default=10,
        metavar="N",
        help="fresh processes for each row (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Runs the command."""
    from metalcore._demo import run

    return run(arguments.repeat, arguments.json, arguments.plot)
