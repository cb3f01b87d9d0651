"""Prints how many lines of warm-up, cache and preferences the tests ran; `make coverage` calls it.

    coverage_report.py BUILD_TREE

BUILD_TREE/counts holds what the instrumented libraries and coverage.py wrote. Exits with 1 below
the limit. The lines that no test ran are listed in BUILD_TREE/missed.txt.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 95  # percent of the lines, for each language

# What counts, by area: patterns of files below csrc and python/metalcore.
CXX = {
    "warm-up": (
        "bindings/bind_warmup.*",
        "core/compile_pool.*",  # where its pipelines are built
        "core/compiler_exercise.*",
        "core/delayed_call.*",  # saves the profile, now and then
        "core/kernel_builds.*",
        "core/profile_*",
        "core/program_profile.*",
        "core/single_flight.*",
        "core/warmup*",
        "include/metalcore/warmup.*",
    ),
    "cache": (
        "bindings/bind_cache.*",
        "core/background_writer.*",
        "core/binary_archive.*",
        "core/cache*",
        "core/linux/private_file.*",
        "core/pipeline_cache.*",
        "core/pipeline_store.*",
        "core/private_file.*",
        "hostmetal/api/binary_archive*",
        "hostmetal/api/kernel_archive.*",
        "hostmetal/api/library_cache.*",
        "hostmetal/image/archive.*",
        "hostmetal/image/code_object.*",  # what an archive keeps of a kernel
        "include/metalcore/cache.*",
        "support/checksum.*",
        "support/disk_*",
        "support/file_*",
        "support/linux/build_id.*",  # the compiler's identity, a part of every key
        "support/linux/file_time.*",
        "support/linux/sha256.*",
        "support/replace_file.*",
        "support/request_key.*",
        "support/sha256.*",
    ),
    "preferences": (
        "bindings/bind_preferences.*",
        "core/linux/platform.*",  # where the files are, and what Metal is told
        "core/platform.*",
        "core/preferences*",
        "include/metalcore/preferences.*",
    ),
}
PYTHON = {
    "warm-up": ("_cli/warmup.py", "_progress.py", "_warmup.py"),
    "cache": ("_cli/cache.py", "cache.py"),
    "preferences": ("_cli/preferences.py", "preferences.py"),
}
NOT_COUNTED = "csrc/core/apple, csrc/support/apple: neither built nor run on this platform"

Row = tuple[str, int, int]  # file, lines that can run, lines that did


def run(*command: str | Path) -> str:
    """What a program prints. Its warnings count only where it fails: llvm-cov's are of functions
    that one source sees and does not use, coverage.py's of files that killed processes left.
    """
    result = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        raise SystemExit(f"error: {command[0]} failed: {result.stderr.strip()}")
    return result.stdout


def files(folder: str, areas: dict[str, tuple[str, ...]]) -> list[Path]:
    """The files that count; every pattern must have one."""
    found = []
    for pattern in (pattern for patterns in areas.values() for pattern in patterns):
        matches = sorted((ROOT / folder).glob(pattern))
        if not matches:
            raise SystemExit(f'No file matches the pattern "{folder}/{pattern}".')
        found += matches
    return found


def cxx_rows(tree: Path) -> Iterator[Row]:
    """By clang's counters, in all libraries and tests that have some."""
    profile = tree / "counts" / "cxx.profdata"
    run("llvm-profdata-19", "merge", "-o", profile, *(tree / "counts").glob("*.profraw"))
    libraries = (tree / "metalcore").glob("*.so")
    binaries = sorted(path for path in libraries if path.name != "libhostmetal-compiler.so")
    binaries += sorted(path for path in (tree / "tests/cpp").rglob("*_test") if path.is_file())
    of_binaries = [part for binary in binaries for part in ("-object", str(binary))][1:]
    arguments = (f"-instr-profile={profile}", *of_binaries)
    exported = json.loads(run("llvm-cov-19", "export", "-summary-only", *arguments))
    summaries = {Path(file["filename"]): file["summary"] for file in exported["data"][0]["files"]}
    missed = []
    for file in files("csrc", CXX):
        if file in summaries:  # else it has no code
            lines = summaries[file]["lines"]
            yield str(file.relative_to(ROOT)), lines["count"], lines["covered"]
            if lines["covered"] < lines["count"]:
                missed.append(file)
    with (tree / "missed.txt").open("w") as text:
        if missed:
            text.write(run("llvm-cov-19", "show", *arguments, *missed))


def python_rows(tree: Path) -> Iterator[Row]:
    """By coverage.py."""
    coverage = (sys.executable, "-m", "coverage")
    run(*coverage, "combine", "--quiet")
    include = ",".join(str(file) for file in files("python/metalcore", PYTHON))
    report = tree / "counts" / "report.json"
    run(*coverage, "json", "--quiet", f"--include={include}", "-o", report)
    with (tree / "missed.txt").open("a") as text:
        text.write(run(*coverage, "report", "--show-missing", f"--include={include}"))
    for file, data in json.loads(report.read_text())["files"].items():
        yield file, data["summary"]["num_statements"], data["summary"]["covered_lines"]


def percent(lines: int, covered: int) -> float:
    return 100 * covered / lines if lines else 100.0


def print_table(language: str, rows: list[Row]) -> bool:
    """Whether the total reaches the limit."""
    total = f"{language} in total", sum(row[1] for row in rows), sum(row[2] for row in rows)
    for name, lines, covered in [*sorted(rows), total]:
        print(f"{name:52} {lines:6} {lines - covered:6} {percent(lines, covered):7.1f}")
    return percent(*total[1:]) >= LIMIT


def main() -> int:
    tree = ROOT / sys.argv[1]
    print(f"{'file':52} {'lines':>6} {'missed':>6} {'percent':>7}")
    is_enough = [
        print_table("C++", list(cxx_rows(tree))),
        print_table("Python", list(python_rows(tree))),
    ]
    print(f"not counted: {NOT_COUNTED}")
    print(f"The lines that no test runs are in {tree.relative_to(ROOT)}/missed.txt.")
    if not all(is_enough):
        print(f"error: less than {LIMIT} % of the lines are run.", file=sys.stderr)
    return 0 if all(is_enough) else 1


if __name__ == "__main__":
    raise SystemExit(main())
