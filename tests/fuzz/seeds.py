"""Sources to begin with: those of the tests, right and wrong, and the built-in kernels."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("shaders", "tests/msl_errors")
HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"
LONGEST = 16_384  # bytes; more would only be slow
KERNEL = re.compile(r"\bkernel\b")
RAW_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
PLAIN_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
BETWEEN = re.compile(r'"\s*"')


def _python_texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _cxx_texts(path: Path) -> Iterator[str]:
    text = path.read_text()
    for match in RAW_STRING.finditer(text):
        yield match[2]
    for match in PLAIN_STRINGS.finditer(RAW_STRING.sub("", text)):
        yield BETWEEN.sub("", match[0])[1:-1].replace(r"\n", "\n").replace(r"\"", '"')


def _texts() -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.metal")):
            text = path.read_bytes().decode("latin-1")
            for header in (ROOT / folder).glob("*.h"):
                text = text.replace(f'#include "{header.name}"', header.read_text())
            yield text
    for path in sorted((ROOT / "tests/python").glob("*.py")):
        yield from _python_texts(path)
    for path in sorted((ROOT / "tests/cpp").rglob("*.cpp")):
        yield from _cxx_texts(path)


def seeds() -> list[bytes]:
    """All of them, without repetition, in an order that depends on the files alone."""
    found = dict.fromkeys(
        # Many tests put the header before their kernels when they compile them.
        (text if "#include" in text else HEADER + text).encode("latin-1", "replace")
        for text in _texts()
        if KERNEL.search(text) and "{" in text and "import " not in text and len(text) <= LONGEST
    )
    return list(found)
