"""The native part's messages: to the logger "metalcore" where logging is set up, else to stderr."""

from __future__ import annotations

import atexit
import sys

from . import _core

# At exit the last module that registered is ended first: a logging module that was imported after
# metalcore has closed its files when metalcore ends.
_outlived_by_logging = "logging" in sys.modules
_is_logging_over = False
_is_hook_set = False


def receive(level: str, text: str, time: float) -> None:
    """Takes one message; `time` in seconds since 1970."""
    logging = sys.modules.get("logging")
    # `logging` may be in the middle of its own import.
    if logging is None or _is_logging_over or not hasattr(logging, "getLogger"):
        _core.write_log_to_stderr(level, text)
        return
    logger = logging.getLogger("metalcore")
    if not logger.hasHandlers():
        _core.write_log_to_stderr(level, text)
        return
    _end_before_logging()
    number = getattr(logging, level.upper())
    if logger.isEnabledFor(number):
        record = logger.makeRecord("metalcore", number, "(native)", 0, text, (), None)
        record.created = time
        record.msecs = time % 1 * 1e3
        logger.handle(record)


def _end_before_logging() -> None:
    global _is_hook_set
    if not _outlived_by_logging and not _is_hook_set:
        _is_hook_set = True
        atexit.register(_end)


def _end() -> None:
    global _is_logging_over
    _core.deliver_log()
    _is_logging_over = not _outlived_by_logging


def _end_after_logging() -> None:
    global _is_logging_over
    _is_logging_over = not _outlived_by_logging
    _core.deliver_log()


def start() -> None:
    """From here on messages come in."""
    atexit.register(_end_after_logging)
    _core.set_log_receiver(receive)
