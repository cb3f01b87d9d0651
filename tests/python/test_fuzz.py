"""The fuzz of tests/fuzz in its short form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"


@pytest.mark.slow
def test_mutated_sources_harm_nothing(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, str(FUZZ), "--short", "--keep", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    last = result.stdout.splitlines()[-1]
    assert re.fullmatch(r"fuzz: \d+ cases, seed \d+, .*; 0 faults", last), last
    assert int(last.split()[1]) > 20
