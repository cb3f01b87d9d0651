"""`python -m metalcore cache`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .output import add_json, bytes_text, print_columns, print_json


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser("cache", help="look at the kernels kept on disk, or remove them")
    actions = parser.add_subparsers(required=True, metavar="action")
    for name, function, text in (
        ("stats", _stats, "print how many files there are and what they take"),
        ("path", _path, "print the folder"),
        ("clear", _clear, "remove everything"),
        ("prune", _prune, "remove what is over the limit or left over"),
    ):
        action = actions.add_parser(name, help=text, description=text.capitalize() + ".")
        add_json(action)
        action.set_defaults(run=function)


def _folder(path: Path | None) -> str:
    """Empty where the system names none."""
    return "" if path is None else str(path)


def _stats(arguments: argparse.Namespace) -> int:
    from metalcore import cache

    stats = cache.stats()
    folder = _folder(cache.path)
    names = ("files", "bytes", "max_size")
    numbers = {name: int(getattr(stats, name)) for name in names}
    if arguments.json:
        print_json({"path": folder, **numbers, "disabled_reason": stats.disabled_reason})
        return 0
    rows = [
        ("folder", folder),
        ("files", str(numbers["files"])),
        ("size", f"{bytes_text(numbers['bytes'])} of {bytes_text(numbers['max_size'])} at most"),
    ]
    if stats.disabled_reason:
        rows.append(("not in use", stats.disabled_reason))
    print_columns(rows)
    return 0


def _path(arguments: argparse.Namespace) -> int:
    from metalcore import cache

    folder = _folder(cache.path)
    if arguments.json:
        print_json({"path": folder})
    else:
        print(folder)
    return 0


def _clear(arguments: argparse.Namespace) -> int:
    from metalcore import cache

    return _removed(cache.clear(), arguments.json)


def _prune(arguments: argparse.Namespace) -> int:
    from metalcore import cache

    return _removed(cache.prune(), arguments.json)


def _removed(removed: Any, as_json: bool) -> int:
    if as_json:
        print_json({"files": removed.files, "bytes": removed.bytes})
    else:
        noun = "file" if removed.files == 1 else "files"
        print(f"removed {removed.files} {noun}, {bytes_text(removed.bytes)}")
    return 0
