"""The tool that compiles folders of kernels, and ggml's kernels through it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalcore.tools.corpora.causes import cause_of, ranked
from metalcore.tools.corpora.command import ProgressLines
from metalcore.tools.corpora.folder import units_of
from metalcore.tools.corpora.includes import flatten
from metalcore.tools.corpora.report import Report
from metalcore.tools.corpora.run import Selection, run
from metalcore.tools.corpora.unit import Failure, Outcome, Unit

ROOT = Path(__file__).resolve().parents[2]
CLANG = shutil.which("clang-19") or shutil.which("clang")


def write(folder: Path, files: dict[str, str]) -> Path:
    """The folder with these files in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def corpora(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The tool in a process of its own."""
    command = [sys.executable, "-m", "metalcore.tools.corpora", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def outcomes(*arguments: object) -> tuple[dict[str, Any], dict[str, dict[str, Any]], int]:
    """Its report, the outcomes by file, and the exit code."""
    done = corpora(*arguments, "--json")
    report = json.loads(done.stdout)
    return report, {each["unit"]: each for each in report["outcomes"]}, done.returncode


# ---- includes


def preprocessed(file: Path, *options: str) -> list[str]:
    """What clang's preprocessor makes of a file, without its line marks."""
    assert CLANG is not None
    command = [CLANG, "-E", "-P", "-x", "c++", "-nostdinc", *options, str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return text.split()


def random_header(name: str, others: list[str], rng: np.random.Generator) -> str:
    """Includes some others, under conditions or not, once or under a guard."""
    guarded = bool(rng.integers(2))
    lines = [f"#ifndef GUARD_{name}\n#define GUARD_{name}" if guarded else "#pragma once"]
    for other in others:
        include = f'#include "{other}.h"' if rng.integers(2) else f"#include <sub/{other}.h>"
        condition = rng.choice(["", "#ifdef SOME", "#if 0", "#ifndef SOME"], p=[0.4, 0.2, 0.2, 0.2])
        lines.append(f"{condition}\n{include}\n#endif" if condition else include)
    lines.append(f"int {name}_{rng.integers(1000)};")
    return "\n".join(lines + ["#endif"] * guarded) + "\n"


@pytest.mark.skipif(CLANG is None, reason="compares with clang's preprocessor")
@pytest.mark.parametrize("options", [[], ["-DSOME"]])
def test_includes_are_put_in_place(
    tmp_path: Path, rng: np.random.Generator, options: list[str]
) -> None:
    """As the preprocessor does it, for random headers that include each other."""
    for number in range(20):
        names = [f"h{index}" for index in range(8)]
        files = {}
        for index, name in enumerate(names):
            later = names[index + 1 :]
            others = list(rng.choice(later, rng.integers(0, min(4, len(later) + 1)), replace=False))
            files[f"sub/{name}.h"] = random_header(name, others, rng)
        mains = "".join(f"#include <sub/{name}.h>\n" for name in rng.choice(names, 4))
        folder = write(tmp_path / str(number), {**files, "main.metal": mains + "int end;\n"})
        flat = write(folder, {"flat.cpp": flatten(folder / "main.metal", [folder])}) / "flat.cpp"
        expected = preprocessed(folder / "main.metal", f"-I{folder}", *options)
        assert preprocessed(flat, *options) == expected


def test_errors_name_the_header_s_line(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "a.metal": '#include "b.h"\nkernel void a(device int *x) { *x = two(); }\n',
            "b.h": "#pragma once\n// a comment\nint two() { return qqqqqqqqqqqqqqqq; }\n",
        },
    )
    _, files, code = outcomes(folder)
    assert code == 1
    (failure,) = files["a.metal"]["failures"]
    assert failure["message"].startswith(f"{folder.resolve()}/b.h:3:20: error: ")
    assert failure["cause"] == "use of undeclared identifier '…'"


# ---- what passes and what does not


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A folder with one of each kind of file."""
    return write(
        tmp_path,
        {
            "good.metal": '#include "shared.metal"\n'
            + "".join(
                f"kernel void k{n}(device int *x) {{ *x = shared({n}); }}\n" for n in range(5)
            ),
            "shared.metal": "inline int shared(int x) { return x + UNKNOWN_HERE; }\n",
            "sub/constants.metal": "constant int n [[function_constant(0)]];\n"
            "constant float f [[function_constant(1)]];\n"
            "kernel void fine(device int *x) { *x = n * f; }\n"
            "kernel void too_much(device int *x) {\n"
            "  threadgroup int all[10000]; all[*x] = 1; *x = all[0]; }\n",
            "wrong.metal": "kernel void w(device int *x) { x = 1.5; }\n",
            "newer.metal": "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n",
        },
    )


def test_folder(mixed: Path) -> None:
    report, files, code = outcomes(mixed, "-D", "UNKNOWN_HERE=2", "--constant", "n=3")
    assert code == 1
    assert not report["ok"]
    assert list(files) == ["good.metal", "newer.metal", "sub/constants.metal", "wrong.metal"]
    assert files["good.metal"]["passed"] == files["good.metal"]["kernels"] == 5
    assert files["newer.metal"]["beyond"] == "Metal 4"
    assert not files["newer.metal"]["failures"]
    constants = files["sub/constants.metal"]
    assert (constants["passed"], constants["kernels"], constants["stand_ins"]) == (1, 2, 1)
    assert [each["kernel"] for each in constants["failures"]] == ["too_much"]
    assert files["wrong.metal"]["kernels"] is None
    assert (report["passed"], report["failed"]) == (6, 2)
    assert [each["count"] for each in report["causes"]] == [1, 1]


def test_text(mixed: Path) -> None:
    done = corpora(mixed, "-D", "UNKNOWN_HERE=2")
    assert done.returncode == 1
    assert done.stderr == ""
    table, causes, total = done.stdout.split("\n\n")
    rows = {line.split()[0]: line.split()[1] for line in table.splitlines()}
    assert rows == {
        "good.metal": "5/5",
        "newer.metal": "-",
        "sub/constants.metal": "1/2",
        "wrong.metal": "0/?",
    }
    assert causes.startswith("Causes of the 2 failures:")
    assert total.startswith("6 of 7 kernels are code; 1 of 3 files; 1 more need Metal 4; ")


def test_all_good(mixed: Path) -> None:
    report, _, code = outcomes(mixed / "good.metal", "-D", "UNKNOWN_HERE=2")
    assert (code, report["ok"], report["passed"]) == (0, True, 5)


def test_what_metal_refuses_is_listed_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """And a kernel that is expected to be refused, and is not, has failed."""
    text = "".join(
        f"kernel void {name}(device int *x) {{ threadgroup int all[{size}]; all[*x] = 1; "
        "*x = all[x[1]]; }\n"
        for name, size in {"large": 10_000, "small": 10, "other": 9000, "fine": 100}.items()
    )
    (outcome,) = run([Unit("unit", lambda: text, refused="^large$|^small$")], 2)
    assert (outcome.passed, outcome.wanted) == (1, 4)
    assert [failure.kernel for failure in outcome.refused] == ["large"]
    assert "declares 40000 bytes of threadgroup memory" in outcome.refused[0].message
    assert {failure.kernel for failure in outcome.failures} == {"small", "other"}
    report = Report([outcome])
    assert not report.ok
    assert (report.as_dict()["failed"], report.as_dict()["refused"]) == (2, 1)
    report.print()
    printed = capsys.readouterr().out
    assert "Pipelines that Metal refuses, too (1):" in printed
    assert "1 of 4 kernels are code; 1 more, of pipelines that Metal refuses, too; " in printed


def test_progress_in_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report()
    monkeypatch.setattr(ProgressLines, "SECONDS", 0.0)
    with ProgressLines(report) as progress:
        report.outcomes.append(Outcome("a.metal", kernels=3, wanted=3, passed=3))
        progress.update(3, 10, "b.metal")
        progress.update(4, 10, "b.metal")
        monkeypatch.setattr(ProgressLines, "SECONDS", 1000.0)
        progress.update(5, 10, "b.metal")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].split()[:2] == ["a.metal", "3/3"]
    assert [line.partition(";")[0] for line in lines[1:]] == [
        "3 kernels so far, 7 left of b.metal",
        "4 kernels so far, 6 left of b.metal",
    ]


def test_selection(mixed: Path, rng: np.random.Generator) -> None:
    report, _, code = outcomes(
        mixed / "good.metal", "-D", "UNKNOWN_HERE=2", "--only", "k[1-3]", "--limit", 2
    )
    assert (code, report["kernels"], report["wanted"], report["passed"]) == (0, 5, 2, 2)
    names = [f"kernel_{n}" for n in range(100)]
    limit = int(rng.integers(1, 50))
    first = Selection("[02468]$", limit, 1).of("a", names)
    assert len(first) == limit
    assert all(int(name[-1]) % 2 == 0 for name in first)
    assert first == sorted(first, key=names.index)
    assert first == Selection("[02468]$", limit, 1).of("a", names)
    assert {name for seed in range(50) for name in Selection("", 5, seed).of("a", names)} != set(
        first
    )


def test_parts_of_other_files_are_no_units(mixed: Path) -> None:
    assert "shared.metal" not in [unit.name for unit in units_of(mixed)]


@pytest.mark.parametrize(
    "wrong", [["missing"], ["."], ["--limit", "-1", "."], ["--only", "(", "."]]
)
def test_wrong_arguments(tmp_path: Path, wrong: list[str]) -> None:
    done = corpora(*[tmp_path / each if each in ("missing", ".") else each for each in wrong])
    assert done.returncode != 0
    assert done.stdout == ""
    assert "error:" in done.stderr
    assert "Traceback" not in done.stderr


def test_causes_are_ranked_by_number() -> None:
    failures = [
        Failure(None, cause_of(message), message)
        for message in (
            "a.metal:1:2: error: unknown type name 'x'",
            "b.metal:3:4: error: unknown type name 'another'",
            "c.metal:3:4: error: no template named 'texture2d'",
            'Pipeline "p" cannot be built: it needs 40000 bytes.',
        )
    ]
    assert [(cause, count) for cause, count, _ in ranked(failures)] == [
        ("unknown type name '…'", 2),
        ("textures and samplers", 1),
        ("Pipeline '…' cannot be built: it needs N bytes.", 1),
    ]


# ---- ggml


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ggml_compiles() -> None:
    """The front end takes all of its kernels; of each file some become code, drawn anew."""
    seed = os.environ.get("METALCORE_TEST_SEED") or str(np.random.default_rng().integers(1 << 31))
    print(f"METALCORE_TEST_SEED={seed}")
    command = [sys.executable, str(ROOT / "tests" / "corpora"), "--project", "ggml", "--json"]
    done = subprocess.run(
        [*command, "--limit", "2", "--seed", seed], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    assert report["causes"] == []
    assert done.returncode == 0
    assert report["files"] == 34
    assert report["kernels"] > 1000
    assert report["passed"] == report["wanted"] >= 34
