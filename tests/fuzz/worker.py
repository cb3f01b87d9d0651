"""worker.py SEED FIRST END INTERVAL: cases FIRST, FIRST + 1, … below END through the compiler.

A line of JSON before each case and after it, so that whoever reads knows what a process that died
was about. Every INTERVAL cases, one of the memory that the process has.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from compiler import INTERNAL_ERROR, OK, Compiler, functions
from mutate import Mutator
from seeds import seeds

import metalcore

sys.path.append(str(Path(__file__).resolve().parents[1] / "soak"))
from memory import anonymous, heap_in_use, trim

KERNELS = 3  # of one library that are compiled


def case(mutator: Mutator, seed: int, number: int) -> bytes:
    """The same for the same seed and number."""
    return mutator.case(random.Random(f"{seed}:{number}"))


def _end(diagnostics: str) -> str:
    """Why a compile was ended, if it was."""
    if "took more than its limit" in diagnostics:
        return "out of time"
    return "out of memory" if "ran out of memory" in diagnostics else ""


def run(compiler: Compiler, source: bytes) -> tuple[str, str]:
    """What became of it, and what the compiler said if it was at fault."""
    library = compiler.library(source)
    if library.status == INTERNAL_ERROR:
        return "crashed in the front end", library.diagnostics
    if library.status != OK:
        if ended := _end(library.diagnostics):
            return ended, ""
        refused = "error: " in library.diagnostics
        return ("refused", "") if refused else ("refused without an error", library.diagnostics)
    module, description = library.outputs
    kernels = [function for function in functions(description) if function.is_kernel][:KERNELS]
    outcome = "compiled" if kernels else "compiled without kernels"
    for function in kernels:
        kernel = compiler.kernel(module, function)
        if kernel.status == INTERNAL_ERROR:
            return "crashed in the back end", kernel.diagnostics
        if kernel.status != OK:
            outcome = "kernel refused"
            if ended := _end(kernel.diagnostics):
                return ended, ""
            if not kernel.diagnostics:
                return "kernel refused without an error", ""
            continue
        loaded = compiler.load(kernel)
        if loaded.status != OK:
            return "could not be loaded", loaded.diagnostics
    return outcome, ""


def memory() -> dict[str, int]:
    """Bytes that malloc gave out, and bytes in RAM but for those of files."""
    gc.collect()
    trim()
    return {"heap": heap_in_use(), "anonymous": anonymous()}


def say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def main() -> None:
    seed, first, end, interval = (int(word) for word in sys.argv[1:5])
    compiler = Compiler(Path(metalcore.__file__).parent / "libhostmetal-compiler.so")
    mutator = Mutator(seeds())
    for number in range(first, end):
        if (number - first) % interval == 0:
            say(done=number, memory=memory())
        source = case(mutator, seed, number)
        say(number=number)
        heap, begin = heap_in_use(), time.monotonic()
        outcome, text = run(compiler, source)
        seconds, kept = time.monotonic() - begin, heap_in_use() - heap
        say(number=number, outcome=outcome, text=text, seconds=seconds, kept=kept)
    say(done=end, memory=memory())


if __name__ == "__main__":
    main()
