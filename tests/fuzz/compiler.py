"""The MSL compiler by its C interface (csrc/hostmetal/compiler/compiler.h): bytes in, bytes out."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ABI_VERSION = 3
LIBRARY_FORM = 0x484D4C01  # of hostmetal::image::Library
OK, COMPILE_ERROR, INTERNAL_ERROR = range(3)


class View(ctypes.Structure):
    """HmView and HmBytes."""

    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class LibraryRequest(ctypes.Structure):
    """HmLibraryRequest."""

    _fields_ = [
        ("source", View),
        ("name", ctypes.c_char_p),
        ("macros", ctypes.c_void_p),
        ("macro_count", ctypes.c_size_t),
        ("include_paths", ctypes.c_void_p),
        ("include_path_count", ctypes.c_size_t),
        ("language_version", ctypes.c_uint32),
        ("math_mode", ctypes.c_int),
        ("enable_logging", ctypes.c_uint32),
    ]


class Constant(ctypes.Structure):
    """HmConstant."""

    _fields_ = [("index", ctypes.c_uint32), ("data_type", ctypes.c_uint32), ("value", View)]


class KernelRequest(ctypes.Structure):
    """HmKernelRequest."""

    _fields_ = [
        ("module", View),
        ("function", ctypes.c_char_p),
        ("constants", ctypes.POINTER(Constant)),
        ("constant_count", ctypes.c_size_t),
        ("linked", ctypes.c_void_p),
        ("linked_count", ctypes.c_size_t),
        ("target", ctypes.c_char_p),
    ]


_call = ctypes.CFUNCTYPE
_pointer = ctypes.c_void_p


class Table(ctypes.Structure):
    """HmCompiler."""

    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("kernel_abi_version", ctypes.c_uint32),
        ("version", ctypes.c_char_p),
        ("compile_library", _call(ctypes.c_int, _pointer, _pointer, _pointer, _pointer)),
        ("compile_kernel", _call(ctypes.c_int, _pointer, _pointer, _pointer, _pointer)),
        ("reflect_kernel", _call(ctypes.c_int, View, ctypes.c_char_p, _pointer, _pointer)),
        ("load", _call(ctypes.c_int, View, View, _pointer, _pointer, _pointer)),
        ("unload", _call(None, _pointer)),
        ("link_image", _call(ctypes.c_int, _pointer, ctypes.c_size_t, _pointer, _pointer)),
        ("free_bytes", _call(None, View)),
        ("warm_up", _call(ctypes.c_int, _pointer)),
    ]


@dataclass(frozen=True)
class Function:
    """A function of a library with the function constants that it uses."""

    name: bytes
    is_kernel: bool
    constants: list[tuple[int, int]]  # index, MTLDataType


@dataclass(frozen=True)
class Outcome:
    """What a call gave."""

    status: int
    outputs: tuple[bytes, ...]
    diagnostics: str


def view(data: bytes) -> View:
    """Of bytes that the caller keeps."""
    return View(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


class Compiler:
    """The library that lies beside an installed metalcore."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        library.hostmetal_compiler.restype = ctypes.POINTER(Table)
        self._table = library.hostmetal_compiler().contents
        assert self._table.abi_version == ABI_VERSION, "adapt tests/fuzz/compiler.py"

    def library(self, source: bytes, name: bytes = b"program_source") -> Outcome:
        """The front end: bitcode, and the library's description."""
        request = LibraryRequest(source=view(source), name=name, math_mode=2, enable_logging=1)
        return self._run(self._table.compile_library, request, 2)

    def kernel(self, module: bytes, function: Function) -> Outcome:
        """The back end: object and reflection. Every function constant is 1."""
        one = (1).to_bytes(64, "little")
        constants = [Constant(index, kind, View()) for index, kind in function.constants]
        for constant in constants:
            constant.value = View(ctypes.cast(ctypes.c_char_p(one), ctypes.c_void_p), 64)
        array = (Constant * len(constants))(*constants)
        request = KernelRequest(view(module), function.name, array, len(constants))
        return self._run(self._table.compile_kernel, request, 2)

    def load(self, kernel: Outcome) -> Outcome:
        """Places a compiled kernel in memory, and takes it away again."""
        loaded, code, diagnostics = ctypes.c_void_p(), (ctypes.c_void_p * 2)(), View()
        status = self._table.load(
            *map(view, kernel.outputs),
            ctypes.byref(loaded),
            ctypes.byref(code),
            ctypes.byref(diagnostics),
        )
        if status == OK:
            self._table.unload(loaded)
        return Outcome(status, (), self._take(diagnostics).decode(errors="replace"))

    def _run(self, call: ctypes._FuncPointer, request: ctypes.Structure, count: int) -> Outcome:
        outputs = [View() for _ in range(count + 1)]
        status = call(ctypes.byref(request), *map(ctypes.byref, outputs))
        *results, diagnostics = [self._take(output) for output in outputs]
        return Outcome(status, tuple(results), diagnostics.decode(errors="replace"))

    def _take(self, data: View) -> bytes:
        taken = ctypes.string_at(data.data, data.size) if data.size else b""
        self._table.free_bytes(data)
        return taken


def functions(library: bytes) -> Iterator[Function]:
    """Reads a library's description."""
    at = 0

    def number(form: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from("<" + form, library, at)
        at += struct.calcsize("<" + form)
        return int(value)

    def text() -> bytes:
        nonlocal at
        size = number("I")
        at += size
        return library[at - size : at]

    assert number("I") == LIBRARY_FORM, "adapt tests/fuzz/compiler.py"
    for _ in range(number("I")):
        name, is_kernel, constants = text(), number("B") == 0, []
        for _ in range(number("I")):
            text()
            constants.append((number("I"), number("I")))
            number("B")
        yield Function(name, is_kernel, constants)
