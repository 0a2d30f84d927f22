"""The struct of `cuda.bindings._v2.nvrtc` that describes the headers which come with NVRTC."""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["BundledHeadersInfo", "bundled_headers_info_dtype"]

_MODULE = "cuda.bindings._v2.nvrtc"


class _Info(ctypes.Structure):
    _fields_ = (
        ("available", ctypes.c_int),
        ("compressed_size", ctypes.c_size_t),
        ("uncompressed_size", ctypes.c_size_t),
        ("cuda_version_major", ctypes.c_int),
        ("cuda_version_minor", ctypes.c_int),
        ("num_files", ctypes.c_uint),
    )


def _field(name: str) -> property:
    """Return the property of a field; memory that is read-only refuses to be written."""

    def read(self: BundledHeadersInfo) -> int:
        value: int = getattr(self._info, name)
        return value

    def write(self: BundledHeadersInfo, value: int) -> None:
        if self._readonly:
            raise ValueError("this BundledHeadersInfo is read-only")
        setattr(self._info, name, value)

    return property(read, write, doc=f"The field {name}.")


class BundledHeadersInfo:
    """Whether headers come with NVRTC, how large they are, how many, and of which CUDA. A new one holds zeros."""

    __module__ = _MODULE

    available = _field("available")
    compressed_size = _field("compressed_size")
    uncompressed_size = _field("uncompressed_size")
    cuda_version_major = _field("cuda_version_major")
    cuda_version_minor = _field("cuda_version_minor")
    num_files = _field("num_files")

    def __init__(self) -> None:
        self._info = _Info()
        self._readonly = False
        self._owner: object = None

    @property
    def ptr(self) -> int:
        """The address of the struct."""
        return ctypes.addressof(self._info)

    def __int__(self) -> int:
        return self.ptr

    def __bytes__(self) -> bytes:
        return bytes(self._info)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BundledHeadersInfo) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]  # its fields change

    @classmethod
    def from_ptr(cls, ptr: int, readonly: bool = False, owner: object = None) -> BundledHeadersInfo:
        """Return the struct at an address: with an owner, which is kept alive, the struct itself, else a copy."""
        if not ptr:
            raise ValueError("ptr: the address of a struct is required, not 0")
        there = _Info.from_address(ptr)
        return cls._over(there if owner is not None else _Info.from_buffer_copy(there), readonly, owner)

    @classmethod
    def from_buffer(cls, buffer: Any) -> BundledHeadersInfo:
        """Return a struct with the memory of a buffer of its size."""
        size = memoryview(buffer).nbytes
        if size != ctypes.sizeof(_Info):
            raise ValueError(f"the buffer has {size} bytes; the struct has {ctypes.sizeof(_Info)}")
        return cls._over(_Info.from_buffer(buffer), False, buffer)

    @classmethod
    def from_data(cls, data: Any) -> BundledHeadersInfo:
        """Return a struct with the memory of a numpy array that holds one element of its dtype."""
        import numpy

        if not isinstance(data, numpy.ndarray):
            raise TypeError(f"data: a numpy array is required, not {type(data).__name__}")
        if data.size != 1 or data.dtype != bundled_headers_info_dtype():
            raise ValueError("data: an array of one element of bundled_headers_info_dtype is required")
        there = _Info.from_address(data.ctypes.data)
        return cls._over(there, not data.flags.writeable, data)

    @classmethod
    def _over(cls, info: _Info, readonly: bool, owner: object) -> BundledHeadersInfo:
        made = cls()
        made._info, made._readonly, made._owner = info, readonly, owner
        return made


def bundled_headers_info_dtype() -> Any:
    """Return the struct as a numpy dtype."""
    import numpy

    return numpy.dtype(_Info)
