"""`array[index]` on the device: which elements an index means, by numpy's own rules, and the kernel that fetches them.

Integers, slices, `...` and `None` make a view with an offset and strides, which numpy computes without touching an
element. Lists and arrays of integers or of truth values name places one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_shim.pygpu import kernels
from cuda_shim.pygpu.buffers import c_strides
from cuda_shim.pygpu.resources import Borrowed, Memory

__all__ = ["basic", "fetch_places", "fetch_view", "places", "view_of"]


def basic(index: tuple[Any, ...]) -> bool:
    """Return whether an index is made of integers, slices, `...` and `None` alone."""
    return all(_is_basic(item) for item in index)


def _is_basic(item: Any) -> bool:
    if isinstance(item, (bool, np.bool_, np.ndarray)):
        return False
    return item is None or item is Ellipsis or isinstance(item, slice) or hasattr(item, "__index__")


def view_of(shape: tuple[int, ...], dtype: np.dtype[Any], index: tuple[Any, ...]) -> tuple[int, np.ndarray[Any, Any]]:
    """Return the places of a basic index's elements in a C-contiguous array.

    It is the offset of the first in bytes, and an array of the right shape and strides. Nothing may be read from that:
    there is only one element behind it. Raises IndexError as numpy does.
    """
    one = np.empty((), dtype)
    whole = np.lib.stride_tricks.as_strided(one, shape, c_strides(shape, dtype.itemsize), writeable=False)
    # With `...` numpy gives a view in every case, even for an index that selects one element.
    view = whole[index if any(item is Ellipsis for item in index) else (*index, Ellipsis)]
    return int(view.ctypes.data - whole.ctypes.data), view


def fetch_view(source: Memory | Borrowed, offset: int, view: np.ndarray[Any, Any], target: int) -> None:
    """Copy the elements of a view, `offset` bytes into `source`, to the address `target`."""
    itemsize = view.dtype.itemsize
    steps = [stride // itemsize for stride in view.strides]
    kernels.gather(source.device, itemsize, source.address + offset, target, view.shape, steps)


def places(shape: tuple[int, ...], index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """Return the places, in C order, of the elements that any index of numpy means, in the shape of the result.

    Raises IndexError as numpy does.
    """
    numbers = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)
    return np.ascontiguousarray(numbers[index])


def fetch_places(source: Memory | Borrowed, itemsize: int, count: int, target: int, places: int) -> None:
    """Copy the elements whose places are at the address `places`, on the same device, to `target`."""
    kernels.take(source.device, itemsize, source.address, target, count, places)
