"""`python -m metalcore doctor`: is everything there, and does it work?"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .output import add_json, print_json

if TYPE_CHECKING:
    from .checks import Finding

MARKS = {"ok": "ok     ", "warning": "warning", "error": "error  "}
COLOURS = {"ok": "32", "warning": "33", "error": "31"}


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "doctor",
        help="check this installation; exit code 1 on an error",
        description="Checks device, compiler, results, cache, preferences and Python, and says "
        "what to do. The exit code is 1 on an error.",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command."""
    from .checks import CHECKS

    findings: list[Finding] = []
    for check in CHECKS:
        for finding in _run(check):
            findings.append(finding)
            if not arguments.json:
                _print(finding)
    worst = "ok"
    for level in MARKS:
        if any(finding.level == level for finding in findings):
            worst = level
    if arguments.json:
        print_json({"result": worst, "checks": [finding._asdict() for finding in findings]})
    return 1 if worst == "error" else 0


def _run(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """A check's findings; what it raises is one too, so that the others still run."""
    from .checks import Finding

    try:
        yield from check()
    except Exception as error:
        name = check.__name__.removeprefix("check_")
        yield Finding("error", name, f"{type(error).__name__}: {error}", "Please report this.")


def _print(finding: Finding) -> None:
    mark = MARKS[finding.level]
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        mark = f"\x1b[{COLOURS[finding.level]}m{mark}\x1b[0m"
    print(f"{mark}  {finding.subject}: {finding.text}", flush=True)
    if finding.advice:
        print(f"{'':9}→ {finding.advice}", flush=True)
