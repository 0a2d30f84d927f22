"""DLPack's structures and capsules by ctypes: how an array is handed to another library, and taken from one.

https://dmlc.github.io/dlpack/latest/ has the structures. A capsule owns its tensor until a consumer renames it;
whoever owns the tensor calls its deleter once.
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
_READ_ONLY = 1

_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"


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
    """A function of Python's C interface. Capsules are addresses: nothing may refer to one that is being destroyed."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)

#: What is handed out, by the address of its structure: the structure and its arrays, and what keeps the memory alive.
_handed_out: dict[int, tuple[Any, ...]] = {}


def _delete(address: int) -> None:
    """A consumer is done with a tensor."""
    _handed_out.pop(address, None)


def _destroy_capsule(capsule: int) -> None:
    """A capsule that nobody consumed still owns its tensor."""
    for name in (_PLAIN, _VERSIONED):
        if _is_valid(capsule, name):
            _handed_out.pop(_pointer(capsule, name), None)


# C keeps their addresses, so they are kept here.
_delete_callback = _Deleter(_delete)
_destroy_callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy_capsule)


def export(
    address: int, shape: tuple[int, ...], dtype: np.dtype[Any], device: tuple[int, int], owner: object,
    versioned: bool,
) -> object:  # fmt: skip
    """A capsule for an array in C order.

    Args:
        address: of the first element.
        shape: the number of elements along each dimension.
        dtype: of the elements.
        device: DLPack's kind and the number.
        owner: what keeps the memory alive, until the consumer is done with it.
        versioned: whether the consumer understands version 1.
    """
    steps = [1]
    for length in reversed(shape[1:]):
        steps.append(steps[-1] * length)
    lengths = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    strides = (ctypes.c_int64 * max(len(shape), 1))(*reversed(steps))
    tensor = _DLTensor(
        address, *device, len(shape), _CODES[dtype.kind], dtype.itemsize * 8, 1,
        ctypes.cast(lengths, ctypes.POINTER(ctypes.c_int64)), ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)), 0,
    )  # fmt: skip
    deleter = ctypes.cast(_delete_callback, ctypes.c_void_p)
    managed: Any = _ManagedVersioned(1, 0, None, deleter, 0, tensor) if versioned else _Managed(tensor, None, deleter)
    place = ctypes.addressof(managed)
    _handed_out[place] = (managed, lengths, strides, owner)
    return _new(place, _VERSIONED if versioned else _PLAIN, ctypes.cast(_destroy_callback, ctypes.c_void_p))


class Tensor:
    """A tensor taken from a capsule; its deleter is called when nothing refers to it any more.

    Attributes:
        address: of the first element.
        shape: the number of elements along each dimension.
        strides: elements from one to the next along each dimension; None for C order.
        dtype: of the elements.
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
            raise TypeError(f"DLPack's type {tensor.code} of {tensor.bits} bits × {tensor.lanes} is none of PyGPU's")
        self.dtype = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
        if getattr(managed, "flags", 0) & _READ_ONLY:
            raise BufferError("a read-only array cannot be shared: whoever gets .ptr may write to it")


def take(capsule: object) -> Tensor:
    """Take the tensor out of a capsule. Raises TypeError for what is no capsule of DLPack, or an unknown dtype;
    BufferError for a read-only one."""
    place = id(capsule)
    for name, used, kind in (
        (_VERSIONED, b"used_dltensor_versioned", _ManagedVersioned), (_PLAIN, b"used_dltensor", _Managed)
    ):  # fmt: skip
        if type(capsule).__name__ == "PyCapsule" and _is_valid(place, name):
            managed = kind.from_address(_pointer(place, name))
            _rename(place, used)
            return Tensor(managed)
    raise TypeError("__dlpack__ gave no capsule of DLPack, or one that was used before")
