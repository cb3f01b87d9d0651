"""The command line: `python -m metalcore`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def _info(_: argparse.Namespace) -> int:
    import metalcore

    metalcore.versioninfo()
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from metalcore._demo import run

    return run(arguments.repeat, arguments.json, arguments.plot)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m metalcore", description="metalcore")
    commands = parser.add_subparsers(required=True, metavar="command")

    info = commands.add_parser("info", help="print device, versions and the warm-up's stages")
    info.set_defaults(run=_info)

    demo = commands.add_parser(
        "demo",
        help="measure the time to the first kernel",
        description="Measures, in fresh processes, what a caller sees of the first kernel: with "
        "the warm-up off, at once after import, and after warmup().",
    )
    demo.add_argument("--json", metavar="FILE", help="write the medians to a JSON file")
    demo.add_argument("--plot", metavar="FILE", help="write a plot (PNG) to a file")
    demo.add_argument(
        "--repeat",
        type=_positive,
        default=10,
        metavar="N",
        help="fresh processes for each row (default: %(default)s)",
    )
    demo.set_defaults(run=_demo)

    arguments = parser.parse_args(argv)
    code: int = arguments.run(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
