"""The examples in the package's docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import metalcore

MODULES = ["metalcore"] + [
    f"metalcore.{module.name}"
    for module in pkgutil.iter_modules(metalcore.__path__)
    if module.name not in ("_core", "__main__")
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
