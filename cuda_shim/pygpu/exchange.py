"""Arrays of other libraries as PyGPU's, and the other way round: `__cuda_array_interface__` and DLPack."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cuda_shim import backends
from cuda_shim.pygpu import dlpack
from cuda_shim.pygpu.buffers import c_strides, is_array
from cuda_shim.pygpu.calls import checked, runtime
from cuda_shim.pygpu.dtypes import UnsupportedDataType

__all__ = ["Shared", "device_kind", "from_capsule", "from_interface", "needs_dlpack", "to_capsule"]


_HOST = (dlpack.CPU, dlpack.CUDA_HOST, dlpack.ROCM_HOST)


class Shared(NamedTuple):
    """Memory of a device as another library describes it.

    Attributes:
        address: the address of the first element.
        shape: the number of elements along each dimension.
        strides: bytes from one element to the next along each dimension.
        dtype: the dtype of the elements.
        device: the number of the device.
        owner: the object that keeps the memory alive.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    device: int
    owner: object

    @property
    def contiguous(self) -> bool:
        """True if the elements are in C order without gaps."""
        if 0 in self.shape:
            return True
        expected = c_strides(self.shape, self.dtype.itemsize)
        return all(
            length == 1 or has == want for length, has, want in zip(self.shape, self.strides, expected, strict=True)
        )


def from_interface(owner: object, described: Any) -> Shared:
    """Return the memory that a `__cuda_array_interface__` describes, after its stream has finished.

    Raises TypeError if it is not such a description, ValueError for masked or read-only data, DeviceError where
    the address is no device's.
    """
    try:
        shape = tuple(map(int, described["shape"]))
        dtype = np.dtype(described["typestr"])
        address, read_only = described["data"]
        strides = described.get("strides")
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise TypeError(f"{type(owner).__name__} has an invalid __cuda_array_interface__: {wrong!r}") from None
    if described.get("mask") is not None:
        raise ValueError("a masked array cannot be shared")
    if read_only:
        raise ValueError("a read-only array cannot be shared, since .ptr allows writes to it: pass a copy")
    if described.get("stream") is not None:
        checked(runtime.cudaStreamSynchronize(described["stream"]), "waiting for the stream of the array")
    steps = c_strides(shape, dtype.itemsize) if strides is None else tuple(map(int, strides))
    _check_strides(steps, dtype)
    return Shared(int(address), shape, steps, dtype, _device_of(int(address)), owner)


def _device_of(address: int) -> int:
    if address == 0:  # an array without elements
        return int(checked(runtime.cudaGetDevice(), "asking for the current device"))
    attributes = checked(runtime.cudaPointerGetAttributes(address), f"asking whose memory {address:#x} is")
    if int(attributes.type) == 0:  # cudaMemoryTypeUnregistered
        raise ValueError(f"{address:#x} is not an address of device memory")
    return max(int(attributes.device), 0)


def _check_strides(strides: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if any(stride % dtype.itemsize for stride in strides):
        raise ValueError(f"strides of {strides} bytes are no whole elements of {dtype}")


def settled(address: int) -> int:
    """Return an address that is about to be handed over.

    The consumer's stream may be any, so this waits for the work on the default stream. Raises DeviceError where that
    work failed.
    """
    checked(runtime.cudaStreamSynchronize(0), "waiting for the default stream")
    return address


def device_kind() -> int:
    """Return DLPack's kind for our device: ROCm's on an AMD GPU, CUDA's on host cores.

    Libraries built for ROCm look for the former; those on a machine without a GPU are nearly all built for CUDA.
    """
    return dlpack.CUDA if _on_host() else dlpack.ROCM


def _on_host() -> bool:
    """Return whether memory of the device is memory of the host."""
    decided = backends.decided()
    return decided is None or decided.name == "cpu"


def to_capsule(
    array: Any, stream: int | None, max_version: tuple[int, int] | None, dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> object:  # fmt: skip
    """Return a GPUArray as a capsule; see GPUArray.__dlpack__."""
    device = (device_kind(), array.device) if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    versioned = max_version is not None and max_version[0] >= 1
    if device[0] == dlpack.CPU:
        return _to_host_capsule(array, versioned, copy)
    if device[0] not in (dlpack.CUDA, dlpack.ROCM) or device[1] != array.device:
        raise BufferError(f"the array is on device {array.device}, not on DLPack's {device}; copy it there first")
    if copy:
        array = array[...]
    if stream != -1:
        settled(array.ptr)
    owner = (array, array._memory)
    return dlpack.export(array.ptr, array.shape, array.dtype, device, owner, versioned, copied=bool(copy))


def _to_host_capsule(array: Any, versioned: bool, copy: bool | None) -> object:
    """Return a GPUArray as a capsule of the host: a copy, as from a GPU, unless the consumer forbids it."""
    shape, dtype, device = array.shape, array.dtype, (dlpack.CPU, 0)
    if copy is not False:
        elements = array.get()
        return dlpack.export(elements.ctypes.data, shape, dtype, device, elements, versioned, copied=True)
    if not _on_host():
        raise BufferError("an array on the device cannot be given to the host without a copy")
    return dlpack.export(settled(array.ptr), shape, dtype, device, (array, array._memory), versioned)


def needs_dlpack(source: Any) -> bool:
    """Return whether DLPack is the way to an array: it is on a device, or numpy cannot make an array of it."""
    if isinstance(source, np.ndarray) or not hasattr(source, "__dlpack_device__"):
        return False
    return source.__dlpack_device__()[0] not in _HOST or not is_array(source)


def from_capsule(producer: Any) -> Shared | np.ndarray[Any, Any]:
    """Return the memory of an object with `__dlpack__`: a device's, or an array of the host; see from_dlpack."""
    if not hasattr(producer, "__dlpack__") or not hasattr(producer, "__dlpack_device__"):
        raise TypeError(f"from_dlpack() takes an object with __dlpack__, not a {type(producer).__name__}")
    kind, number = (int(part) for part in producer.__dlpack_device__())
    if kind in _HOST:
        return _from_host(producer)
    if kind not in (dlpack.CUDA, dlpack.ROCM, dlpack.CUDA_MANAGED):
        raise BufferError(f"from_dlpack(): arrays on devices of DLPack's kind {kind} cannot be shared")
    # 1 is CUDA's legacy default stream, 0 is ROCm's: the producer makes the data ready for it.
    stream = 0 if kind == dlpack.ROCM else 1
    try:
        capsule = producer.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # a producer of before version 1
        capsule = producer.__dlpack__(stream=stream)
    tensor = dlpack.take(capsule)
    strides = tensor.strides or c_strides(tensor.shape, 1)
    in_bytes = tuple(stride * tensor.dtype.itemsize for stride in strides)
    return Shared(tensor.address, tensor.shape, in_bytes, tensor.dtype, number, tensor)


def _from_host(producer: Any) -> np.ndarray[Any, Any]:
    try:
        return np.from_dlpack(producer)
    except RuntimeError as wrong:  # numpy's error for a dtype that it does not have
        raise UnsupportedDataType(f"from_dlpack(): {type(producer).__name__} on the host: {wrong}") from wrong
