"""`python -m metalcore preferences`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .output import add_json, print_json


def add(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser("preferences", help="show the settings and where they come from")
    add_json(parser)
    parser.set_defaults(run=_show)
    actions = parser.add_subparsers(metavar="action")
    show = actions.add_parser("show", help="print every setting with its source")
    show.set_defaults(run=_show)
    get = actions.add_parser("get", help="print one setting")
    get.set_defaults(run=_get)
    set_ = actions.add_parser("set", help="keep a setting in the user's file, for later starts")
    set_.set_defaults(run=_set)
    unset = actions.add_parser("unset", help="take a setting out of the user's file")
    unset.set_defaults(run=_unset)
    path = actions.add_parser("path", help="print the user's file")
    path.set_defaults(run=_path)
    for action in (get, set_, unset):
        action.add_argument("name")
    set_.add_argument("value", help='as in the file, without quotes: "256 MiB", true, 4')
    for action in (show, get, set_, unset, path):
        # What was said before the action counts too.
        action.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
        )


def _show(arguments: argparse.Namespace) -> int:
    from metalcore import preferences

    if arguments.json:
        print_json(
            {
                "file": preferences.path(),
                "preferences": {
                    entry.name: {"value": entry.value, "source": entry.source}
                    for entry in preferences.values()
                },
                "warnings": preferences.warnings(),
            }
        )
    else:
        preferences.show()
    return 0


def _get(arguments: argparse.Namespace) -> int:
    from metalcore import preferences

    value = preferences.get(arguments.name)
    if arguments.json:
        print_json({"name": arguments.name, "value": value})
    else:
        print(str(value).lower() if isinstance(value, bool) else value)
    return 0


def _set(arguments: argparse.Namespace) -> int:
    from metalcore import preferences

    preferences.set(arguments.name, arguments.value)
    return _changed(arguments, True)


def _unset(arguments: argparse.Namespace) -> int:
    from metalcore import preferences

    return _changed(arguments, preferences.unset(arguments.name))


def _changed(arguments: argparse.Namespace, is_changed: bool) -> int:
    from metalcore import preferences

    file = preferences.path()
    source = {entry.name: entry.source for entry in preferences.values()}[arguments.name]
    if arguments.json:
        print_json({"file": file, "name": arguments.name, "changed": is_changed})
    elif is_changed:
        print(f"{file}: {arguments.name} takes effect at the next start")
    else:
        print(f"{file}: there is no {arguments.name}")
    if source not in ("default", file):
        where = "the environment" if source == "environment" else source
        print(f"note: here, {arguments.name} comes from {where}, which wins", file=sys.stderr)
    return 0


def _path(arguments: argparse.Namespace) -> int:
    from metalcore import preferences

    if arguments.json:
        print_json({"path": preferences.path()})
    else:
        print(preferences.path())
    return 0
