"""The soak of tests/soak in its short form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[1] / "soak"


@pytest.mark.slow
def test_launches_and_compiles_leave_nothing_behind() -> None:
    result = subprocess.run(
        [sys.executable, str(SOAK), "--short"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    last = result.stdout.splitlines()[-1]
    done = r"\d{3,} %s \(heap .*, rss .*, 0 objects left\)"
    assert re.fullmatch(f"soak: {done % 'launches'}, {done % 'compiles'}; 0 faults", last), last
