"""`GPUArray`: an array on the device that allocates for itself, and `to_gpu`, which makes one from host data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cuda_shim.pygpu import exchange, indexing
from cuda_shim.pygpu.buffers import as_array, checked_shape, is_array, is_integer
from cuda_shim.pygpu.calls import checked, runtime
from cuda_shim.pygpu.device_array import DeviceArray
from cuda_shim.pygpu.dtypes import UnsupportedDataType, class_for, native_dtype
from cuda_shim.pygpu.pointers import pointer_wrapper
from cuda_shim.pygpu.resources import Borrowed, Memory, on_device
from cuda_shim.pygpu.status import cudaError_t

__all__ = ["GPUArray", "from_dlpack", "to_gpu"]

_TO_DEVICE, _TO_HOST = 1, 2  # cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost


class GPUArray:
    """An array on the current device, in C order.

    Args:
        data: the source of its contents.
            A buffer, such as a numpy array: its data are on the device afterwards, and `to_gpu` sends them again.
            A shape: the elements are uninitialized.
            An array of another library on the host, such as a tensor of PyTorch: like a buffer.
            An array on a device, with `__cuda_array_interface__` or `__dlpack__`: shares that memory; copied where it
            is not C-contiguous.
        dtype: the dtype of an array made from a shape.
        shape: another way to give a shape.
        copy: True if the host's side is a copy of the buffer.

    Raises:
        UnsupportedDataType: (a TypeError) a dtype that PyGPU has none for, or data that are not one of these.
        TypeError: a shape without a dtype, or a dtype that is not that of the data.
        DeviceMemoryError: (a MemoryError) the device has not enough memory.
        DeviceError: no device, or another call of CUDA failed.
    """

    def __init__(self, data: Any = None, dtype: Any = None, *, shape: Any = None, copy: bool = False) -> None:
        if (data is None) == (shape is None):
            raise TypeError("GPUArray() takes a buffer or a shape")
        #: The buffer, where its elements are not in C order and the host's side is a copy in C order.
        self._source: np.ndarray[Any, Any] | None = None
        source = shape if data is None else data
        described = getattr(source, "__cuda_array_interface__", None)
        if described is not None:
            self._share(exchange.from_interface(source, described))
        elif isinstance(source, (tuple, list)) or (not isinstance(source, np.ndarray) and is_integer(source)):
            if dtype is None:
                raise TypeError("GPUArray() from a shape takes a dtype as well; to_gpu() sends numpy arrays")
            self._device_array = _device_array(native_dtype(dtype), checked_shape(source))
            self._allocate()
        elif exchange.needs_dlpack(source):
            self._take(exchange.from_capsule(source), copy)
        else:
            self._from_buffer(as_array(source), copy)
        if dtype is not None and native_dtype(dtype) != self.dtype:
            raise TypeError(f"the data are of dtype {self.dtype}, not {np.dtype(dtype)}; convert them with astype")

    def _take(self, source: exchange.Shared | np.ndarray[Any, Any], copy: bool = False) -> None:
        if isinstance(source, np.ndarray):
            self._from_buffer(source, copy)
        else:
            self._share(source)

    def _from_buffer(self, source: np.ndarray[Any, Any], copy: bool) -> None:
        dtype = native_dtype(source.dtype)
        if copy:
            source = source.copy(order="C")
        if not source.flags.c_contiguous:
            self._source = source
        self._device_array = _device_array(dtype, np.ascontiguousarray(source).reshape(source.shape))
        self._allocate()
        self.to_gpu()

    def _allocate(self) -> None:
        status = self._device_array.allocate()
        _check(status, f"allocating {self.nbytes} bytes on the device")

    def _share(self, shared: exchange.Shared) -> None:
        """Use the memory of another array, or a copy in C order where it has another."""
        dtype = native_dtype(shared.dtype)
        if shared.address % dtype.itemsize:
            raise ValueError(f"{shared.address:#x} is no address that a GPU can load a {dtype} from: it is not aligned")
        self._device_array = _device_array(dtype, shared.shape)
        memory = Borrowed(shared.address, shared.device, shared.owner)
        if shared.contiguous:
            self._device_array.adopt(memory)
            return
        with on_device(shared.device):
            self._allocate()
        view = np.lib.stride_tricks.as_strided(np.empty((), dtype), shared.shape, shared.strides, writeable=False)
        indexing.fetch_view(memory, 0, view, self.ptr)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self._device_array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of elements along each dimension."""
        return self._device_array.shape()

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension."""
        return self._device_array.strides()

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._device_array.size()

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self._device_array.nbytes()

    @property
    def ptr(self) -> int:
        """The address on the device, as ctypes takes it. Raises ValueError where the array has been freed."""
        return self._memory.address

    @property
    def device(self) -> int:
        """The number of the device that it is on. Raises ValueError where the array has been freed."""
        return self._memory.device

    @property
    def device_data(self) -> pointer_wrapper:
        """The pointer to the device's side."""
        return self._device_array.device_data()

    @property
    def host_data(self) -> pointer_wrapper:
        """The pointer to the host's side, which `to_gpu` sends."""
        return self._device_array.host_data()

    @property
    def last_status(self) -> cudaError_t:
        """The status of the last allocation or copy between the two sides."""
        return self._device_array.last_status()

    @property
    def _memory(self) -> Memory | Borrowed:
        return self._device_array.memory()

    def to_gpu(self) -> None:
        """Send the host's side to the device: the buffer that the array was made from, as it is now.

        Raises ValueError where the array has been freed, DeviceError where the copy fails.
        """
        _ = self._memory  # a freed array is an error of its own
        if self._source is not None:
            np.copyto(self.host_data.get(), self._source)
        _check(self._device_array.to_device(), f"copying {self.nbytes} bytes to the device")

    to_device = to_gpu

    def to_host(self) -> None:
        """Copy the device's side into the buffer that the array was made from; see `get` for a new array.

        Raises ValueError where the array has been freed or the buffer is read-only, DeviceError where the copy fails.
        """
        _ = self._memory  # a freed array is an error of its own
        _check(self._device_array.to_host(), f"copying {self.nbytes} bytes from the device")
        if self._source is not None:
            np.copyto(self._source, self.host_data.get())

    def get(self) -> np.ndarray[Any, Any]:
        """Return the elements on the device, as a new array of numpy.

        Raises ValueError where the array has been freed, DeviceError where the copy fails.
        """
        elements = np.empty(self.shape, self.dtype)
        answer = runtime.cudaMemcpy(elements.ctypes.data, self.ptr, elements.nbytes, _TO_HOST)
        checked(answer, f"copying {elements.nbytes} bytes from the device")
        return elements

    def set(self, data: Any) -> None:
        """Send other data of the same shape and dtype to the device.

        Raises TypeError for another dtype, ValueError for another shape or where the array has been freed,
        DeviceError where the copy fails.
        """
        source = as_array(data)
        if source.dtype != self.dtype:
            raise TypeError(f"set(): the array is of dtype {self.dtype}, the data are of {source.dtype}")
        if source.shape != self.shape:
            raise ValueError(f"set(): the array is of shape {self.shape}, the data are of {source.shape}")
        source = np.ascontiguousarray(source)
        answer = runtime.cudaMemcpy(self.ptr, source.ctypes.data, source.nbytes, _TO_DEVICE)
        checked(answer, f"copying {source.nbytes} bytes to the device")

    def free(self) -> None:
        """Give the memory on the device back now; every later use of it is a ValueError."""
        _check(self._device_array.free(), "freeing device memory")

    def __getitem__(self, index: Any) -> GPUArray:
        """Return the elements that numpy's rules give for an index, as a new array that a kernel fills on the device.

        Raises IndexError as numpy does, ValueError where the array has been freed.
        """
        memory = self._memory
        key = index if isinstance(index, tuple) else (index,)
        key = tuple(map(_index_of_host, key))
        with on_device(memory.device):
            if indexing.basic(key):
                offset, view = indexing.view_of(self.shape, self.dtype, key)
                result = GPUArray(view.shape, self.dtype)
                indexing.fetch_view(memory, offset, view, result.ptr)
            else:
                places = indexing.places(self.shape, key)
                result = GPUArray(places.shape, self.dtype)
                sent = GPUArray(places)
                indexing.fetch_places(memory, self.dtype.itemsize, result.size, result.ptr, sent.ptr)
        return result

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __iter__(self) -> Iterator[GPUArray]:
        return (self[number] for number in range(len(self)))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array for other libraries, by version 3 of the protocol, once the default stream has done its work.

        Raises ValueError where the array has been freed.
        """
        address = exchange.settled(self.ptr)
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __dlpack__(
        self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None, copy: bool | None = None,
    ) -> object:  # fmt: skip
        """Return the array as a capsule of DLPack; on the host where `dl_device` asks for that.

        Raises BufferError for a device that the array is not on, ValueError where it has been freed.
        """
        return exchange.to_capsule(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the kind of device and its number, as DLPack counts them."""
        return exchange.device_kind(), self.device

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the elements on the device, for numpy; always a copy. Raises ValueError if a copy is forbidden."""
        if copy is False:
            raise ValueError("an array on the device cannot be given to numpy without a copy")
        elements = self.get()
        return elements if dtype is None else elements.astype(dtype, copy=False)

    def __repr__(self) -> str:
        where = f"device={self.device}" if self._device_array.allocated() else "freed"
        return f"<GPUArray: shape={self.shape}, dtype={self.dtype}, {where}>"


def to_gpu(data: Any) -> GPUArray:
    """Send host data to the device: a numpy array or another buffer. Raises as GPUArray does."""
    if isinstance(data, (list, tuple)):
        raise UnsupportedDataType("to_gpu() takes a buffer such as a numpy array: numpy.array(…)")
    return GPUArray(data)


def from_dlpack(data: Any) -> GPUArray:
    """Return the array of another library by DLPack: shared where it is on a device, copied from the host.

    Raises:
        TypeError: no `__dlpack__`, or a dtype that PyGPU has none for.
        BufferError: on a device of another kind.
    """
    array = GPUArray.__new__(GPUArray)
    array._source = None
    array._take(exchange.from_capsule(data))
    return array


def _index_of_host(item: Any) -> Any:
    """Return one part of an index, as numpy takes it: arrays of other libraries are copied to the host.

    A tensor of PyTorch has `__index__` as well, but numpy reads it as an array.
    """
    if getattr(item, "__cuda_array_interface__", None) is not None:
        return GPUArray(item).get()
    return as_array(item) if is_array(item) else item


def _device_array(dtype: np.dtype[Any], data: Any) -> DeviceArray:
    array: DeviceArray = class_for(DeviceArray, dtype.name)(data)
    return array


def _check(status: cudaError_t, doing: str) -> None:
    """Raise as `checked` does where a call of the low-level array did not succeed."""
    checked((runtime.cudaError_t(status.code),), doing)
