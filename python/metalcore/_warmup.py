"""The warm-up: waiting for it, and kernels that it builds ahead of their first call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping

from . import _core
from ._core import WarmupReport
from ._kernel import Kernel, constant_values

TYPE_CHECKING = False  # as typing has it, whose import would slow that of metalcore
if TYPE_CHECKING:
    from typing import TypeAlias

    from ._typing import Constants

    WarmupKernel: TypeAlias = (
        Kernel | tuple[Kernel, Constants] | tuple[str, str] | tuple[str, str, Constants]
    )

Progress = Callable[[WarmupReport], object]

# The stages of a complete warm-up, for a progress bar's length.
STAGES = ("compiler", "codegen", "device", "library", "profile", "trial")

# Short enough for signals to be seen.
_SLICE = 0.1


def warmup(
    *,
    blocking: bool = True,
    timeout: float | None = None,
    kernels: Iterable[WarmupKernel] | None = None,
    progress: bool | Progress | None = None,
) -> WarmupReport:
    """Start the warm-up if nothing did, whatever the preferences say, and wait for its end.

    Parameters
    ----------
    blocking : bool, optional
        False returns at once.
    timeout : float, optional
        Seconds to wait at the most.
    kernels : iterable, optional
        Kernels to build as well, several at once. Each is one of

        - a `Kernel` that needs no function constants,
        - ``(kernel, constants)``, the constants as in a call of the kernel,
        - ``(source, name)`` or ``(source, name, constants)``: a kernel that `compile` has not seen
          yet, so that sources are compiled at the same time too.

        A later `compile` of the same source, or call of the kernel, finds it ready.
    progress : bool or callable, optional
        True shows a progress bar on a terminal; a function is called with the report whenever a
        stage or a kernel is done, and at the end.

    Returns
    -------
    WarmupReport
        `state` is "done" after a complete warm-up, "running" when the time was up. Of `kernels`,
        those that `kernels_done` does not count yet are left to the background.

    Raises
    ------
    CompileError, PipelineError, ValueError, IndexError
        One of `kernels` could not be built. Raised when the others are done; the first in their
        order counts. Without waiting to the end nothing of this is raised: the kernel's own call
        does it then.
    TypeError
        One of `kernels` is none of the above.

    Notes
    -----
    KeyboardInterrupt ends the wait at once; the warm-up goes on in the background.

    Examples
    --------
    >>> import metalcore as mc
    >>> source = "kernel void one(device int *out) { *out = 1; }"
    >>> mc.warmup(kernels=[(source, "one")]).state
    'done'
    >>> out = mc.zeros(1, dtype="int32")
    >>> mc.compile(source).one(out, threads=1)  # compiled already
    >>> out.item()
    1
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    wanted = [_wanted(kernel) for kernel in kernels or ()]
    report = _core.begin_warmup()
    builds = _core.build_kernels(wanted)
    if not blocking:
        return _core.warmup_status()
    if progress is not True:
        return _wait(report, builds, deadline, progress or None)
    from ._progress import StageProgress

    bar = StageProgress(STAGES, builds.wanted)
    with bar:
        return _wait(report, builds, deadline, bar.report)


def _wait(
    report: WarmupReport,
    builds: _core.KernelBuilds,
    deadline: float | None,
    notify: Progress | None,
) -> WarmupReport:
    seen = None
    while True:
        is_built = builds.done == builds.wanted
        if is_built:
            report = _core.warmup_status()  # counts them all
        stages = sum(stage.done for stage in report.stages)
        if notify is not None and (report.state, stages, report.kernels_done) != seen:
            notify(report)
        seen = report.state, stages, report.kernels_done
        is_running = report.state == "running"
        if not is_running and is_built:
            builds.check()
            return report
        pause = _SLICE if deadline is None else min(_SLICE, deadline - time.monotonic())
        if pause <= 0:
            return _core.warmup_status()
        if is_running:
            report = _core.wait_for_warmup(stages, pause)
        else:
            builds.wait(pause)
            report = _core.warmup_status()


