"""Cases that run in child processes, and what became of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
LIMIT = 120.0  # seconds until a process counts as hung

RIGHT, WRONG, LOST, NOT_MENDED = 0, 3, 4, 5


@dataclass
class Tally:
    """Counts of cases. A hang counts as a crash."""

    cases: int = 0
    crashes: int = 0
    wrong: int = 0
    lost: int = 0
    invalid: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, code: int, text: str = "") -> None:
        """One case more, by the exit code of its process."""
        self.cases += 1
        if code == RIGHT:
            return
        kind = {WRONG: "wrong", LOST: "lost", NOT_MENDED: "invalid"}.get(code, "crashes")
        setattr(self, kind, getattr(self, kind) + 1)
        self.notes.append(f"{name}: {kind} (exit code {code}) {text}".strip())

    def merge(self, other: Mapping[str, object]) -> None:
        """The counts of a worker."""
        for name, value in other.items():
            setattr(self, name, getattr(self, name) + value)

    def is_clean(self) -> bool:
        """Nothing went wrong."""
        return not (self.crashes or self.wrong or self.lost or self.invalid)

    def summary(self) -> str:
        """The last line of the drill."""
        valid = "valid" if not self.invalid else f"invalid {self.invalid} times"
        return (
            f"faults: {self.cases} cases, {self.crashes} crashes, {self.wrong} wrong results, "
            f"{self.lost} lost kernels; cache {valid}"
        )


def judge(check: Callable[[], bool], is_mended: Callable[[], bool] | None = None) -> int:
    """The exit code of a case: whether its result is right, and then the cache."""
    try:
        if not check():
            return WRONG
        if is_mended is None:
            return RIGHT
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if is_mended():
                return RIGHT
            time.sleep(0.0005)
    except Exception:
        traceback.print_exc()
        return LOST
    return NOT_MENDED


def forked(check: Callable[[], bool], is_mended: Callable[[], bool] | None = None) -> int:
    """Runs a case in a forked child: its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = judge(check, is_mended)
        finally:
            os._exit(code)
    deadline = time.monotonic() + LIMIT
    pause = 0.0002
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGALRM
        time.sleep(pause)
        pause = min(pause * 1.5, 0.005)


def environment(cache: Path, **more: str) -> dict[str, str]:
    """The variables of a process with a cache of its own."""
    return {
        **os.environ,
        "METALCORE_CACHE": "true",
        "METALCORE_CACHE_DIR": str(cache),
        "METALCORE_WARMUP": "false",
        "METALCORE_WARMUP_PROFILE": "false",
        **more,
    }


def start(cache: Path, *arguments: object) -> subprocess.Popen[str]:
    """Starts a fresh process of program.py."""
    return subprocess.Popen(
        [sys.executable, str(HERE / "program.py"), *map(str, arguments)],
        env=environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Waits for its end: exit code, output, errors."""
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return -signal.SIGALRM, out, err
    return process.returncode, out, err


def run(cache: Path, *arguments: object) -> tuple[int, str, str]:
    """A fresh process of program.py to its end."""
    return finish(start(cache, *arguments))
