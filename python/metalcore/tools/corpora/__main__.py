"""`python -m metalcore.tools.corpora DIR`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .command import add_options, compile_units, without_cache
from .folder import units_of
from .unit import Constant


def main(argv: Sequence[str]) -> int:
    """Runs the program; returns the exit code."""
    arguments = _parser().parse_args(argv)
    root: Path = arguments.folder
    if not root.exists():
        print(f"error: {root} does not exist", file=sys.stderr)
        return 1
    if not arguments.cache:
        without_cache(["-m", "metalcore.tools.corpora", *argv])
    units = units_of(
        root,
        include_paths=arguments.include,
        macros=dict(arguments.define),
        constants=dict(arguments.constant),
        math_mode=arguments.math_mode,
    )
    if not units:
        print(f"error: {root} holds no .metal files", file=sys.stderr)
        return 1
    return compile_units(units, arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m metalcore.tools.corpora",
        description="Compiles every kernel of a folder's .metal files to machine code, and ranks "
        "the causes of what fails. The exit code is 1 when something failed.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="or a single file")
    parser.add_argument(
        "-I",
        dest="include",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="where includes are looked for, besides DIR and the including file's folder",
    )
    parser.add_argument(
        "-D",
        dest="define",
        action="append",
        type=_macro,
        default=[],
        metavar="NAME[=VALUE]",
        help="a macro of the preprocessor",
    )
    parser.add_argument(
        "--constant",
        action="append",
        type=_constant,
        default=[],
        metavar="NAME=VALUE",
        help="a function constant's value; those that a kernel needs and nobody names are 1",
    )
    parser.add_argument("--math-mode", choices=("safe", "relaxed", "fast"))
    add_options(parser)
    return parser


def _macro(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value if "=" in text else "1"


def _constant(text: str) -> tuple[str, Constant]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text} is not of the form NAME=VALUE")
    if value in ("true", "false"):
        return name, value == "true"
    try:
        return name, int(value, 0)
    except ValueError:
        return name, float(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
