"""DLPack's structures and capsules by ctypes: how an array is handed to another library, and taken from one.

https://dmlc.github.io/dlpack/latest/ has the structures. A capsule owns its tensor until a consumer renames it;
the owner of the tensor calls its deleter once.

The capsules that are handed out are numpy's, of an array over the same memory, with the device written over. Their
deleter is C: a consumer may call it without the lock of the interpreter, while an exception is pending, or when the
interpreter has ended, and a callback of ctypes survives neither of the last two.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

__all__ = ["CPU", "CUDA", "CUDA_HOST", "CUDA_MANAGED", "ROCM", "ROCM_HOST", "Tensor", "export", "take"]

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13

_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}
_KINDS = {code: kind for kind, code in _CODES.items()}
_READ_ONLY, _COPIED = 1, 2

_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"
# Capsules keep the address of their name.
_USED = {_PLAIN: b"used_dltensor", _VERSIONED: b"used_dltensor_versioned"}


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    )


def _python(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of Python's C interface."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)


class _Described:
    """Memory as numpy reads it from `__array_interface__`; the array that numpy makes of it keeps it alive."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], owner: object) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": shape, "typestr": dtype.str, "version": 3}
        self._owner = owner


def export(
    address: int, shape: tuple[int, ...], dtype: np.dtype[Any], device: tuple[int, int], owner: object,
    versioned: bool, *, copied: bool = False,
) -> object:  # fmt: skip
    """Make a capsule for an array in C order.

    Args:
        address: the address of the first element. Nothing is read from there.
        shape: the number of elements along each dimension.
        dtype: the dtype of the elements.
        device: DLPack's kind and the number.
        owner: the object that keeps the memory alive, until the consumer is done with it.
        versioned: True if the consumer understands version 1, which numpy makes from 2.1 on.
        copied: True if the memory is the consumer's alone.
    """
    # An array without elements may have no address, which numpy before 2 does not take for one.
    array = np.asarray(_Described(address, shape, dtype, owner)) if address else np.empty(shape, dtype)
    try:
        capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    except TypeError:  # numpy before 2.1
        capsule = array.__dlpack__()
    _, managed = _content(capsule)
    # Numpy has memory of its own for an array without elements.
    managed.tensor.data = address
    managed.tensor.device_type, managed.tensor.device_id = device
    if copied and isinstance(managed, _ManagedVersioned):
        managed.flags |= _COPIED
    return capsule


def _content(capsule: object) -> tuple[bytes, Any]:
    """Return the name of a capsule and the structure in it. Raises TypeError if it is not a capsule of DLPack."""
    for name, kind in ((_VERSIONED, _ManagedVersioned), (_PLAIN, _Managed)):
        if _is_valid(capsule, name):
            return name, kind.from_address(_pointer(capsule, name))
    raise TypeError("__dlpack__ gave no capsule of DLPack, or one that was used before")


class Tensor:
    """A tensor taken from a capsule; its deleter is called when nothing refers to it any more.

    Attributes:
        address: the address of the first element.
        shape: the number of elements along each dimension.
        strides: elements from one to the next along each dimension; None for C order.
        dtype: the dtype of the elements.
    """

    def __init__(self, managed: Any) -> None:
        if managed.deleter:
            done = weakref.finalize(self, _Deleter(managed.deleter), ctypes.addressof(managed))
            done.atexit = False  # libraries may have been unloaded by then
        tensor = managed.tensor
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        if tensor.lanes != 1 or tensor.code not in _KINDS:
            raise TypeError(f"DLPack's type {tensor.code} of {tensor.bits} bits × {tensor.lanes} is not one of PyGPU's")
        self.dtype = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
        if getattr(managed, "flags", 0) & _READ_ONLY:
            raise BufferError("a read-only array cannot be shared, since .ptr allows writes to it: pass a copy")


def take(capsule: object) -> Tensor:
    """Take the tensor out of a capsule.

    Raises TypeError if it is not a capsule of DLPack, or for an unknown dtype; BufferError for a read-only one.
    """
    name, managed = _content(capsule)
    _rename(capsule, _USED[name])
    return Tensor(managed)
