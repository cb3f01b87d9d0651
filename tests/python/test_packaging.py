"""The project's lists agree with each other, and the installed package is complete."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

import metalcore

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    tomllib = pytest.importorskip("tomli", reason="Python 3.10 has no TOML reader of its own")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_build_requirements_are_listed_alike() -> None:
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]


def test_debian_packages_are_sorted_and_unique() -> None:
    lines = (ROOT / "debian-packages.txt").read_text().splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert packages == sorted(set(packages))


def test_versions_agree() -> None:
    version = importlib.metadata.version("metalcore-compute")
    assert metalcore.__version__ == version
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert re.findall(r"project\(metalcore VERSION (\S+)", cmake) == [version]


def test_changelog_has_this_version_or_unreleased() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] in ("Unreleased", metalcore.__version__)


def test_package_is_typed_and_complete() -> None:
    folder = Path(metalcore.__file__).parent
    for name in ("py.typed", "builtin.metallib", "libmetalcore.so", "libhostmetal.so"):
        assert (folder / name).is_file(), name
    assert (folder / "libhostmetal-compiler.so").is_file()
