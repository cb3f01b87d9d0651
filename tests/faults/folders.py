"""Folders that cannot or must not be used, full disks, and clocks that were set back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from outcome import NOT_MENDED, RIGHT, Tally, run

SOMEBODY = 4321  # a user that owns nothing
FEW = 3  # kernels a process runs

Case = Callable[[Path], tuple[int, str]]


def build_folder(cache: Path) -> Path:
    """The folder that a run made: it holds the entries."""
    return next(cache.rglob("*.pipeline")).parent


def checked(cache: Path, *steps: str, **expected: object) -> tuple[int, str]:
    """Runs a few kernels and compares what the cache says with what it should."""
    code, out, err = run(cache, 0, FEW, *steps)
    if code != RIGHT:
        return code, err
    stats = json.loads(out)
    wrong = {name: stats[name] for name, value in expected.items() if stats[name] != value}
    return (NOT_MENDED, f"{wrong} instead of {expected}") if wrong else (RIGHT, err)


def filled(cache: Path) -> None:
    """Keeps the kernels there."""
    code, text = checked(cache, stored=FEW)
    if code != RIGHT:
        raise RuntimeError(f"the cache cannot be filled: {text}")


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of its own in the place of the folder; root only."""
    folder.mkdir()
    options = f"size={size},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def can_mount() -> bool:
    """Root in a container often may not."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory(prefix="metalcore-faults-") as name:
        try:
            with small_disk(Path(name) / "disk", "8k"):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def remount(folder: Path, options: str) -> None:
    """Changes such a disk."""
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def read_only_disk(cache: Path) -> tuple[int, str]:
    """What a disk holds is used when it cannot be written any more; nothing else is kept."""
    with small_disk(cache, "8m"):
        filled(cache)
        remount(cache, "ro")
        code, text = checked(cache, hits=FEW)
        if code != RIGHT:
            return code, text
        remount(cache, "rw")
        shutil.rmtree(build_folder(cache).parent)
        remount(cache, "ro")
        return checked(cache, hits=0, misses=FEW, stored=0)


def read_only_folder(cache: Path) -> tuple[int, str]:
    """The same with modes, which mean nothing to root."""
    filled(cache)
    folder = build_folder(cache)
    folder.chmod(0o500)
    code, text = checked(cache, hits=FEW)
    if code != RIGHT:
        return code, text
    folder.chmod(0o700)
    shutil.rmtree(folder.parent)
    cache.chmod(0o500)
    return checked(cache, hits=0, misses=FEW, stored=0)


def full_disk(cache: Path) -> tuple[int, str]:
    """A disk with room for the folder and little else, later with more."""
    with small_disk(cache, "8k"):
        code, text = checked(cache, hits=0, misses=FEW)
        if code != RIGHT:
            return code, text
        if any(cache.rglob(".new-*")):
            return NOT_MENDED, "a temporary file was left"
        remount(cache, "size=8m")
        run(cache, 0, FEW)
        return checked(cache, hits=FEW)


def full_by_limit(cache: Path) -> tuple[int, str]:
    """The system refuses every file of the cache's size."""
    code, text = checked(cache, "filesize=1000", hits=0, stored=0)
    if code == RIGHT and any(cache.rglob(".new-*")):
        return NOT_MENDED, "a temporary file was left"
    return (code, text) if code != RIGHT else checked(cache, hits=0, stored=FEW)


def writable_by_others(mode: int) -> Case:
    """A folder that others can change is not used, and the user is told once."""

    def case(cache: Path) -> tuple[int, str]:
        filled(cache)
        folder = build_folder(cache)
        folder.chmod(mode)
        code, text = checked(cache, hits=0, stored=0)
        if code == RIGHT and text.count("is writable by other users") != 1:
            return NOT_MENDED, f"it said: {text}"
        folder.chmod(0o700)
        return (code, text) if code != RIGHT else checked(cache, hits=FEW)

    return case


