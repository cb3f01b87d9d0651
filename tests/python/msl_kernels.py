"""What kernels of vectors that lie in memory as plain numbers begin and end with."""

from collections.abc import Iterable

import ml_dtypes
import numpy as np

# The numbers of the language.
NUMBERS = {
    "char": np.dtype(np.int8),
    "uchar": np.dtype(np.uint8),
    "short": np.dtype(np.int16),
    "ushort": np.dtype(np.uint16),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "long": np.dtype(np.int64),
    "ulong": np.dtype(np.uint64),
    "half": np.dtype(np.float16),
    "bfloat": np.dtype(ml_dtypes.bfloat16),
    "float": np.dtype(np.float32),
}
FLOATS = ("half", "bfloat", "float")

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"


def vector(type: str, width: int) -> str:
    """The type of so many numbers; of one, the scalar type."""
    return f"{type}{width}" if width > 1 else type


def loads(type: str, width: int, names: Iterable[str]) -> str:
    """Statements that make vector `x` of the numbers at `x_`, for each name; `i` counts vectors."""
    whole = vector(type, width)
    return "".join(
        f"  {whole} {name} = {whole}("
        + ", ".join(f"{name}_[i * {width} + {k}]" for k in range(width))
        + ");\n"
        for name in names
    )


def stores(width: int) -> str:
    """Statements that write the vector `r` to the numbers at `out`."""
    values = [f"r[{k}]" for k in range(width)] if width > 1 else ["r"]
    return "".join(f"  out[i * {width} + {k}] = {value};\n" for k, value in enumerate(values))
