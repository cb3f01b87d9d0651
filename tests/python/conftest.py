"""Fixtures of all Python tests: fresh random numbers, and programs run in fresh processes."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

# What tests do is no program's habit; those of the profile switch it on.
os.environ.setdefault("METALCORE_WARMUP_PROFILE", "false")

# A shell's background jobs ignore the signal, and so would the programs that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

SEED_VARIABLE = "METALCORE_TEST_SEED"

# Before the tests import metalcore: they and the processes that they start keep nothing in the
# user's own cache, and find nothing in it.
CACHE = tempfile.TemporaryDirectory(prefix="metalcore-cache-")
os.environ["METALCORE_CACHE_DIR"] = CACHE.name


@pytest.fixture
def rng() -> np.random.Generator:
    """Fresh random numbers; a failing test prints the seed that repeats them."""
    seed = int(os.environ.get(SEED_VARIABLE) or secrets.randbits(32))
    print(f"{SEED_VARIABLE}={seed}")
    return np.random.default_rng(seed)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_python() -> Run:
    """Runs a program (its text, or a file) to its end in a fresh interpreter.

    Keyword arguments are additional environment variables.
    """

    def run(
        program: str | Path, *, timeout: float = 120, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        how = [str(program)] if isinstance(program, Path) else ["-c", program]
        return subprocess.run(
            [sys.executable, *how],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
