"""The device, the warm-up, and what they say of themselves."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import _core
from ._core import Device, WarmupReport

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from ._progress import StageProgress

Progress = Callable[[WarmupReport], object]

# The stages of a complete warm-up, for a progress bar's length.
STAGES = ("device", "library", "compiler")


def warmup(
    *, blocking: bool = True, timeout: float | None = None, progress: bool | Progress | None = None
) -> WarmupReport:
    """Start the warm-up if nothing did, whatever the preferences say, and wait for its end.

    Parameters
    ----------
    blocking : bool, optional
        False returns at once.
    timeout : float, optional
        Seconds to wait at the most.
    progress : bool or callable, optional
        True shows a progress bar on a terminal; a function is called with the report whenever a
        stage is done, and at the end.

    Returns
    -------
    WarmupReport
        `state` is "done" after a complete warm-up, "running" when the time was up.

    Notes
    -----
    KeyboardInterrupt ends the wait at once; the warm-up goes on in the background.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.warmup().state
    'done'
    """
    report = _core.begin_warmup()
    if not blocking:
        return report
    deadline = None if timeout is None else time.monotonic() + timeout
    bar: StageProgress | None = None
    notify: Progress | None = None
    if progress is True:
        from ._progress import StageProgress

        bar = StageProgress(STAGES)
        notify = bar.update
    elif progress:
        notify = progress
    try:
        return _wait(report, deadline, notify)
    finally:
        if bar is not None:
            bar.close()


def _wait(report: WarmupReport, deadline: float | None, notify: Progress | None) -> WarmupReport:
    seen = None
    while True:
        done = sum(stage.done for stage in report.stages)
        if notify is not None and (report.state, done) != seen:
            notify(report)
        seen = report.state, done
        if report.state != "running":
            return report
        # Short enough for signals to be seen.
        pause = 0.1 if deadline is None else min(0.1, deadline - time.monotonic())
        if pause <= 0:
            return report
        report = _core.wait_for_warmup(done, pause)


async def warmup_async(*, timeout: float | None = None) -> WarmupReport:
    """`warmup` for coroutines: other tasks run while it waits."""
    import asyncio

    report = _core.begin_warmup()
    deadline = None if timeout is None else time.monotonic() + timeout
    while report.state == "running" and (deadline is None or time.monotonic() < deadline):
        await asyncio.sleep(0.005)
        report = _core.warmup_status()
    return report


def warmup_status() -> WarmupReport:
    """How far the warm-up is; neither starts it nor waits.

    Examples
    --------
    >>> import metalcore as mc
    >>> mc.warmup_status().pipelines_built >= 0
    True
    """
    return _core.warmup_status()


def devices() -> list[Device]:
    """Every Metal device, the default first; empty when there is none.

    Examples
    --------
    >>> import metalcore as mc
    >>> len(mc.devices()) > 0
    True
    """
    return _core.Device.all()
