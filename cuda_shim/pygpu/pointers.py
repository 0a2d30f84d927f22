"""`pointer_wrapper_<dtype>`: an address of the host or of a device as a Python object."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import numpy as np

from cuda_shim.pygpu.resources import Borrowed, Memory

__all__ = ["pointer_wrapper"]


class pointer_wrapper:  # noqa: N801  the name is PyGPU's
    """An address with the dtype of the memory there. It keeps that memory alive.

    A pointer to memory of the host is safe: `get` gives an array over it. One to memory of a device is not; `int` gives
    its address, as does ctypes, which takes the object itself where a `c_void_p` is wanted. Without arguments this is
    the null pointer.
    """

    dtype: ClassVar[np.dtype[Any]]

    def __init__(self, target: np.ndarray[Any, Any] | Memory | Borrowed | None = None) -> None:
        self._target = target

    def is_safe(self) -> bool:
        """Return whether it points to memory of the host that is there."""
        return isinstance(self._target, np.ndarray)

    def get(self) -> np.ndarray[Any, Any]:
        """Return an array over the memory that it points to.

        Raises ValueError for memory of a device, which Python cannot read, and for the null pointer.
        """
        if not isinstance(self._target, np.ndarray):
            what = "the null pointer" if self._target is None else "a pointer to memory of a device"
            raise ValueError(f"{what} is not safe to read; int() gives its address")
        return self._target

    def create(self, count: int) -> None:
        """Point to new memory of the host, for `count` elements. Raises ValueError for a negative number."""
        count = operator.index(count)
        if count < 0:
            raise ValueError(f"create(): {count} elements: the number must not be negative")
        self._target = np.empty(count, self.dtype)

    def destroy(self) -> None:
        """Become the null pointer."""
        self._target = None

    def __int__(self) -> int:
        """Return the address. Raises ValueError where the memory has been freed."""
        if self._target is None:
            return 0
        if isinstance(self._target, np.ndarray):
            return int(self._target.ctypes.data)
        return self._target.address

    __index__ = __int__

    @property
    def _as_parameter_(self) -> int:
        return int(self)

    def __repr__(self) -> str:
        if self._target is not None and not isinstance(self._target, np.ndarray) and not self._target.alive:
            return f"<{type(self).__name__}: freed>"
        return f"<{type(self).__name__}: {int(self):#x}, is_safe={self.is_safe()}>"
