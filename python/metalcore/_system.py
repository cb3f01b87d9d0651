"""The devices, and what metalcore says of itself."""

from __future__ import annotations

from . import _core
from ._core import Device


def devices() -> list[Device]:
    """Every Metal device, the default first; empty when there is none.

    Examples
    --------
    >>> import metalcore as mc
    >>> len(mc.devices()) > 0
    True
    """
    return _core.Device.all()
