"""`DeviceArray_<dtype>`: memory of the host and, once allocated, as much of a device, with copies between them."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from cuda_shim.pygpu.buffers import c_strides, host_side
from cuda_shim.pygpu.calls import runtime
from cuda_shim.pygpu.dtypes import class_for
from cuda_shim.pygpu.pointers import pointer_wrapper
from cuda_shim.pygpu.resources import Borrowed, Memory, allocate
from cuda_shim.pygpu.status import SUCCESS, cudaError_t

__all__ = ["DeviceArray"]

_TO_DEVICE, _TO_HOST = 1, 2  # cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost


class DeviceArray:
    """The low-level array. It allocates nothing on the device by itself and does not look at a buffer's dtype.

    Calls of CUDA return their status; `last_status` remembers it. Bytes are taken as they are: where elements of
    the buffer are of another size, the array is flat, and has as many elements as the bytes make.

    Args:
        data: a C-contiguous buffer such as a numpy array, whose memory becomes the host's side; or the number of
            elements or a shape, for memory of its own.

    Raises:
        TypeError: `data` is not one of these, or its elements are Python objects.
        ValueError: the buffer is not C-contiguous or holds no whole number of elements; or a negative shape.
    """

    dtype: ClassVar[np.dtype[Any]]

    def __init__(self, data: Any) -> None:
        self._shape, self._buffer = host_side(data, self.dtype)
        self._memory: Memory | Borrowed | None = None
        self._status = SUCCESS

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self._shape)

    def shape(self) -> tuple[int, ...]:
        """Return the number of elements along each dimension."""
        return self._shape

    def strides(self) -> tuple[int, ...]:
        """Return bytes from one element to the next along each dimension."""
        return c_strides(self._shape, self.dtype.itemsize)

    def nbytes(self) -> int:
        """Return the number of bytes on either side."""
        return self.size() * self.dtype.itemsize

    def allocated(self) -> bool:
        """Return whether there is memory on a device."""
        return self._memory is not None and self._memory.alive

    def allocate(self) -> cudaError_t:
        """Allocate memory on the current device by cudaMalloc, unless there is some already; returns the status."""
        status = 0
        if not self.allocated():
            status, self._memory = allocate(self.nbytes())
        return self._done(status)

    def adopt(self, memory: Borrowed) -> None:
        """Use memory of a device that another library owns, from now on."""
        self._memory = memory

    def free(self) -> cudaError_t:
        """Give the memory on the device back by cudaFree, now; does nothing where there is none."""
        memory, self._memory = self._memory, None
        return self._done((None if memory is None else memory.release()) or 0)

    def to_device(self) -> cudaError_t:
        """Copy the host's side to the device by cudaMemcpy, and return its status.

        It is cudaErrorInvalidValue where nothing is allocated.
        """
        return self._done(runtime.cudaMemcpy(self._address(), self._host.ctypes.data, self._host.nbytes, _TO_DEVICE)[0])

    def to_host(self) -> cudaError_t:
        """Copy the device's side to the host by cudaMemcpy, and return its status.

        It is cudaErrorInvalidValue where nothing is allocated. Raises ValueError where the buffer is read-only.
        """
        if not self._host.flags.writeable:
            raise ValueError("to_host(): the buffer of this array is read-only")
        return self._done(runtime.cudaMemcpy(self._host.ctypes.data, self._address(), self._host.nbytes, _TO_HOST)[0])

    @property
    def _host(self) -> np.ndarray[Any, Any]:
        """The host's side: the buffer, or memory that is there from its first use on."""
        if self._buffer is None:
            self._buffer = np.empty(self._shape, self.dtype)
        return self._buffer

    def host_data(self) -> pointer_wrapper:
        """Return the pointer to the host's side."""
        return self._pointer(self._host)

    def device_data(self) -> pointer_wrapper:
        """Return the pointer to the device's side; the null pointer where nothing is allocated."""
        return self._pointer(self._memory if self.allocated() else None)

    def memory(self) -> Memory | Borrowed:
        """Return the device's side. Raises ValueError where there is none."""
        if self._memory is None or not self._memory.alive:
            raise ValueError("the device memory of this array has been freed")
        return self._memory

    def last_status(self) -> cudaError_t:
        """Return the status of the last call that this array made."""
        return self._status

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the host's side for numpy."""
        array: np.ndarray[Any, Any] = (np.array if copy else np.asarray)(self._host, dtype=dtype)
        return array

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: shape={self.shape()}, allocated={self.allocated()}>"

    def _address(self) -> int:
        return self._memory.address if self._memory is not None and self._memory.alive else 0

    def _pointer(self, target: Any) -> pointer_wrapper:
        wrapper: pointer_wrapper = class_for(pointer_wrapper, self.dtype.name)(target)
        return wrapper

    def _done(self, status: Any) -> cudaError_t:
        self._status = cudaError_t(status)
        return self._status
