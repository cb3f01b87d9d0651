"""Damaged files: each case is a file that is not what was stored; the cache must mend it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import kernels
from outcome import Tally, forked, run

Progress = Callable[[int], None]


def damaged(intact: bytes, other: bytes, short: bool) -> Iterator[tuple[str, bytes]]:
    """Every truncation, every flipped byte, and content that never was this file's."""
    step = 97 if short else 1
    begin = random.randrange(step)
    for size in range(begin, len(intact), step):
        yield f"truncated at {size}", intact[:size]
    for place in range(begin, len(intact), step):
        flipped = bytearray(intact)
        flipped[place] ^= random.randrange(1, 256)
        yield f"flipped at {place}", bytes(flipped)
    yield "empty", b""
    yield "longer", intact + b"\0"
    yield "twice", intact + intact
    yield "zeros", bytes(len(intact))
    yield "swapped", other
    for version in (0, 2, 3, 2**32, 2**63):
        yield f"version {version}", intact[:8] + version.to_bytes(8, "little") + intact[16:]
    for length in (0, 1, len(intact), 2**31, 2**63, 2**64 - 1):
        yield f"length {length}", intact[:64] + length.to_bytes(8, "little") + intact[72:]
    for size in (1, 79, 80, 81, 5000, 1 << 20):
        yield f"garbage of {size}", random.randbytes(size)
        yield f"garbage of {size} below the header", intact[:80] + random.randbytes(size)


def holds(path: Path, content: bytes) -> bool:
    """Whether the file is there, with that content."""
    return path.is_file() and path.read_bytes() == content


def fill(cache: Path) -> dict[str, list[Path]]:
    """Keeps kernels 0 and 1 there: their files in that order, by kind."""
    files: dict[str, list[Path]] = {"pipeline": [], "library": []}
    for number in (0, 1):
        for _ in range(3):  # again where the end of the process cut the writing
            code, out, err = run(cache, number, number + 1)
            if code != 0:
                raise RuntimeError(f"the cache cannot be filled: exit code {code}\n{out}{err}")
        for kind, known in files.items():
            known += [path for path in cache.rglob(f"*.{kind}") if path not in known]
            if len(known) != number + 1:
                raise RuntimeError(f"kernel {number} left {len(known)} files of kind {kind}")
    return files


def drill(cache: Path, short: bool, share: int, shares: int, progress: Progress) -> Tally:
    """Runs the cases of one share, in forked children of this process."""
    files = fill(cache)
    import metalcore as mc

    # The children inherit a device, and a compiler that is ready.
    mc.compile("kernel void ready(device int *x [[buffer(0)]]) { x[0] = 1; }").ready(
        mc.zeros(1, dtype="int32"), threads=1
    )
    mc.synchronize()
    mc.cache.wait()
    tally = Tally()
    for kind, (path, other) in files.items():
        intact = path.read_bytes()
        cases = list(damaged(intact, other.read_bytes(), short))
        for name, content in cases[share::shares]:
            path.write_bytes(content)
            code = forked(lambda: kernels.is_right(0), partial(holds, path, intact))
            tally.add(f"{kind} {name}", code)
            if not holds(path, intact):
                path.write_bytes(intact)
            progress(1)
    return tally
