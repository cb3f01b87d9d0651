"""What is compiled as one library, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Constant = bool | int | float
MathMode = Literal["safe", "relaxed", "fast"]


@dataclass(frozen=True)
class Unit:
    """A text with kernels.

    Function constants that a kernel needs and that `constants` does not name take the value 1, as
    far as `stands_in` allows it.
    """

    name: str
    text: Callable[[], str]
    macros: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Constant] = field(default_factory=dict)
    math_mode: MathMode | None = None
    stands_in: bool = True
    refused: str = ""  # a regular expression: kernels whose pipelines Metal refuses, too
    needs: str = ""  # a version of Metal that there is none of yet: the unit is only reported


@dataclass(frozen=True)
class Failure:
    """Why a kernel, or a whole unit, was not compiled."""

    kernel: str | None
    cause: str
    message: str


@dataclass
class Outcome:
    """What came of a unit."""

    unit: str
    kernels: int | None = None  # unknown where the front end failed
    wanted: int = 0  # of them
    passed: int = 0
    stand_ins: int = 0  # kernels built with values that nobody gave
    failures: list[Failure] = field(default_factory=list)
    refused: list[Failure] = field(default_factory=list)  # as Metal does
    beyond: str = ""  # the version of Metal that the unit needs and that there is none of yet
    frontend_seconds: float = 0.0
    code_seconds: float = 0.0  # summed over the threads

    @property
    def ok(self) -> bool:
        """Whether everything wanted was compiled, or is beyond what can be."""
        return not self.failures
