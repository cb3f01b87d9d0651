"""Apple's Metal as PyObjC's macOS wheel records it: enum values, selectors and protocols.

The wheel is read, never imported: its metadata is parsed as Python text, and the protocols are
taken out of the extension module, a Mach-O file.
"""

from __future__ import annotations

import ast
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

VERSION = "12.2.2"
DISTRIBUTION = f"pyobjc-framework-Metal=={VERSION}"
UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|NameResolutionError"
    r"|Temporary failure in name resolution|Network is unreachable|No route to host"
)


class IndexUnreachable(Exception):
    """The package index did not answer."""


@dataclass(frozen=True)
class Signature:
    """Type encodings of a method; empty where the metadata leaves them to the runtime."""

    returns: str
    arguments: dict[int, str]


@dataclass(frozen=True)
class Protocol:
    parents: tuple[str, ...]
    methods: dict[str, Signature]


def wheel() -> Path:
    """Path of the wheel, downloaded once per machine and version."""
    cache = Path(tempfile.gettempdir()) / f"metalcore-tests-{os.getuid()}" / f"pyobjc-{VERSION}"
    found = sorted(cache.glob("*.whl"))
    if found:
        return found[0]
    cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
        command += ["--retries", "1", "--timeout", "30", "--no-deps", "--only-binary=:all:"]
        command += ["--platform", "macosx_11_0_universal2", "--python-version", "3.12"]
        result = subprocess.run(
            [*command, "--dest", folder, DISTRIBUTION], capture_output=True, text=True, check=False
        )
        if result.returncode != 0:
            if cause := UNREACHABLE.search(result.stdout + result.stderr):
                raise IndexUnreachable(cause.group())
            raise RuntimeError(f"pip download of {DISTRIBUTION} failed: {result.stderr}")
        cache.mkdir(exist_ok=True)
        for path in Path(folder).glob("*.whl"):
            os.replace(path, cache / path.name)
    return next(cache.glob("*.whl"))


class Metadata:
    """The wheel's _metadata.py: enum values by name, signatures by class and selector."""

    def __init__(self, text: str) -> None:
        self.enums: dict[str, int] = {}
        self.methods: dict[tuple[str, str], Signature] = {}
        self.constants: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Constant(value=str(table)) if table.startswith("$"):
                    self._read_table(table)
                case ast.Call(func=ast.Name(id="r"), args=arguments):
                    self._read_method(*map(ast.literal_eval, arguments))

    def _read_table(self, table: str) -> None:
        for entry in table.strip("$").split("$"):
            name, _, value = entry.partition("@")
            if re.fullmatch(r"-?\d+", value):
                self.enums[name] = int(value)
            else:
                self.constants.add(name)

    def _read_method(self, owner: bytes, selector: bytes, info: dict) -> None:
        self.methods[owner.decode(), selector.decode()] = Signature(
            _type(info.get("retval", {})),
            {index: _type(argument) for index, argument in info.get("arguments", {}).items()},
        )


def _type(info: dict) -> str:
    encoding = info.get("type", b"@?" if "callable" in info else b"")
    return encoding.decode() if isinstance(encoding, bytes) else encoding


def load() -> tuple[Metadata, dict[str, Protocol]]:
    """Metadata and protocols of the pinned wheel."""
    with zipfile.ZipFile(wheel()) as archive:
        metadata = Metadata(archive.read("Metal/_metadata.py").decode())
        name = next(n for n in archive.namelist() if re.fullmatch(r"Metal/_Metal\..*\.so", n))
        return metadata, MachO(archive.read(name)).protocols()


