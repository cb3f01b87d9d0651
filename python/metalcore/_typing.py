"""Names for what functions take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

from ._core import Array, DType

if TYPE_CHECKING:
    import numpy as np

DTypeLike: TypeAlias = Union[DType, str, type[Any], "np.dtype[Any]"]
ShapeLike: TypeAlias = int | Sequence[int]
IndexItem: TypeAlias = int | slice | EllipsisType | None
IndexLike: TypeAlias = IndexItem | tuple[IndexItem, ...]
ArrayLike: TypeAlias = Union[Array, "np.ndarray[Any, np.dtype[Any]]", complex, Sequence[Any], Any]
GridSize: TypeAlias = int | Sequence[int]
MathMode: TypeAlias = Literal["safe", "relaxed", "fast"]
Constants: TypeAlias = Mapping[str, bool | int | float]
