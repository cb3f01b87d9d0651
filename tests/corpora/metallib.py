"""The names of the functions in a Metal library as Apple's tools write it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path


def function_names(path: Path) -> list[str]:
    """In the order of the library's list."""
    data = path.read_bytes()
    if data[:4] != b"MTLB":
        raise ValueError(f"{path} is no Metal library: it begins with {data[:4]!r}.")
    (offset,) = struct.unpack_from("<Q", data, 24)
    (count,) = struct.unpack_from("<I", data, offset)
    names: list[str] = []
    offset += 4
    for _ in range(count):
        (size,) = struct.unpack_from("<I", data, offset)
        names += [
            value.rstrip(b"\0").decode() for tag, value in _tags(data, offset + 4) if tag == b"NAME"
        ]
        offset += size
    return names


def _tags(data: bytes, offset: int) -> Iterator[tuple[bytes, bytes]]:
    """The tagged values of a function."""
    while (tag := data[offset : offset + 4]) != b"ENDT":
        (size,) = struct.unpack_from("<H", data, offset + 4)
        yield tag, data[offset + 6 : offset + 6 + size]
        offset += 6 + size
