"""A static of a function that is made on first use has a lock, which a fork must not cut."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "csrc"

# The compiler is entered within a Section only; the bindings hold the GIL, which a fork needs too.
EXEMPT = ("hostmetal/compiler", "bindings")

# Neither what is made at load, nor a member function.
ON_FIRST_USE = re.compile(
    r"^\s+static (?!constexpr|constinit|std::atomic|std::once_flag)(?!.*\)( const)? \{$).*[=({]"
)


def test_statics_are_made_within_a_section() -> None:
    found, unguarded = 0, []
    for path in sorted(SOURCES.rglob("*")):
        name = path.relative_to(SOURCES).as_posix()
        if path.suffix not in {".cpp", ".mm"} or name.startswith(EXEMPT):
            continue
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if not ON_FIRST_USE.match(line):
                continue
            found += 1
            if not any("fork::Section" in before for before in lines[max(0, number - 3) : number]):
                unguarded.append(f"{name}:{number + 1}: {line.strip()}")
    assert unguarded == []
    assert found > 15
