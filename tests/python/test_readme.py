"""The README's example does what its comment says."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def test_example(run_python) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    (promised,) = re.findall(r"waits: (\[.*\])$", example, re.MULTILINE)
    result = run_python(example)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == promised + "\n"


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text())
    local = [link for link in links if "://" not in link]
    assert local
    for link in local:
        assert (README.parent / link).exists(), link
