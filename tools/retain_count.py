"""Runs clang's retain-count checker over a build's Objective-C++ sources; exits 1 on a finding.

Those of the tests are left out: they take half of the time.

usage: retain_count.py COMPILE_COMMANDS
"""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ANALYSIS = shlex.split(
    "--analyze -Xclang -analyzer-checker=osx.cocoa.RetainCount,core -Xclang -analyzer-output=text"
)


def analyse(entry: dict[str, str]) -> str:
    """The analyser's findings in one source file, as text; empty when there are none."""
    arguments = shlex.split(entry["command"])
    output = arguments.index("-o")
    del arguments[output : output + 2]
    arguments.remove("-c")
    result = subprocess.run(
        [*arguments, *ANALYSIS],
        cwd=entry["directory"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = result.returncode != 0 or "warning:" in result.stderr
    return result.stderr if found else ""


def main() -> int:
    entries = json.loads(Path(sys.argv[1]).read_text())
    sources = [
        entry for entry in entries if entry["file"].endswith(".mm") and "/csrc/" in entry["file"]
    ]
    if not sources:
        print(f"{sys.argv[1]} names no Objective-C++ source.", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        findings = [text for text in pool.map(analyse, sources) if text]
    for text in findings:
        print(text, file=sys.stderr)
    print(f"retain count: {len(sources)} sources analysed, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
