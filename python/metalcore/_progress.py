"""Progress bars of the warm-up and of the kernels it builds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ._core import WarmupReport


class ProgressBar:
    """Shows on a terminal how much is done; nothing elsewhere.

    Raises
    ------
    ModuleNotFoundError
        tqdm is not installed.
    """

    def __init__(self, title: str, unit: str, total: int | None = None) -> None:
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "A progress bar needs tqdm; install metalcore-compute[demo]."
            ) from None
        self._bar: Any = tqdm(
            total=total,
            desc=title,
            unit=unit,
            file=sys.stderr,
            disable=not sys.stderr.isatty(),
            leave=False,
        )

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self, done: int, total: int, current: str = "") -> None:
        """Takes new numbers, and what is being done."""
        self._bar.total = total
        self._bar.update(done - self._bar.n)
        if current:
            self._bar.set_postfix_str(current)


class StageProgress(ProgressBar):
    """A bar over the stages of the warm-up and the kernels of one call."""

    def __init__(self, stages: Sequence[str], kernels: int = 0) -> None:
        super().__init__("warm-up", "step", len(stages) + kernels)
        self._total = len(stages) + kernels
        self._kernels = kernels

    def report(self, report: WarmupReport) -> None:
        """Takes a new report."""
        # Of the kernels, the last ones asked for are this call's.
        left = min(report.kernels_wanted - report.kernels_done, self._kernels)
        done = sum(stage.done for stage in report.stages) + self._kernels - left
        running = [stage.name for stage in report.stages if not stage.done]
        current = running[0] if running else ("kernels" if left else report.state)
        self.update(done, self._total, current)
