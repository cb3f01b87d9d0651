"""The units of a folder: its `.metal` files, but for those that others include."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from .includes import flatten, included
from .unit import Constant, MathMode, Unit


def units_of(
    root: Path,
    prefix: str = "",
    include_paths: Sequence[Path] = (),
    macros: Mapping[str, str] | None = None,
    constants: Mapping[str, Constant] | None = None,
    math_mode: MathMode | None = None,
) -> list[Unit]:
    """One for each file of a folder, or for a single file, in the order of their names.

    A file that another one of the folder includes is a part of that one, and no unit.
    """
    files = sorted(root.rglob("*.metal")) if root.is_dir() else [root]
    paths = [root if root.is_dir() else root.parent, *include_paths]
    parts = {part for file in files for part in included(file, paths)}
    return [
        Unit(
            name=prefix + str(file.relative_to(root) if root.is_dir() else file.name),
            text=functools.partial(flatten, file, paths),
            macros=macros or {},
            constants=constants or {},
            math_mode=math_mode,
        )
        for file in files
        if file.resolve() not in parts
    ]
