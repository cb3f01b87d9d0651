"""The examples in the package's docstrings."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import metalcore

# Modules of Python; shared libraries lie in the same folder.
MODULES = ["metalcore"] + [
    f"metalcore.{path.stem}"
    for path in sorted(Path(metalcore.__file__).parent.glob("*.py"))
    if not path.stem.startswith("__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    results = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert results.failed == 0


def test_some_docstring_has_examples() -> None:
    finder = doctest.DocTestFinder()
    modules = [importlib.import_module(name) for name in MODULES]
    assert any(test.examples for module in modules for test in finder.find(module))
