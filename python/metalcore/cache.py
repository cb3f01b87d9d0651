"""The cache on disk: compiled kernels, kept between runs so that none is compiled twice.

One file per kernel lies in `path`, a folder that belongs to the user alone. Each is checked before
it is used, so whatever happens to it, the kernel is only compiled again. The folder may be removed
at any time. The preferences `cache`, `cache_dir` and `cache_max_size` govern it.

Examples
--------
>>> import metalcore as mc
>>> mc.cache.stats().bytes <= mc.cache.stats().max_size
True
"""

from __future__ import annotations

import time

from . import _core
from ._core import CacheRemoved, CacheStats

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from pathlib import Path

    path: Path | None

__all__ = ["CacheRemoved", "CacheStats", "clear", "path", "prune", "stats", "wait"]


def __getattr__(name: str) -> Path | None:
    """`path`: the folder, whether or not it exists; None where the system names none."""
    if name == "path":
        found = _core.cache_path()
        return found if found.is_absolute() else None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def stats() -> CacheStats:
    """What the cache holds, and what it was good for in this process.

    Returns
    -------
    CacheStats
        `files`, `bytes` and `max_size` (bytes) of the folder; `hits`, `misses`, `damaged`,
        `stored`, `failed_stores` and `pending` count this process's pipelines; `disabled_reason`
        says why the cache is not in use, and is empty where it is.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.cache.stats().failed_stores
    0
    """
    return _core.cache_stats()


def clear() -> CacheRemoved:
    """Remove every file that metalcore put into the cache; kernels in use stay good.

    Returns
    -------
    CacheRemoved
        The number of `files` and their `bytes`.
    """
    return _core.clear_cache()


def prune() -> CacheRemoved:
    """Remove what is beyond the size limit, the least recently used first, and what was left over.

    Left over are temporary files that a killed process wrote more than an hour ago, and the folders
    of other versions that nobody used for 30 days. It happens by itself as the cache grows.

    Returns
    -------
    CacheRemoved
        The number of `files` of this version and their `bytes`.
    """
    return _core.prune_cache()


def wait(timeout: float | None = None) -> bool:
    """Wait until the kernels that were compiled so far are on disk.

    They are written in the background; at the end of a process only some tenths of a second are
    left for that.

    Parameters
    ----------
    timeout : float, optional
        Seconds to wait at the most.

    Returns
    -------
    bool
        False when the time was up before.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.cache.wait()
    True
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        # Short enough for signals to be seen.
        pause = 0.1 if deadline is None else min(0.1, max(0.0, deadline - time.monotonic()))
        if _core.wait_for_cache(pause):
            return True
        if deadline is not None and time.monotonic() >= deadline:
            return False
