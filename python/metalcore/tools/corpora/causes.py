"""From errors to their causes: what one would mend, whatever the names in the message."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .unit import Failure

ERROR = re.compile(r"^(?P<place>[^\n]*?): (?:fatal )?error: (?P<text>[^\n]*)", re.MULTILINE)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
NUMBER = re.compile(r"\b\d+\b")

# What belongs to a whole chapter of the language, by a word of the message.
CHAPTERS = {
    "textures and samplers": r"\b(?:texture|depth)(?:1d|2d|3d|cube|_buffer)\w*|\bsampler\b",
    "visible and intersection functions": r"\b(?:visible|intersection)_function_table\b",
    "ray tracing": r"\braytracing\b|\bacceleration_structure\b|\bintersector\b",
    "render functions": r"'(?:vertex|fragment|mesh|object)' functions are not supported",
    "logging": r"\bos_log\b|<metal_logging>",
}
METAL_4 = re.compile(r"MetalPerformancePrimitives|\bmetal_tensor\b|\bmetal_cooperative_tensor\b")


def first_error(diagnostics: str) -> str:
    """The first error with its place, or the text's first line."""
    error = ERROR.search(diagnostics)
    return error[0] if error else diagnostics.strip().partition("\n")[0]


def cause_of(message: str) -> str:
    """A message without place, names and numbers, or the chapter that it belongs to."""
    for chapter, words in CHAPTERS.items():
        if re.search(words, message):
            return chapter
    error = ERROR.search(message)
    text = error["text"] if error else message
    return NUMBER.sub("N", QUOTED.sub("'…'", text)).strip()


def newer_metal(message: str) -> str:
    """The version of Metal that a unit with this first error needs; empty: it is just an error."""
    return "Metal 4" if METAL_4.search(message) else ""


def ranked(failures: Iterable[Failure]) -> list[tuple[str, int, Failure]]:
    """The causes with their counts and an example, the most frequent first."""
    examples: dict[str, Failure] = {}
    counts: Counter[str] = Counter()
    for failure in failures:
        counts[failure.cause] += 1
        examples.setdefault(failure.cause, failure)
    return [(cause, count, examples[cause]) for cause, count in counts.most_common()]
