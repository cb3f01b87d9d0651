"""The arrows of ARCHITECTURE.md: who may include and import what."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"

# Folder under csrc → folders it may include besides itself, and families of external headers.
# The longest matching folder counts.
ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    "bindings": ({"include/metalcore"}, {"std", "posix", "nanobind", "python"}),
    "include/metalcore": (set(), {"std"}),
    "ops": ({"include/metalcore", "core", "support"}, {"std", "posix", "shaders"}),
    "core": (
        {"include/metalcore", "objc", "support"},
        {"std", "posix", "json", "metal", "objc", "toml"},
    ),
    "objc": ({"support"}, {"std", "posix", "objc"}),
    "support": (set(), {"std", "posix", "sanitizer"}),
    "hostmetal/include": (set(), {"std", "objc", "metal"}),
    "hostmetal/image": ({"support"}, {"std", "posix", "json"}),
    "hostmetal/executor": ({"hostmetal/image", "support"}, {"std", "posix"}),
    "hostmetal/compiler": ({"hostmetal/image", "support"}, {"std", "posix", "llvm", "json"}),
    "hostmetal/api": (
        {
            "hostmetal/compiler/compiler.h",
            "hostmetal/executor",
            "hostmetal/image",
            "hostmetal/include",
            "objc",
            "support",
        },
        {"std", "posix", "metal", "objc"},
    ),
}

FAMILIES = {
    "Block.h": "objc",
    "Foundation": "objc",
    "Metal": "metal",
    "MetalPerformanceShaders": "metal",
    "Python.h": "python",
    "clang": "llvm",
    "lld": "llvm",
    "llvm": "llvm",
    "llvm-c": "llvm",
    "nanobind": "nanobind",
    "nlohmann": "json",
    "objc": "objc",
    "sanitizer": "sanitizer",
    "shaders": "shaders",  # layout.h: structures that kernels and host code share
    "toml++": "toml",
}

INCLUDE = re.compile(r'^\s*#\s*(?:include|import)\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".m", ".mm"}
SOURCES = sorted(path for path in CSRC.rglob("*") if path.suffix in SUFFIXES)
MODULES = sorted((ROOT / "python" / "metalcore").rglob("*.py"))


def layer_of(path: str) -> str | None:
    """The layer that a path relative to csrc belongs to."""
    layers = [layer for layer in ALLOWED if path.startswith(layer + "/")]
    return max(layers, key=len, default=None)


def own_header(source: Path, name: str) -> str | None:
    """The project's header that an include names, relative to csrc; None for an external one."""
    for base in (source.parent, CSRC, CSRC / "include", CSRC / "hostmetal" / "include"):
        candidate = (base / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(CSRC):
            return candidate.relative_to(CSRC).as_posix()
    return None


def family_of(name: str) -> str:
    """The family that an external header belongs to."""
    first = name.split("/")[0]
    if first in FAMILIES:
        return FAMILIES[first]
    return "posix" if name.endswith(".h") else "std"


def violations(source: Path) -> list[str]:
    """What a source file includes against the arrows."""
    path = source.relative_to(CSRC).as_posix()
    layer = layer_of(path)
    if layer is None:
        return [f"{path} belongs to no layer"]
    folders, families = ALLOWED[layer]
    found = []
    for quoted, angled in INCLUDE.findall(source.read_text()):
        name = quoted or angled
        header = own_header(source, name)
        if header is None:
            if family_of(name) not in families:
                found.append(f"{path} includes <{name}>")
        elif header.startswith("hostmetal/include/"):
            if "metal" not in families:
                found.append(f"{path} includes <{name}>")
        elif (
            layer_of(header) != layer and layer_of(header) not in folders and header not in folders
        ):
            found.append(f"{path} includes {header}")
    return found


def test_every_layer_has_sources() -> None:
    layers = {layer_of(source.relative_to(CSRC).as_posix()) for source in SOURCES}
    assert layers == set(ALLOWED)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(CSRC).as_posix())
def test_includes(source: Path) -> None:
    assert violations(source) == []


def test_public_headers_are_plain_cxx() -> None:
    for header in (CSRC / "include" / "metalcore").glob("*.hpp"):
        assert not re.search(r"^\s*(#\s*import|@\w+)", header.read_text(), re.MULTILINE), header


# What a module of the package may import besides the standard library and the package itself.
THIRD_PARTY = {"numpy"}
OPTIONAL = {"matplotlib", "ml_dtypes", "rich", "tqdm"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_imports(module: Path) -> None:
    tree = ast.parse(module.read_text())
    names = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        node.module.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0
    }
    foreign = names - sys.stdlib_module_names - {"metalcore"} - THIRD_PARTY
    assert foreign <= OPTIONAL
    # An optional package is imported by the function that needs it, never by `import metalcore`.
    at_import = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert at_import.isdisjoint(OPTIONAL)
