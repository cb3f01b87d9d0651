"""program.py FIRST END [STEP…]: runs kernels FIRST … END - 1 and says what the cache did.

Steps: `filesize=N` limits the size of files to N bytes first; `delete=FOLDER` deletes the cache's
folder every few kernels; `shuffle` takes the kernels in random order.
"""

from __future__ import annotations

import json
import random
import resource
import shutil
import sys

import kernels
from outcome import LOST, NOT_MENDED, RIGHT, judge


def main() -> int:
    """The worst outcome of all kernels."""
    first, end, *steps = sys.argv[1:]
    options = dict(step.partition("=")[::2] for step in steps)
    if "filesize" in options:
        limit = int(options["filesize"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    numbers = list(range(int(first), int(end)))
    if "shuffle" in options:
        random.shuffle(numbers)
    worst = RIGHT
    for count, number in enumerate(numbers):
        worst = max(worst, judge(lambda number=number: kernels.is_right(number)))
        if "delete" in options and count % 5 == 4:
            shutil.rmtree(options["delete"], ignore_errors=True)
    import metalcore as mc

    if not mc.cache.wait(60):
        return NOT_MENDED
    stats = mc.cache.stats()
    names = ("files", "bytes", "hits", "misses", "damaged", "stored", "failed_stores")
    print(json.dumps({name: getattr(stats, name) for name in names}))
    return worst


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        import traceback

        traceback.print_exc()
        code = LOST
    sys.exit(code)
