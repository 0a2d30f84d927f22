"""The memory behind a `void*` argument, for calls that do not go through hip-python.

cuda-python takes every contiguous buffer, read-only ones included, and ctypes none that is read-only; so the
buffer protocol is asked directly.
"""

from __future__ import annotations

import ctypes
import sys

from cuda_shim.binding.arguments import void_pointer
from cuda_shim.binding.full_names import NamedInFull
from cuda_shim.binding.handles import address, has_own_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Buffer", "memory_address", "memory_for_c", "pinned", "plain_classes"]

#: The memory of a writable buffer with a byte or more, as an array: ctypes passes that as its address.
pinned = (ctypes.c_char * 1).from_buffer

#: Classes whose objects compiled calls look at themselves: handles, which stand for their number (True), and arrays,
#: which stand for their memory (None). A class is added when an object of it is first passed.
plain_classes: dict[type[Any], bool | None] = {}

_ANY_CONTIGUOUS = 0x80 | 0x10 | 0x08  # PyBUF_ANY_CONTIGUOUS; PyBUF_SIMPLE is 0


class _View(ctypes.Structure):
    """Py_buffer, whose layout is part of Python's stable ABI."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


# The object goes by its address: in place of a `ctypes.py_object` ctypes passes the object in it, which may be NULL.
_get = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_View), ctypes.c_int)(
    ("PyObject_GetBuffer", ctypes.pythonapi)
)
_release = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_View))(("PyBuffer_Release", ctypes.pythonapi))


class Buffer:
    """The memory of an object with the buffer protocol, which stays in place while this lives.

    Raises the object's own error (ValueError, BufferError) when that memory is not contiguous.
    """

    __slots__ = ("_view",)

    def __init__(self, value: object) -> None:
        view = _View()
        _get(id(value), view, _ANY_CONTIGUOUS)
        self._view = view

    @property
    def address(self) -> int:
        """The address of the first byte."""
        return self._view.buf or 0

    # ctypes passes this address where the object is given for a `void*`.
    _as_parameter_ = address

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self._view.len)

    def __del__(self) -> None:
        view = getattr(self, "_view", None)
        if view is not None:
            _release(view)


def memory_for_c(value: Any) -> Any:
    """Return a `void*` argument as ctypes passes it: the address as an int, or an object that keeps the memory.

    Raises as `memory_address`.
    """
    kind = value.__class__
    if kind.__class__ is NamedInFull:
        if has_own_memory(kind):
            plain_classes[kind] = True
    elif getattr(value, "ndim", None):
        if _is_numpys(kind):
            plain_classes[kind] = None
        try:
            return pinned(value)
        except (TypeError, ValueError, BufferError):
            pass  # as below
    owner, at = memory_address(value)
    return at if owner is None else owner


def _is_numpys(kind: type[Any]) -> bool:
    return kind is getattr(sys.modules.get("numpy"), "ndarray", None)


def memory_address(value: Any) -> tuple[object, int]:
    """Return the object that keeps the memory of a `void*` argument in place, if any, and the memory's address.

    Raises as `void_pointer`, and ValueError for memory that is not contiguous.
    """
    kind = value.__class__
    if kind.__class__ is NamedInFull and hasattr(kind, "__handle__"):
        return None, address(value)
    if kind is bytearray or getattr(value, "ndim", None):
        try:
            memory = pinned(value)
        except (TypeError, ValueError, BufferError):
            pass  # read-only, empty, not in C's order, or no buffer at all: distinguished below
        else:
            return memory, ctypes.addressof(memory)
    pointer = void_pointer(value)
    if pointer.__class__ is int:
        return None, pointer
    buffer = Buffer(pointer)
    return buffer, buffer.address
