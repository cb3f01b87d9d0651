"""Settings that hold for a whole process: what they are, where they come from, how to set them.

A value is looked for in the environment (`METALCORE_<NAME>`), in `metalcore.toml` of the current
folder, in the user's `preferences.toml`, and is the default otherwise. All are read once, when
metalcore is imported; what `set` and `unset` write takes effect at the next start.

Paths of what is cached, and so executed, are never taken from the current folder's file.

Examples
--------
>>> from metalcore import preferences
>>> preferences.get("storage_mode")
'shared'
"""

from __future__ import annotations

import os

from . import _core
from ._core import Preference

__all__ = ["Preference", "get", "path", "set", "show", "unset", "values", "warnings"]

Value = bool | int | str


def values() -> list[Preference]:
    """Every preference, in the order of the documentation.

    Examples
    --------
    >>> from metalcore import preferences
    >>> [entry.name for entry in preferences.values()][:3]
    ['warmup', 'warmup_profile', 'cache']
    """
    return _core.describe_preferences()


def get(name: str) -> Value:
    """The value that holds in this process.

    Parameters
    ----------
    name : str
        "warmup", "warmup_profile", "cache", "cache_dir", "cache_max_size", "device", "cpu_threads",
        "compile_time_limit", "storage_mode", "math_mode" or "log_level".

    Returns
    -------
    bool, int or str
        As the file has it: True, 4, "256 MiB".

    Raises
    ------
    ValueError
        If there is no such preference.

    Examples
    --------
    >>> from metalcore import preferences
    >>> preferences.get("math_mode")
    'safe'
    """
    found = {entry.name: entry.value for entry in values()}
    if name not in found:
        known = ", ".join(f'"{each}"' for each in found)
        raise ValueError(f'There is no preference "{name}"; there are {known}.')
    return found[name]


def set(name: str, value: Value | os.PathLike[str]) -> None:
    """Write a value into the user's file; it takes effect when a process imports metalcore next.

    The other values and the comments of the file stay. The file is replaced as a whole, so that
    nobody reads half of it.

    Parameters
    ----------
    name : str
        As in `get`.
    value : bool, int, str or path
        As the file has it: True, 4, "256 MiB".

    Raises
    ------
    ValueError
        If there is no such preference, it cannot have this value, or the file is malformed.
    TypeError
        If the value is none of these types.
    OSError
        If the file cannot be written.
    UnsupportedError
        If the environment names no home folder.
    """
    _core.set_preference(name, _text_of(name, value))


def unset(name: str) -> bool:
    """Take a value out of the user's file; the default holds from the next start on.

    Parameters
    ----------
    name : str
        As in `get`.

    Returns
    -------
    bool
        False if the file did not have it.

    Raises
    ------
    ValueError, OSError, UnsupportedError
        As for `set`.
    """
    return _core.unset_preference(name)


def show() -> None:
    """Print name, value and source of every preference."""
    rows = [(entry.name, _shown(entry.value), entry.source) for entry in values()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, source in rows:
        print(f"{name:{widths[0]}}  {value:{widths[1]}}  {source}")


def path() -> str:
    """The user's file, whether it exists or not; empty if the environment names no home folder."""
    return _core.user_preferences_file()


def warnings() -> list[str]:
    """What was wrong with the sources when they were read: sentences that name file and line."""
    return list(_core.preference_warnings())


def _shown(value: Value) -> str:
    """As the file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _text_of(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | str):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise TypeError(
        f'The preference "{name}" must be a bool, an int, a str or a path, not '
        f"{type(value).__name__}."
    )
