"""The demonstration: how long a program waits for its first kernel."""

from __future__ import annotations

from .command import run

__all__ = ["run"]
