"""Numpy arrays as Triton takes tensors: with a dtype, an address, and the memory shared."""

from __future__ import annotations

from typing import Any

__all__ = ["HostArray", "wrap"]


class HostArray:
    """An array of numpy with PyTorch's `data_ptr`; `array` is the array, whose memory a kernel reads and writes."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.dtype = array.dtype
        self.shape: tuple[int, ...] = array.shape

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        address: int = self.array.ctypes.data
        return address

    def stride(self, dimension: int) -> int:
        """Return the elements from one index of a dimension to the next, as PyTorch counts."""
        step: int = self.array.strides[dimension]
        return step // self.array.itemsize  # type: ignore[no-any-return]

    def numel(self) -> int:
        """Return the number of elements."""
        size: int = self.array.size
        return size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array if dtype is None else self.array.astype(dtype)


def wrap(array: Any) -> HostArray:
    """Return an argument of a Triton kernel for an array of numpy, whose memory is shared."""
    return HostArray(array)
