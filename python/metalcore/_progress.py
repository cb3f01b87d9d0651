"""A progress bar over the stages of the warm-up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ._core import WarmupReport


class StageProgress:
    """Shows how many stages are done, and which runs, on a terminal; nothing elsewhere."""

    def __init__(self, stages: Sequence[str]) -> None:
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "A progress bar needs tqdm; install metalcore-compute[demo]."
            ) from None
        self._bar: Any = tqdm(
            total=len(stages),
            desc="warm-up",
            unit="stage",
            file=sys.stderr,
            disable=not sys.stderr.isatty(),
            leave=False,
        )

    def update(self, report: WarmupReport) -> None:
        """Takes a new report."""
        done = sum(stage.done for stage in report.stages)
        self._bar.update(done - self._bar.n)
        running = [stage.name for stage in report.stages if not stage.done]
        self._bar.set_postfix_str(running[0] if running else report.state)

    def close(self) -> None:
        """Takes the bar away."""
        self._bar.close()
