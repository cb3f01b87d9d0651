"""What can fail at run time. Wrong arguments raise Python's own TypeError, ValueError and so on."""

from __future__ import annotations


class Error(Exception):
    """The base of all errors of metalcore."""


class DeviceError(Error):
    """There is no device, or it was lost."""


class CompileError(Error):
    """Metal Shading Language source was refused.

    Attributes
    ----------
    diagnostics : str
        The compiler's whole text, with file, line and column.
    """

    diagnostics: str

    def __init__(self, message: str, diagnostics: str = "") -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class PipelineError(Error):
    """A compute pipeline could not be made."""


class LaunchError(Error):
    """A kernel was launched beyond a limit of its pipeline, or failed while it ran."""


class OutOfMemoryError(Error):
    """There is not enough device memory."""


class UnsupportedError(Error):
    """This device or this build cannot do it."""
