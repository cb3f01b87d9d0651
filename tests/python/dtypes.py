"""The data types of metalcore, and NumPy's for them."""

import ml_dtypes
import numpy as np

import metalcore as mc

DTYPES = [str(dtype) for dtype in mc.DType]
INTEGERS = [name for name in DTYPES if "int" in name]


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's data type of that name; ml_dtypes has bfloat16."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
