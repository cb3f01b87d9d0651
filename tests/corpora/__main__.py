"""`python tests/corpora`: compiles the kernels that public packages ship to machine code.

ggml's file out of a source distribution of llama-cpp-python, and the kernel headers of the wheels
of MLX and PyTorch for macOS, instantiated as those projects do. What needs Metal 4 is listed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "python"))

from metalcore.tools.corpora.command import add_options, compile_units, without_cache  # noqa: E402

PROJECTS = ("ggml", "mlx", "torch")


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="corpora")
    parser.add_argument("--project", choices=PROJECTS, action="append", help="default: all")
    parser.add_argument("--file", default="", metavar="TEXT", help="files whose name has this")
    add_options(parser)
    arguments = parser.parse_args()
    if not arguments.cache:
        without_cache([__file__, *sys.argv[1:]])
    projects = arguments.project or PROJECTS
    units = [
        unit
        for project in projects
        for unit in __import__(project).units()
        if arguments.file in unit.name
    ]
    return compile_units(units, arguments)


if __name__ == "__main__":
    sys.exit(main())
