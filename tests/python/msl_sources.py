"""Shading language and C structures of published kernels, as a host program would prepare them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

_STRUCTURE = re.compile(r"\bstruct\s*(\w*)\s*\{([^{}]*)\}\s*(\w*)\s*;")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FIELD = re.compile(r"(?:const\s+)?(\w+)\s+(\w+)((?:\s*\[\d+\])*)")
_TYPES = {
    "bool": "?",
    "short": "i2",
    "int16_t": "i2",
    "int": "i4",
    "int32_t": "i4",
    "uint": "u4",
    "uint32_t": "u4",
    "int64_t": "i8",
    "size_t": "u8",
    "uint64_t": "u8",
    "float": "f4",
}


def structures(header: str) -> dict[str, np.dtype[np.void]]:
    """The C structures of plain numbers that a header defines, laid out as in C."""
    found = {}
    for tag, body, alias in _STRUCTURE.findall(_COMMENT.sub("", header)):
        fields = []
        for declaration in body.split(";"):
            match = _FIELD.fullmatch(declaration.strip())
            if not match or match[1] not in _TYPES:
                if declaration.strip():
                    break
                continue
            extents = tuple(int(extent) for extent in re.findall(r"\d+", match[3]))
            fields.append((match[2], _TYPES[match[1]], extents))
        else:
            found[alias or tag] = np.dtype(fields, align=True)
    return found


def pack(structure: np.dtype[np.void], **values: object) -> bytes:
    """A structure's bytes; every field must be given, and no other."""
    given, wanted = set(values), set(structure.names or ())
    assert given == wanted, f"missing: {wanted - given}; unknown: {given - wanted}"
    packed = np.zeros((), structure)
    for name, value in values.items():
        packed[name] = value
    return packed.tobytes()


def instantiate(name: str, function: str, arguments: Iterable[object]) -> str:
    """An explicit instantiation of a kernel template, as MLX's and PyTorch's macros write it."""
    specialised = f"{function}<{', '.join(str(argument) for argument in arguments)}>"
    return f'template [[host_name("{name}")]] [[kernel]] decltype({specialised}) {specialised};\n'
