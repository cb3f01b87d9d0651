"""What the commands print: aligned text for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence


def add_json(parser: argparse.ArgumentParser) -> None:
    """Gives a command the option `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def print_json(value: object) -> None:
    """Prints a value as JSON."""
    print(json.dumps(value, indent=2))


def print_columns(rows: Iterable[Sequence[str]]) -> None:
    """Prints rows with aligned columns."""
    lines = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        print("  ".join(cells).rstrip())


def bytes_text(count: int) -> str:
    """A size in the unit that suits it.

    Examples
    --------
    >>> bytes_text(1536), bytes_text(12)
    ('1.5 KiB', '12 B')
    """
    if count < 1024:
        return f"{count} B"
    units = ("KiB", "MiB", "GiB")
    power = min((count.bit_length() - 1) // 10, len(units))
    return f"{count / 1024**power:.1f} {units[power - 1]}"
