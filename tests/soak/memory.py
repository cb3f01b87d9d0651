"""What the process holds: memory, mappings, threads, open files."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from dataclasses import dataclass
from pathlib import Path


class _MallocInfo(ctypes.Structure):
    """glibc's struct mallinfo2: sums over all arenas."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


_libc = ctypes.CDLL(None)
_libc.mallinfo2.restype = _MallocInfo


def heap_in_use() -> int:
    """Bytes of malloc's that are allocated, small and large."""
    info = _libc.mallinfo2()
    return int(info.uordblks + info.hblkhd)


def resident() -> int:
    """Bytes of the process in RAM, those of files among them."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def anonymous() -> int:
    """Bytes of the process in RAM that are no file's: of those, Linux decides."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))


def trim() -> None:
    """Has malloc give back what it keeps; how much that is varies with its fragments."""
    _libc.malloc_trim(0)


@dataclass(frozen=True)
class Sample:
    """A moment at which nothing is under way."""

    heap: int  # bytes that malloc gave out
    rss: int  # bytes in RAM, once malloc has given back what it can
    mappings: int
    threads: int
    files: int

    @classmethod
    def take(cls) -> Sample:
        """Settles first: work ends, what is written is written, what is garbage goes."""
        import metalcore as mc

        mc.synchronize()
        if not mc.cache.wait(120):
            raise RuntimeError("The cache did not finish its writes within 120 s.")
        gc.collect()
        time.sleep(0.5)  # threads that are done with their work end
        trim()
        return cls(
            heap=heap_in_use(),
            rss=resident(),
            mappings=len(Path("/proc/self/maps").read_text().splitlines()),
            threads=len(os.listdir("/proc/self/task")),
            files=len(os.listdir("/proc/self/fd")),
        )
