"""The committed stub says what the extension module has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STUB = Path(__file__).resolve().parents[2] / "python" / "metalcore" / "_core.pyi"


def test_stub_is_current(tmp_path: Path) -> None:
    """`python -m nanobind.stubgen -m metalcore._core -o python/metalcore/_core.pyi` mends it."""
    pytest.importorskip("nanobind", reason="the stub generator comes with nanobind")
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "metalcore._core", "-o", fresh],
        check=True,
    )
    assert STUB.read_text() == fresh.read_text()
