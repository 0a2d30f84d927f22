"""The dtypes of PyGPU, and the classes that there is one of for each."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

__all__ = ["SUPPORTED_DTYPES", "UnsupportedDataType", "class_for", "native_dtype"]

SUPPORTED_DTYPES = (
    "int16", "int32", "int64", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


class UnsupportedDataType(TypeError):
    """An array of a dtype that PyGPU has none for, or an object that is neither a buffer nor a shape."""


def native_dtype(dtype_like: Any) -> np.dtype[Any]:
    """Return a dtype that PyGPU has, from anything that numpy takes for one.

    Raises UnsupportedDataType for every other, such as bool or one of the other byte order.
    """
    try:
        dtype: np.dtype[Any] = np.dtype(dtype_like)
    except TypeError as wrong:
        raise UnsupportedDataType(f"{dtype_like!r} is no dtype: {wrong}") from None
    if dtype.name not in SUPPORTED_DTYPES:
        raise UnsupportedDataType(f"dtype {dtype} is not supported; PyGPU has {', '.join(SUPPORTED_DTYPES)}")
    if not dtype.isnative:
        raise UnsupportedDataType(
            f"dtype {dtype!r} has the byte order of other machines; convert with astype({dtype.name!r})"
        )
    return dtype


@cache
def class_for(base: type[Any], dtype: str) -> type[Any]:
    """Return the class derived from `base` for elements of one dtype, such as DeviceArray_int16."""
    name = f"{base.__name__}_{dtype}"
    return type(name, (base,), {"dtype": np.dtype(dtype), "__doc__": base.__doc__, "__module__": "PyGPU"})
