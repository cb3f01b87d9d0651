"""Many processes on one cache, killed at random moments, and a cache that is deleted meanwhile."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import kernels
from outcome import NOT_MENDED, RIGHT, Tally, finish, run, start

Progress = Callable[[int], None]


def killed(cache: Path, processes: int, count: int, progress: Progress) -> Tally:
    """Every second process is killed; the others and the cache must not notice."""
    tally = Tally()
    running = [start(cache, 0, count, "shuffle") for _ in range(processes)]
    begin = time.monotonic()
    moments = {
        index: begin + random.uniform(0.3, 1.0 + 0.1 * count) for index in range(0, processes, 2)
    }
    while moments:
        for index, moment in list(moments.items()):
            if time.monotonic() >= moment:
                running[index].send_signal(signal.SIGKILL)
                del moments[index]
        time.sleep(0.002)
    for index, process in enumerate(running):
        code, _, err = finish(process)
        is_killed = index % 2 == 0 and code == -signal.SIGKILL
        tally.add(f"process {index} of {processes}", RIGHT if is_killed else code, err)
        progress(1)
    tally.merge(vars(complete(cache, count)))
    progress(1)
    return tally


def complete(cache: Path, count: int) -> Tally:
    """Whether every kernel is right, and kept after that."""
    tally = Tally()
    for _ in range(2):  # what the killed ones had not kept yet
        code, _, err = run(cache, 0, count)
        tally.add("after the crowd", code, err)
    code, out, err = run(cache, 0, count)
    stats = json.loads(out) if code == RIGHT else {}
    if code == RIGHT and (stats["hits"], stats["damaged"]) != (count, 0):
        code, err = NOT_MENDED, str(stats)
    tally.add("the kept kernels", code, err)
    return tally


def deleted(cache: Path, processes: int, count: int, progress: Progress) -> Tally:
    """One of the processes deletes the cache again and again."""
    tally = Tally()
    running = [
        start(cache, 0, count, "shuffle", *([f"delete={cache}"] if index == 0 else []))
        for index in range(processes)
    ]
    for index, process in enumerate(running):
        code, _, err = finish(process)
        tally.add(f"process {index} beside a deletion", code, err)
        progress(1)
    tally.merge(vars(complete(cache, count)))
    progress(1)
    shutil.rmtree(cache, ignore_errors=True)
    return tally


def drill(base: Path, short: bool, progress: Progress) -> Tally:
    """Crowds of 16 processes with 50 kernels; 4 with 6 in the short form."""
    processes, count = (4, 6) if short else (16, kernels.COUNT)
    tally = killed(base / "killed", processes, count, progress)
    tally.merge(vars(deleted(base / "deleted", max(2, processes // 4), count, progress)))
    return tally
