"""Buffers and shapes that arrays are made from, checked."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from cuda_shim.pygpu.dtypes import UnsupportedDataType

__all__ = ["as_array", "c_strides", "checked_shape", "host_side", "is_array", "is_integer"]


def is_integer(value: Any) -> bool:
    """Return whether a value is the one length of a shape."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_array(value: Any) -> bool:
    """Return whether a value is an array of the host in another library's form, such as a tensor of PyTorch."""
    return hasattr(value, "__array__") and not isinstance(value, (np.ndarray, np.generic))


def as_array(source: Any) -> np.ndarray[Any, Any]:
    """Return a buffer, or another library's array of the host, as an array over the same memory where that is possible.

    Raises UnsupportedDataType if it is neither, or if numpy has no dtype for its elements.
    """
    if isinstance(source, np.ndarray):
        return source
    kind = type(source).__name__
    if is_array(source):
        try:
            return np.asarray(source)
        except TypeError as wrong:
            raise UnsupportedDataType(f"a {kind} cannot become an array of numpy: {wrong}") from wrong
    try:
        return np.asarray(memoryview(source))
    except TypeError:
        raise UnsupportedDataType(f"a GPUArray is made from a buffer or a shape, not from a {kind}") from None


def host_side(data: Any, dtype: np.dtype[Any]) -> tuple[tuple[int, ...], np.ndarray[Any, Any] | None]:
    """Return the shape of a DeviceArray from `data`, and the buffer as elements of a dtype where it is one."""
    if isinstance(data, (list, tuple)):
        return checked_shape(data), None
    if is_array(data):
        data = as_array(data)
    if not isinstance(data, np.ndarray):
        if hasattr(data, "__index__"):
            return checked_shape((data,)), None
        data = np.asarray(memoryview(data))
    if not data.flags.c_contiguous:
        raise ValueError("a DeviceArray points into its buffer, which has to be C-contiguous: numpy.ascontiguousarray")
    if data.dtype.itemsize == dtype.itemsize:
        return data.shape, data.view(dtype)
    if data.nbytes % dtype.itemsize:
        raise ValueError(f"a buffer of {data.nbytes} bytes holds no whole number of {dtype} ({dtype.itemsize} bytes)")
    flat = data.reshape(-1).view(dtype)
    return flat.shape, flat


def c_strides(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    """Return the strides of an array in C order whose elements are `step` apart."""
    strides = []
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape, or its one length, as a tuple. Raises TypeError or ValueError if it is not one."""
    try:
        lengths = (shape,) if is_integer(shape) else tuple(map(operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape is made of integers, which {shape!r} is not") from None
    if any(length < 0 for length in lengths):
        raise ValueError(f"the lengths of a shape must not be negative: {lengths}")
    if math.prod(lengths) > 2**59:  # more bytes than an address can name, with any dtype
        raise ValueError(f"an array of shape {lengths} is too large")
    return lengths