async def warmup_async(
    *, timeout: float | None = None, kernels: Iterable[WarmupKernel] | None = None
) -> WarmupReport:
    """`warmup` for coroutines: other tasks run while it waits.

    Parameters
    ----------
    timeout : float, optional
        Seconds to wait at the most.
    kernels : iterable, optional
        As in `warmup`.

    Examples
    --------
    >>> import asyncio
    >>> import metalcore as mc
    >>> asyncio.run(mc.warmup_async()).state
    'done'
    """
    import asyncio

    deadline = None if timeout is None else time.monotonic() + timeout
    wanted = [_wanted(kernel) for kernel in kernels or ()]
    report = _core.begin_warmup()
    builds = _core.build_kernels(wanted)
    while report.state == "running" or builds.done < builds.wanted:
        if deadline is not None and time.monotonic() >= deadline:
            return _core.warmup_status()
        await asyncio.sleep(0.005)
        report = _core.warmup_status()
    builds.check()
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


def build_profile(
    file: str | os.PathLike[str],
    *,
    timeout: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ProfileResult:
    """Build everything that a warm-up profile names, ahead of the program's first start.

    Waits until the kernels are in the cache on disk as well.

    Parameters
    ----------
    file : path-like
        A profile that a run of the program recorded: see `profile_path`.
    timeout : float, optional
        Seconds to wait at the most.
    progress : callable, optional
        Called with the numbers of kernels done and wanted whenever the first has changed.

    Returns
    -------
    ProfileResult

    Raises
    ------
    ValueError
        The file is no profile, or others can write it.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    builds = _core.build_kernels(_core.read_warmup_profile(os.fspath(file)))
    seen = -1
    while True:
        done = builds.done
        if progress is not None and done != seen:
            progress(done, builds.wanted)
        seen = done
        pause = _SLICE if deadline is None else min(_SLICE, deadline - time.monotonic())
        if done == builds.wanted or pause <= 0:
            break
        builds.wait(pause)
    is_kept = _wait_for_cache(deadline)
    return ProfileResult(builds.wanted, builds.done, builds.failures, is_kept)


def _wait_for_cache(deadline: float | None) -> bool:
    """Waits until what was built is on disk; False when the time was up first."""
    while True:
        pause = _SLICE if deadline is None else min(_SLICE, deadline - time.monotonic())
        if _core.wait_for_cache(max(pause, 0)):
            return True
        if pause <= 0:
            return False


class ProfileResult:
    """What `build_profile` did."""

    def __init__(self, wanted: int, done: int, failures: list[str], is_kept: bool) -> None:
        self.wanted = wanted
        self.done = done
        self.failures = failures
        self.is_kept = is_kept  # on disk, as far as the preferences allow

    @property
    def built(self) -> int:
        """Kernels that are ready."""
        return self.done - len(self.failures)

    @property
    def ok(self) -> bool:
        """Whether every kernel is, and is kept."""
        return self.built == self.wanted and self.is_kept

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "wanted": self.wanted,
            "built": self.built,
            "failed": len(self.failures),
            "failures": self.failures,
            "kept": self.is_kept,
        }


def profile_path() -> str | None:
    """The file in which this program's warm-up profile is kept, if one is.

    None at the prompt, with ``python -c``, and where the preference `warmup_profile` is false. A
    copy of the file can be shipped with an application and named by METALCORE_WARMUP_PROFILE.
    """
    return _core.warmup_profile_path() or None


def _wanted(kernel: object) -> _core.WarmupKernel:
    """One element of `kernels`."""
    source: _core.Library | str
    parts = kernel if isinstance(kernel, tuple) else (kernel,)
    if parts and isinstance(parts[0], Kernel) and len(parts) <= 2:
        source, name, rest = parts[0]._library, parts[0].name, parts[1:]
    elif 2 <= len(parts) <= 3 and isinstance(parts[0], str) and isinstance(parts[1], str):
        source, name, rest = parts[0], parts[1], parts[2:]
    else:
        raise TypeError(
            "Each of kernels must be a Kernel, (kernel, constants), (source, name) or (source, "
            f"name, constants), not {_short(kernel)}."
        )
    constants = rest[0] if rest else {}
    if not isinstance(constants, Mapping):
        raise TypeError(
            f'The constants of kernel "{name}" must be a mapping, not {type(constants).__name__}.'
        )
    return _core.WarmupKernel(name, constant_values(constants), source)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
