"""The examples in the docstrings of the extension module's classes."""

from __future__ import annotations

import doctest

import pytest

import metalcore as mc

DOCUMENTED = {
    name: getattr(mc.Array, name).__doc__
    for name in dir(mc.Array)
    if ">>>" in (getattr(mc.Array, name).__doc__ or "")
}


def test_public_methods_have_examples() -> None:
    methods = {
        name
        for name in dir(mc.Array)
        if not name.startswith("_") and callable(getattr(mc.Array, name))
    }
    assert methods == set(DOCUMENTED)


@pytest.mark.parametrize(("name", "text"), [("Array", mc.Array.__doc__), *DOCUMENTED.items()])
def test_examples(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
