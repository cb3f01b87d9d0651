"""Live Objective-C objects by class, as GNUstep counts them (<Foundation/NSDebug.h>)."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path


def _loaded(name: str) -> ctypes.CDLL:
    """The library that the process has mapped under this name."""
    found = re.search(rf"/\S*{name}\S*", Path("/proc/self/maps").read_text())
    if found is None:
        raise RuntimeError(f"{name} is not loaded.")
    return ctypes.CDLL(found[0])


class Counter:
    """Counts what is allocated from here on. Once per process."""

    def __init__(self) -> None:
        self._foundation = _loaded("gnustep-base")
        self._runtime = _loaded("libobjc")
        self._foundation.GSDebugAllocationActive.argtypes = [ctypes.c_ubyte]
        self._foundation.GSDebugAllocationClassList.restype = ctypes.POINTER(ctypes.c_void_p)
        self._foundation.GSDebugAllocationCount.argtypes = [ctypes.c_void_p]
        self._runtime.class_getName.argtypes = [ctypes.c_void_p]
        self._runtime.class_getName.restype = ctypes.c_char_p
        self._foundation.GSDebugAllocationActive(1)

    def counts(self) -> dict[str, int]:
        """Live objects by the name of their class."""
        classes = self._foundation.GSDebugAllocationClassList()
        counts = {}
        place = 0
        while classes[place]:  # ends with a null pointer
            name = self._runtime.class_getName(classes[place]).decode()
            counts[name] = int(self._foundation.GSDebugAllocationCount(classes[place]))
            place += 1
        return counts


def left_behind(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """How many more there are of which class."""
    more = {name: count - before.get(name, 0) for name, count in after.items()}
    return {name: count for name, count in more.items() if count > 0}
