"""Headers that a source includes by name, given as texts."""

from __future__ import annotations

import re

import numpy as np
import pytest

import metalcore as mc

KERNEL = """
kernel void f(device float *x, uint i [[thread_position_in_grid]]) {
  x[i] = VALUE;
}
"""


def run(source: str, headers: dict[str, str]) -> float:
    x = np.zeros(3, np.float32)
    mc.compile(source, headers=headers).f(x, threads=3)
    assert (x == x[0]).all()
    return float(x[0])


def test_headers_are_found_by_name() -> None:
    headers = {
        "a.h": "#include <parts/b.h>\n#define VALUE (B + C)",  # no line end at the end
        "parts/b.h": '#pragma once\n#include "c.h"\n#define B 40\n',
        "parts/c.h": "#define C 2\n",
        "c.h": "#define C 1000\n",
        "unused.h": "#error unused",
    }
    assert run('# include "a.h"  // why\n' + KERNEL, headers) == 42
    # In a comment, it is none.
    assert run('/*\n#include "unused.h"\n*/\n#define VALUE 7\n' + KERNEL, headers) == 7


def test_a_header_counts_once_where_it_says_so() -> None:
    once = "#pragma once\nconstant float value = 3;\n#define VALUE value\n"
    guard = '#ifndef A_H\n#define A_H\n#include "a.h"\nconstant float value = 4;\n#endif\n'
    plain = "ADD(1) ADD(2)\n"
    assert run('#include "a.h"\n#include "a.h"\n' + KERNEL, {"a.h": once}) == 3
    # Its first place is skipped by the preprocessor.
    assert run('#if 0\n#include "a.h"\n#endif\n#include "a.h"\n' + KERNEL, {"a.h": once}) == 3
    assert (
        run('#include "a.h"\n#include "a.h"\n#define VALUE value\n' + KERNEL, {"a.h": guard}) == 4
    )
    sums = '#define ADD(x) + x\nconstant float sum = 0\n#include "a.h"\n#include "a.h"\n;\n'
    assert run(sums + "#define VALUE sum\n" + KERNEL, {"a.h": plain}) == 6


def test_other_text_is_another_library() -> None:
    source = '#include "value.h"\n' + KERNEL
    for value in (1, 2, 1):
        assert run(source, {"value.h": f"#define VALUE {value}\n"}) == value


def test_errors_name_the_header_and_its_line() -> None:
    headers = {
        "a.h": '#include "b.h"\n\nfloat a() { return missing; }\n',
        "b.h": "#pragma once\n\n",
    }
    with pytest.raises(mc.CompileError, match=r"a\.h:3:20: error: use of undeclared") as caught:
        mc.compile('\n#include "a.h"\nkernel void f() { wrong; }\n', headers=headers)
    text = caught.value.diagnostics
    assert "In file included from program_source:2:\na.h:3:20: error: " in text
    assert "    3 | float a() { return missing; }\n" in text
    assert "program_source:3:19: error: use of undeclared identifier 'wrong'" in text


@pytest.mark.parametrize(
    ("source", "headers", "message"),
    [
        ('#include "a.h"', {"a.h": '#include "a.h"\n'}, 'The header "a.h" includes itself'),
        ("", {"": ""}, 'A header cannot have the name "".'),
        ("", {'a"b': ""}, 'A header cannot have the name "a"b".'),
        ("", {"a\nb": ""}, "A header cannot have the name"),
        (
            '#include "a"',
            {
                **{chr(97 + i): f'#include "{chr(98 + i)}"\n' * 9 for i in range(11)},
                "l": " " * 1000,
            },
            "The source with its headers is larger than the limit (64 MiB).",
        ),
    ],
    ids=["endless", "no name", "quote", "line", "large"],
)
def test_wrong_headers(source: str, headers: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        mc.compile(source, headers=headers)


def test_headers_are_texts() -> None:
    with pytest.raises(TypeError, match="A header must be a str"):
        mc.compile("", headers={"a.h": 1})  # type: ignore[dict-item]
    with pytest.raises(mc.CompileError, match=r"'a\.h' file not found"):
        mc.compile('#include "a.h"\n', headers={"b.h": ""})