def owned_by_somebody(cache: Path) -> tuple[int, str]:
    """A folder of another user is not used; as root it can be given away."""
    filled(cache)
    os.chown(build_folder(cache), SOMEBODY, SOMEBODY)
    code, text = checked(cache, hits=0, stored=0)
    if code == RIGHT and text.count(f"belongs to user {SOMEBODY}") != 1:
        return NOT_MENDED, f"it said: {text}"
    return code, text


def files_of_somebody(cache: Path) -> tuple[int, str]:
    """Files of another user are not used, and replaced."""
    filled(cache)
    for path in cache.rglob("*.pipeline"):
        os.chown(path, SOMEBODY, SOMEBODY)
    code, text = checked(cache, hits=0, damaged=FEW, stored=FEW)
    return (code, text) if code != RIGHT else checked(cache, hits=FEW)


def links(cache: Path) -> tuple[int, str]:
    """Links in the place of files are not followed, and replaced."""
    filled(cache)
    for path in list(cache.rglob("*.pipeline")):
        target = cache / path.name
        path.rename(target)
        path.symlink_to(target)
    code, text = checked(cache, hits=0, damaged=FEW, stored=FEW)
    return (code, text) if code != RIGHT else checked(cache, hits=FEW)


def all_swapped(cache: Path) -> tuple[int, str]:
    """Each file has the name of the next one."""
    filled(cache)
    for kind in ("pipeline", "library"):
        paths = sorted(cache.rglob(f"*.{kind}"))
        contents = [path.read_bytes() for path in paths]
        for path, content in zip(paths, contents[1:] + contents[:1], strict=True):
            path.write_bytes(content)
    code, text = checked(cache, hits=0, damaged=FEW, stored=FEW)
    return (code, text) if code != RIGHT else checked(cache, hits=FEW)


def no_folder(cache: Path) -> tuple[int, str]:
    """A file lies where the folder should be."""
    cache.mkdir()
    (cache / "metalcore").write_text("not a folder")
    return checked(cache, hits=0, stored=0)


def clock_set_back(cache: Path) -> tuple[int, str]:
    """What was written before lies in the future."""
    filled(cache)
    future = time.time() + 365 * 24 * 3600
    for path in cache.rglob("*"):
        os.utime(path, (future, future))
    (build_folder(cache) / ".new-1-2-3").write_bytes(b"left over")
    os.utime(build_folder(cache) / ".new-1-2-3", (future, future))
    code, text = checked(cache, hits=FEW)
    if code != RIGHT:
        return code, text
    run(cache, FEW, FEW + 1)  # the first store of a process cleans up
    if any(cache.rglob(".new-*")):
        return NOT_MENDED, "an old temporary file was left"
    return checked(cache, hits=FEW)


def clock_at_zero(cache: Path) -> tuple[int, str]:
    """What was written lies in 1970."""
    filled(cache)
    for path in cache.rglob("*"):
        os.utime(path, (0, 0))
    return checked(cache, hits=FEW)


def cases() -> Iterator[tuple[str, Case]]:
    """All of them; those that only root can set up, as root."""
    if can_mount():
        yield "read-only disk", read_only_disk
        yield "full disk", full_disk
    if os.geteuid() != 0:
        yield "read-only folder", read_only_folder
    yield "limited files", full_by_limit
    for mode in (0o720, 0o702, 0o777, 0o1777):
        yield f"folder with mode {mode:04o}", writable_by_others(mode)
    if os.geteuid() == 0:
        yield "folder of another user", owned_by_somebody
        yield "files of another user", files_of_somebody
    yield "links", links
    yield "all files swapped", all_swapped
    yield "no folder", no_folder
    yield "clock set back", clock_set_back
    yield "clock at zero", clock_at_zero


def drill(progress: Callable[[int], None]) -> Tally:
    """Runs every case in a cache of its own."""
    tally = Tally()
    for name, case in cases():
        base = Path(tempfile.mkdtemp(prefix="metalcore-faults-"))
        try:
            code, text = case(base / "cache")
            tally.add(name, code, text)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        progress(1)
    return tally
