"""The command line: `python -m metalcore`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from metalcore._errors import Error

from . import cache, demo, doctor, info, preferences, warmup

__all__ = ["main"]

COMMANDS = (info, warmup, cache, preferences, doctor, demo)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metalcore",
        description="Metal compute from Python: what this installation has, does and keeps.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in COMMANDS:
        command.add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except (Error, OSError, ValueError, ModuleNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return code
