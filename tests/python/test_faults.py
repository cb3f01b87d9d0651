"""The fault drill of tests/faults in its short form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DRILL = Path(__file__).resolve().parents[1] / "faults"


def test_nothing_that_happens_to_the_cache_matters() -> None:
    result = subprocess.run(
        [sys.executable, str(DRILL), "--short"],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert re.fullmatch(
        r"faults: \d{3,} cases, 0 crashes, 0 wrong results, 0 lost kernels; cache valid",
        result.stdout.strip(),
    ), result.stdout + result.stderr
    assert result.returncode == 0
