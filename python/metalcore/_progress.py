"""A progress bar over the stages of the warm-up and the kernels it builds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ._core import WarmupReport


class StageProgress:
    """Shows how much is done, and which stage runs, on a terminal; nothing elsewhere."""

    def __init__(self, stages: Sequence[str], kernels: int = 0) -> None:
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "A progress bar needs tqdm; install metalcore-compute[demo]."
            ) from None
        self._bar: Any = tqdm(
            total=len(stages) + kernels,
            desc="warm-up",
            unit="step",
            file=sys.stderr,
            disable=not sys.stderr.isatty(),
            leave=False,
        )
        self._kernels = kernels

    def update(self, report: WarmupReport) -> None:
        """Takes a new report."""
        # Of the kernels, the last ones asked for are this call's.
        left = min(report.kernels_wanted - report.kernels_done, self._kernels)
        done = sum(stage.done for stage in report.stages) + self._kernels - left
        self._bar.update(done - self._bar.n)
        running = [stage.name for stage in report.stages if not stage.done]
        self._bar.set_postfix_str(running[0] if running else ("kernels" if left else report.state))

    def close(self) -> None:
        """Takes the bar away."""
        self._bar.close()
