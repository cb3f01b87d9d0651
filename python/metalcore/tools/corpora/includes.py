"""One text out of a file and what it includes: Metal compiles from text, without search paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

INCLUDE = re.compile(r'\s*#\s*(?:include|import)\s*(?:"(?P<quoted>[^"]+)"|<(?P<angled>[^>]+)>)')
CONDITION = re.compile(r"\s*#\s*(?P<end>endif|if(?:n?def)?)\b")
ONCE = re.compile(r"\s*#\s*pragma\s+once\b")


def flatten(file: Path, include_paths: Sequence[Path] = ()) -> str:
    """The text of a file with its includes put in place.

    Errors in it name the files and lines that the parts came from. What is not found in the file's
    folder or in `include_paths` stays an include: the compiler brings its own headers.
    """
    return "".join(_Flattening(include_paths).lines(file))


def included(file: Path, include_paths: Sequence[Path] = ()) -> set[Path]:
    """The files that a file includes itself, as far as they are found."""
    lines = file.read_text(errors="replace").splitlines()
    found = (_find(line, file.parent, include_paths) for line in lines)
    return {path for path in found if path is not None}


def flatten_text(text: str, include_paths: Sequence[Path], name: str) -> str:
    """The same for a text that lies in no file; errors call it `name`."""
    return "".join(_Flattening(include_paths).lines_of(text, Path(name), None))


class _Flattening:
    """One text in the making."""

    def __init__(self, include_paths: Sequence[Path]) -> None:
        self._include_paths = include_paths
        self._depth = 0  # of the conditions around the line in hand
        self._open: list[Path] = []  # the files around it
        self._guards: dict[Path, str] = {}  # of the files that ask to be included once
        self._certain: set[Path] = set()  # of those, what was included outside all conditions

    def lines(self, file: Path) -> Iterator[str]:
        """Of a file that is included."""
        if file in self._certain or file in self._open:
            return
        text = file.read_text(errors="replace")
        is_once = any(map(ONCE.match, text.splitlines()))
        if is_once and self._depth == 0:
            self._certain.add(file)
        if is_once:
            # The place before may lie in a condition that does not hold.
            guard = self._guards.setdefault(file, f"METALCORE_INCLUDED_{len(self._guards)}")
            yield f"#ifndef {guard}\n#define {guard}\n"
        self._open.append(file)
        yield from self.lines_of(text, file, file.parent)
        self._open.pop()
        if is_once:
            yield "#endif\n"

    def lines_of(self, text: str, name: Path, folder: Path | None) -> Iterator[str]:
        """Of a text whose includes in quotes are looked for in `folder` first."""
        yield _place(1, name)
        for number, line in enumerate(text.splitlines(), 1):
            if condition := CONDITION.match(line):
                self._depth += -1 if condition["end"] == "endif" else 1
            if ONCE.match(line):
                yield "\n"
            elif (found := _find(line, folder, self._include_paths)) is None:
                yield line + "\n"
            else:
                yield from self.lines(found)
                yield _place(number + 1, name)


def _find(line: str, folder: Path | None, include_paths: Sequence[Path]) -> Path | None:
    """The file that a line includes, if there is one."""
    include = INCLUDE.match(line)
    if include is None:
        return None
    name = include["quoted"] or include["angled"]
    own = [folder] if folder is not None and include["quoted"] else []
    places = (place / name for place in (*own, *include_paths))
    return next((place.resolve() for place in places if place.is_file()), None)


def _place(line: int, file: Path) -> str:
    name = str(file).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {line} "{name}"\n'
