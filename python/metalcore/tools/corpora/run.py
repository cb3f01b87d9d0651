"""Compiles units, their kernels on several threads."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import metalcore

from .causes import cause_of, first_error, newer_metal
from .unit import Constant, Failure, Outcome, Unit

Progress = Callable[[int, int, str], None]  # done, total as far as known, current


@dataclass(frozen=True)
class Selection:
    """Which kernels are taken to code; the front end always sees all."""

    only: str = ""  # a regular expression that a kernel's name must match somewhere
    limit: int | None = None  # of kernels in a unit, drawn at random
    seed: int = 0  # of what is drawn

    def of(self, unit: str, kernels: Sequence[str]) -> list[str]:
        """The kernels of a unit that are wanted, in their order."""
        wanted = [name for name in kernels if re.search(self.only, name)]
        if self.limit is None or len(wanted) <= self.limit:
            return wanted
        drawn = random.Random(f"{self.seed} {unit}").sample(range(len(wanted)), self.limit)
        return [wanted[index] for index in sorted(drawn)]


@dataclass
class _Compiled:
    outcome: Outcome
    library: metalcore.Library | None = None


def run(
    units: Sequence[Unit],
    threads: int,
    selection: Selection | None = None,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Compiles every unit, in order, and yields what came of it.

    The front end of a unit runs while the kernels of the one before become code.
    """
    chosen = selection or Selection()
    done = total = 0
    with ThreadPoolExecutor(threads) as pool:
        ahead: list[Future[_Compiled]] = []
        waiting = iter(units)

        def go_ahead() -> None:
            if unit := next(waiting, None):
                ahead.append(pool.submit(_compile, unit))

        go_ahead()
        for unit in units:
            compiled = ahead.pop(0).result()
            outcome, library = compiled.outcome, compiled.library
            go_ahead()
            if library is not None:
                names = chosen.of(unit.name, library.kernel_names)
                outcome.wanted = len(names)
                total += len(names)
                builds = [pool.submit(_build, unit, library[name]) for name in names]
                for build in builds:
                    _add(outcome, unit, build.result())
                    done += 1
                    if progress:
                        progress(done, total, unit.name)
            yield outcome


def _compile(unit: Unit) -> _Compiled:
    outcome = Outcome(unit.name, beyond=unit.needs)
    if outcome.beyond:
        return _Compiled(outcome)
    start = time.perf_counter()
    try:
        library = metalcore.compile(
            unit.text(), macros=unit.macros or None, math_mode=unit.math_mode
        )
    except metalcore.CompileError as error:
        message = first_error(error.diagnostics or str(error))
        outcome.beyond = newer_metal(message)
        if not outcome.beyond:
            outcome.failures.append(Failure(None, cause_of(message), message))
        return _Compiled(outcome)
    finally:
        outcome.frontend_seconds = time.perf_counter() - start
    outcome.kernels = len(library.kernel_names)
    return _Compiled(outcome, library)


@dataclass
class _Built:
    kernel: str
    message: str = ""  # of the error, if there was one
    stand_in: bool = False  # a value that nobody gave
    seconds: float = 0.0


def _build(unit: Unit, kernel: metalcore.Kernel) -> _Built:
    start = time.perf_counter()
    built = _Built(kernel.name)
    constants: dict[str, Constant] = {}
    try:
        for constant in kernel.function_constants:
            if constant.name in unit.constants:
                constants[constant.name] = unit.constants[constant.name]
            elif constant.is_required and unit.stands_in:
                built.stand_in = True
                constants[constant.name] = 1
        kernel.prepare(constants=constants)
    except (metalcore.Error, ValueError) as error:
        built.message = str(error)
    built.seconds = time.perf_counter() - start
    return built


def _add(outcome: Outcome, unit: Unit, built: _Built) -> None:
    outcome.code_seconds += built.seconds
    is_refused = bool(unit.refused and re.search(unit.refused, built.kernel))
    message = built.message
    if is_refused and not message:
        message = f'The pipeline of kernel "{built.kernel}" was built, and Metal refuses it.'
    elif is_refused:
        outcome.refused.append(Failure(built.kernel, cause_of(message), message))
        return
    if message:
        outcome.failures.append(Failure(built.kernel, cause_of(message), message))
    else:
        outcome.passed += 1
        outcome.stand_ins += built.stand_in
