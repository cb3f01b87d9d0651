"""`python -m metalcore demo`: its JSON, its table, its picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="the demo's table needs metalcore-compute[demo]")
pytest.importorskip("tqdm", reason="the demo's progress bar needs metalcore-compute[demo]")

KEYS = {
    "case",
    "mode",
    "cache",
    "import_ms",
    "first_ms",
    "second_ms",
    "process_ms",
    "warmup_stages",
}


STAGES = {"compiler", "codegen", "device", "library", "profile", "trial"}


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "metalcore", "demo", *arguments],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


@pytest.mark.slow
def test_json_table_and_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plot needs metalcore-compute[demo]")
    json_file, plot_file = tmp_path / "demo.json", tmp_path / "demo.png"
    result = demo("--repeat", "1", "--json", str(json_file), "--plot", str(plot_file))
    assert (result.returncode, result.stderr) == (0, "")

    cases = json.loads(json_file.read_text())["cases"]
    modes = ("off", "at_once", "waited")
    assert [(row["case"], row["mode"], row["cache"]) for row in cases] == [
        *(("builtin", mode, "empty") for mode in modes),
        *(("custom", mode, "empty") for mode in modes),
        *(("custom", mode, "filled") for mode in modes),
        ("program", "at_once", "empty"),
        ("program", "at_once", "filled"),
    ]
    for row in cases:
        assert row.keys() == KEYS
        assert 0 < row["second_ms"]
        assert row["import_ms"] + row["first_ms"] + row["second_ms"] < row["process_ms"]
        assert set(row["warmup_stages"]) <= STAGES
        if row["mode"] == "waited":
            assert set(row["warmup_stages"]) == STAGES

    for promised in (
        "Metal.jl PR 721",
        "1.75 s",
        "0.2 s",
        "0.035 s",
        "warm-up off",
        "built-in fill",
    ):
        assert promised in result.stdout
    assert plot_file.read_bytes().startswith(b"\x89PNG")


def test_wrong_arguments() -> None:
    assert "0 is not positive" in demo("--repeat", "0").stderr
    assert demo("--no-such-option").returncode == 2


def test_missing_module_is_named(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "from metalcore.__main__ import main\n"
        "sys.exit(main(['demo', '--plot', 'x.png']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert result.returncode == 1
    assert "needs matplotlib; install metalcore-compute[demo]" in result.stderr
