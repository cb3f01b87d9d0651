"""ggml: the Metal sources in a source distribution of llama-cpp-python."""

from __future__ import annotations

from metalcore.tools.corpora.folder import units_of
from metalcore.tools.corpora.unit import Unit
from source_archives import SourceArchive

SOURCES = SourceArchive(
    "llama-cpp-python",
    "llama_cpp_python-0.3.36.tar.gz",
    "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
)


def units() -> list[Unit]:
    """One for each of its files."""
    (folder,) = SOURCES.folder(".metal", ".h").glob("*/vendor/llama.cpp/ggml/src")
    return units_of(
        folder / "ggml-metal" / "kernels",
        prefix="ggml/",
        include_paths=[folder, folder / "ggml-metal"],
        macros={"GGML_METAL_HAS_BF16": "1"},
    )
