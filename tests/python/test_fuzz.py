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
    assert result.stdout.splitlines()[-1] == "fuzz: 0 faults", result.stdout
    (run,) = re.findall(r"^fuzz: (\d+) sources, seed \d+: ", result.stdout, re.MULTILINE)
    assert int(run) > 20
