"""`python -m metalcore info`."""

from __future__ import annotations

import argparse
from typing import Any

from .output import add_json, print_json


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "info", help="print device, versions, cache and the warm-up's stages"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command."""
    import metalcore

    if arguments.json:
        print_json(metalcore.info())
    else:
        metalcore.versioninfo()
    return 0