class MachO:
    """The x86-64 part of a universal Mach-O file, as far as Objective-C protocols need it."""

    def __init__(self, data: bytes) -> None:
        self._data = _slice(data, cpu_type=0x01000007)
        self._segments: list[tuple[int, int, int]] = []
        self._protocol_list = (0, 0)
        offset = 32
        (count,) = struct.unpack_from("<I", self._data, 16)
        for _ in range(count):
            command, size = struct.unpack_from("<II", self._data, offset)
            if command == 0x19:  # LC_SEGMENT_64
                self._read_segment(offset)
            offset += size

    def _read_segment(self, offset: int) -> None:
        address, _, file_offset, file_size = struct.unpack_from("<4Q", self._data, offset + 24)
        self._segments.append((address, file_offset, file_size))
        (sections,) = struct.unpack_from("<I", self._data, offset + 64)
        for index in range(sections):
            at = offset + 72 + 80 * index
            if self._data[at : at + 16].rstrip(b"\0") == b"__objc_protolist":
                self._protocol_list = struct.unpack_from("<QQ", self._data, at + 32)

    def _read(self, layout: str, address: int) -> tuple[int, ...]:
        for start, offset, size in self._segments:
            if start <= address < start + size:
                return struct.unpack_from(layout, self._data, address - start + offset)
        raise ValueError(f"address {address:#x} is outside of the file")

    def _text(self, address: int) -> str:
        for start, offset, size in self._segments:
            if start <= address < start + size:
                begin = address - start + offset
                return self._data[begin : self._data.index(b"\0", begin)].decode()
        raise ValueError(f"address {address:#x} is outside of the file")

    def _methods(self, address: int) -> dict[str, Signature]:
        if address == 0:
            return {}
        entry_size, count = self._read("<II", address)
        methods = {}
        for index in range(count):
            name, types, _ = self._read("<3Q", address + 8 + index * (entry_size & ~3))
            encodings = split_encoding(self._text(types))
            arguments = {i: e for i, e in enumerate(encodings[1:]) if i >= 2}
            methods[self._text(name)] = Signature(encodings[0], arguments)
        return methods

    def protocols(self) -> dict[str, Protocol]:
        """Every protocol by name; class and optional methods included."""
        address, size = self._protocol_list
        result = {}
        for index in range(size // 8):
            (at,) = self._read("<Q", address + 8 * index)
            _, name, parents, *lists = self._read("<7Q", at)
            methods = {key: value for each in lists for key, value in self._methods(each).items()}
            result[self._text(name)] = Protocol(self._parents(parents), methods)
        return result

    def _parents(self, address: int) -> tuple[str, ...]:
        if address == 0:
            return ()
        (count,) = self._read("<Q", address)
        pointers = self._read(f"<{count}Q", address + 8)
        return tuple(self._text(self._read("<Q", pointer + 8)[0]) for pointer in pointers)


def _slice(data: bytes, cpu_type: int) -> bytes:
    magic, count = struct.unpack_from(">II", data)
    if magic != 0xCAFEBABE:
        raise ValueError("the extension module is no universal binary")
    for index in range(count):
        kind, _, offset, size, _ = struct.unpack_from(">5I", data, 8 + 20 * index)
        if kind == cpu_type:
            return data[offset : offset + size]
    raise ValueError("the extension module has no x86-64 part")


def split_encoding(encoding: str) -> list[str]:
    """Return type, self, selector and arguments of a method, without offsets and qualifiers."""
    types = []
    position = 0
    while position < len(encoding):
        start = position
        position = _type_end(encoding, position)
        prefix = re.match(r"[rnNoORV^]*", encoding[start:position]).group()
        pointers = "^" * prefix.count("^")
        types.append(pointers + encoding[start + len(prefix) : position])
        while position < len(encoding) and encoding[position] in "-0123456789":
            position += 1
    return types


def _type_end(encoding: str, position: int) -> int:
    while encoding[position] in "rnNoORV^":
        position += 1
    opening = encoding[position]
    if opening in "{[(":
        closing = {"{": "}", "[": "]", "(": ")"}[opening]
        depth = 1
        while depth:
            position += 1
            depth += {opening: 1, closing: -1}.get(encoding[position], 0)
        return position + 1
    return position + (2 if encoding[position : position + 2] == "@?" else 1)
