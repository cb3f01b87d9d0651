"""Wrong programs of tests/msl_errors: each is refused with exactly the diagnostics that it names.

A line of a program ends in what the compiler is to say of it: `//! error@5: text`, several of them
one after the other. The number is the column; before it may be how many lines lie between, as in
`//! error-1@5: text`. Nothing else may be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import metalcore as mc

PROGRAMS = sorted((Path(__file__).resolve().parents[1] / "msl_errors").glob("*.metal"))
EXPECTED = re.compile(r"//! (fatal error|error|warning|note)(-\d)?@(\d+): (.*?) *(?=//!|$)")
FOUND = re.compile(r"([^\n]*?):(\d+):(\d+): (fatal error|error|warning|note): (.*)")
# What stands for MSL's words and for our headers inside of the compiler.
INTERNAL = re.compile(
    r"__(?:global|local|private)(?:_host)?\b|opencl|OpenCL|sycl|SYCL|ext_vector_type|__bf16|_Float16|/metal/"
    r"|msl[._]|__metal_|__detail|scratch space|address space '\d|-frtti|use -f|'-f"
)

Diagnostic = tuple[int, int, str, str]  # line, column, severity, text


def expected(source: str) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.splitlines(), 1):
        for severity, above, column, text in EXPECTED.findall(line):
            yield number + int(above or 0), int(column), severity, text


def check_quotes(source: list[str], diagnostics: str) -> Iterator[Diagnostic]:
    """What is in the text; each with its line of the source and a caret below the column."""
    lines = diagnostics.splitlines()
    before = (0, 0)
    for number, line in enumerate(lines):
        match = FOUND.fullmatch(line)
        if match is None:
            continue
        assert match[1] == "program_source", line
        at, column = int(match[2]), int(match[3])
        if number + 2 < len(lines) and " | " in lines[number + 1]:
            margin, quoted = lines[number + 1].split(" | ", 1)
            assert (int(margin), quoted) == (at, source[at - 1])
            mark = lines[number + 2].split("| ", 1)[1]
            # Columns count bytes, carets what a terminal shows.
            assert not quoted.isascii() or mark[column - 1] == "^", diagnostics
        else:
            # A note may have none; what is said of one place has it once.
            assert match[4] == "note" or (at, column) == before, diagnostics
        before = at, column
        yield at, column, match[4], match[5]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_is_refused(path: Path) -> None:
    source = path.read_text()
    wanted = sorted(expected(source))
    assert any("error" in severity for _, _, severity, _ in wanted)
    with pytest.raises(mc.CompileError) as caught:
        mc.compile(source)
    diagnostics = caught.value.diagnostics
    assert sorted(check_quotes(source.splitlines(), diagnostics)) == wanted
    assert not INTERNAL.search(re.sub(r"\n *\d* \| .*", "", diagnostics)), diagnostics
    assert "error: " in str(caught.value)


def test_there_are_many() -> None:
    assert len(PROGRAMS) >= 80
