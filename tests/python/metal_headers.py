"""The declarations of <Metal/Metal.h> for Linux as clang 19 sees them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from apple_metal import Signature

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "csrc/hostmetal/include"
SCALARS = {
    "void": "v",
    "BOOL": "Z",
    "bool": "Z",
    "char": "c",
    "unsigned char": "C",
    "uint8_t": "C",
    "int": "i",
    "unsigned int": "I",
    "uint32_t": "I",
    "long": "q",
    "NSInteger": "q",
    "unsigned long": "Q",
    "NSUInteger": "Q",
    "uint64_t": "Q",
    "float": "f",
    "double": "d",
    "instancetype": "@",
    "_NSRange": "{QQ}",
    "MTLOrigin": "{QQQ}",
    "MTLRegion": "{{QQQ}{QQQ}}",
    "MTLSize": "{QQQ}",
    "MTLResourceID": "{Q}",
}


@dataclass
class Container:
    """A protocol or a class with the methods that it declares itself."""

    name: str
    parents: list[str] = field(default_factory=list)
    methods: dict[str, Signature] = field(default_factory=dict)


@dataclass
class Declarations:
    enums: dict[str, int] = field(default_factory=dict)
    macros: dict[str, int] = field(default_factory=dict)
    protocols: dict[str, Container] = field(default_factory=dict)
    classes: dict[str, Container] = field(default_factory=dict)


def compile_flags() -> list[str]:
    """The flags of cmake/ObjectiveCxx.cmake that declarations depend on."""
    gcc = subprocess.run(
        ["gcc", "-print-file-name=include"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return [
        *("-x", "objective-c++", "-std=c++20", "-fobjc-runtime=gcc", "-fblocks"),
        *("-fexceptions", "-fobjc-exceptions", "-fconstant-string-class=NSConstantString"),
        *("-D_NATIVE_OBJC_EXCEPTIONS", "-DGNUSTEP", "-DGNUSTEP_BASE_LIBRARY=1", "-DGNU_RUNTIME=1"),
        *("-isystem", "/usr/include/GNUstep", "-idirafter", gcc),
        *("-I", str(ROOT / "csrc/objc/linux/include")),
    ]


def _clang(headers: Path, source: str, *options: str) -> str:
    command = ["clang++-19", *compile_flags(), "-I", str(headers), *options]
    return subprocess.run(
        [*command, "-"], input=source, capture_output=True, text=True, check=True
    ).stdout


def read(headers: Path = HEADERS) -> Declarations:
    """Everything that begins with MTL in <Metal/Metal.h>."""
    source = "#import <Metal/Metal.h>\n"
    macros = re.findall(
        r"^#define (MTL\w*(?:Mask|Shift)) ", _clang(headers, source, "-E", "-dM"), re.MULTILINE
    )
    probes = "".join(f"enum : NSUInteger {{ MTLProbe_{name} = {name} }};\n" for name in macros)
    # The text form: the JSON form of clang 19 crashes on Objective-C methods in C++.
    dump = _clang(
        headers,
        source + probes,
        *("-fsyntax-only", "-fno-color-diagnostics"),
        *("-Xclang", "-ast-dump", "-Xclang", "-ast-dump-filter=MTL"),
    )
    return _parse(dump)


_NODE = re.compile(r"^(?P<indent>[ |`-]*)(?P<kind>[A-Z]\w*) 0x[0-9a-f]+ (?P<rest>.*)$")
_QUOTED = r"'(?P<type>[^']*)'(?::'(?P<canonical>[^']*)')?"


def _parse(dump: str) -> Declarations:
    found = Declarations()
    names = dict(re.findall(r"EnumDecl 0x.*? (MTL\w+) 'NSU?Integer':'((?:unsigned )?long)'", dump))
    names |= {
        name: _bare(canonical or written)
        for name, written, canonical in re.findall(
            r"TypedefDecl 0x.*? (MTLAutoreleased\w+) '([^']*)'(?::'([^']*)')?", dump
        )
    }
    container: Container | None = None
    selector = ""
    constant = ""
    for line in dump.splitlines():
        if line.startswith("Dumping "):
            container, selector, constant = None, "", ""
            continue
        value = re.match(r"^[ |`-]*value: Int (-?\d+)", line)
        if value and constant:
            table = found.enums
            if constant.startswith("MTLProbe_"):
                table, constant = found.macros, constant.removeprefix("MTLProbe_")
            table[constant] = int(value[1])
            constant = ""
            continue
        node = _NODE.match(line)
        if not node:
            continue
        kind, rest = node["kind"], node["rest"]
        if kind in ("ObjCProtocolDecl", "ObjCInterfaceDecl"):
            table = found.protocols if kind == "ObjCProtocolDecl" else found.classes
            name = re.search(r"(\w+)$", rest)[1]
            container = table.setdefault(name, Container(name))
            selector = ""
        elif kind == "EnumConstantDecl":
            constant = re.search(r"(\w+) '", rest)[1]
        elif container and kind == "ObjCProtocol" and node["indent"] in ("|-", "`-"):
            parent = re.search(r"'(\w+)'", rest)[1]
            if parent not in container.parents:
                container.parents.append(parent)
        elif container and kind == "ObjCMethodDecl":
            method = re.search(rf"[-+] (?P<selector>[\w:]+) {_QUOTED}", rest)
            selector = method["selector"]
            container.methods[selector] = Signature(_encoding(method, names), {})
        elif container and selector and kind == "ParmVarDecl" and node["indent"].count("-") == 1:
            # A setter's parameter is dumped once for the property and once for its implicit method.
            parameter = re.search(rf"(?:\w+ )?{_QUOTED}", rest)
            arguments = container.methods[selector].arguments
            if len(arguments) < selector.count(":"):
                arguments[len(arguments) + 2] = _encoding(parameter, names)
    return found


def _encoding(match: re.Match[str], names: dict[str, str]) -> str:
    written = _bare(match["type"])
    if written in ("BOOL", "instancetype"):
        return SCALARS[written]
    return _encode(_bare(match["canonical"] or match["type"]), names)


def _bare(text: str) -> str:
    text = re.sub(r"\b(_Nonnull|_Nullable|const|enum|struct|__autoreleasing)\b", "", text)
    return re.sub(r"\s+", " ", text).strip()


def _encode(text: str, names: dict[str, str]) -> str:
    if "(^" in text:
        return "@?"
    text = re.sub(r"^\w+", lambda word: names.get(word[0], word[0]), text)
    if text in SCALARS:
        return SCALARS[text]
    pointee = text.removesuffix("*").strip()
    is_class = re.fullmatch(r"(?!id\b)\w+ ?(<.*>)?", pointee) and pointee not in SCALARS
    if re.fullmatch(r"id ?(<[\w, ]*>)?", text) or (text != pointee and is_class):
        return "@"
    if text != pointee:
        return "^" + _encode(pointee, names)
    raise ValueError(f"no encoding is known for the type {text!r}")
