"""Public packages whose kernels the tests run: downloaded, checked, kept outside the tree."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest


@dataclass(frozen=True)
class SourceArchive:
    """A source distribution or a wheel of the package index that pip is configured for."""

    project: str
    file_name: str
    sha256: str

    def path(self) -> Path:
        """The archive on this disk, downloaded when it is not there yet.

        Where the index cannot be reached, the test is skipped; in CI (`$CI` is set) it fails.
        """
        path = cache_folder() / self.file_name
        if not path.is_file() or self._digest(path) != self.sha256:
            try:
                self._download(path)
            except urllib.error.URLError as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(f"{self.file_name} could not be downloaded: {error}")
        return path

    def read(self, suffix: str) -> str:
        """The text of the one file in the archive whose path ends in `suffix`."""
        wanted = PurePosixPath(suffix).parts
        for path, read in self._members():
            if path.parts[-len(wanted) :] == wanted:
                return read().decode()
        raise FileNotFoundError(f"{self.file_name} holds no {suffix}.")

    def folder(self, *endings: str) -> Path:
        """A folder with the archive's files whose names end in one of `endings`, unpacked once."""
        folder = cache_folder() / f"{self.file_name}{''.join(endings)}"
        if not folder.is_dir():
            archive = self.path()
            with tempfile.TemporaryDirectory(dir=archive.parent) as temporary:
                unpacked = Path(temporary) / "unpacked"
                for path, read in self._members():
                    if path.name.endswith(endings) and ".." not in path.parts:
                        target = unpacked / path.relative_to(path.anchor)
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(read())
                try:
                    unpacked.rename(folder)
                except OSError:
                    if not folder.is_dir():  # nor unpacked by somebody else meanwhile
                        raise
        return folder

    def _members(self) -> Iterator[tuple[PurePosixPath, Callable[[], bytes]]]:
        """The paths of the files in the archive, each with what reads it."""
        if self.file_name.endswith(".whl"):
            with zipfile.ZipFile(self.path()) as wheel:
                for name in wheel.namelist():
                    if not name.endswith("/"):
                        yield PurePosixPath(name), functools.partial(wheel.read, name)
        else:
            with tarfile.open(self.path()) as archive:
                for member in archive:
                    if file := archive.extractfile(member):
                        yield PurePosixPath(member.name), file.read

    @staticmethod
    def _digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def _download(self, path: Path) -> None:
        request = urllib.request.Request(
            f"{index_url()}/{self.project}/",
            headers={"Accept": "application/vnd.pypi.simple.v1+json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            files = json.load(response)["files"]
        (url,) = [file["url"] for file in files if file["filename"] == self.file_name]
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        try:
            with urllib.request.urlopen(url, timeout=60) as response, partial.open("wb") as file:
                while block := response.read(1 << 20):
                    file.write(block)
            digest = self._digest(partial)
            assert digest == self.sha256, f"{url} has the SHA-256 {digest}, not {self.sha256}."
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


def cache_folder() -> Path:
    """Where the archives are kept: `$METALCORE_TEST_CACHE`, or a folder in the user's cache."""
    named = os.environ.get("METALCORE_TEST_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "metalcore-tests"


def index_url() -> str:
    """The package index that pip is configured for."""
    configured = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    url = os.environ.get("PIP_INDEX_URL") or configured or "https://pypi.org/simple"
    return url.rstrip("/")
