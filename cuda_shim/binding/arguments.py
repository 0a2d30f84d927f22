"""Conversions in generated functions, for arguments and results that hip-python takes or gives in another form."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from cuda_shim.binding.handles import address
from cuda_shim.binding.integers import C_INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "address",
    "byte_string",
    "c_string",
    "handle_pointer",
    "name_in_c",
    "number",
    "require",
    "require_type",
    "void_pointer",
]

_POINTER = C_INTEGERS["unsigned long long"]
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def void_pointer(value: Any) -> Any:
    """Return a `void*` argument as hip-python takes it: an address, or the buffer whose memory is meant.

    Takes None, objects with an integer value (handles, numpy integers) and contiguous buffers, as
    cuda-python does. Raises TypeError for anything else. Numpy arrays of any length are buffers.
    """
    if value is None:
        return 0
    if isinstance(value, ctypes.c_void_p):
        return ctypes.addressof(value)  # the variable is meant, not the address that it holds
    kind = type(value)
    if (hasattr(kind, "__int__") or hasattr(kind, "__index__")) and not getattr(value, "ndim", 0):
        number = int(value)
        if _POINTER.low <= number <= _POINTER.high:
            return number
        raise _no_pointer(kind)
    try:
        memoryview(value)
    except TypeError:
        raise _no_pointer(kind) from None
    return value


def _no_pointer(kind: type[Any]) -> TypeError:
    return TypeError(f"Provided argument is of type {kind} but expected Type None, int or object with Buffer Protocol")


def c_string(value: object) -> bytes:
    """Return a `char*` argument as bytes, from bytes of any class and bytearrays. Raises TypeError for text."""
    if value.__class__ is bytes:
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(memoryview(value))
    raise TypeError(f"expected bytes, {name_in_c(type(value))} found")


def require(**arguments: Any) -> None:
    """Raise cuda-python's TypeError or ValueError for the first enum argument that is None, or no number."""
    for name, value in arguments.items():
        if value is None:
            raise TypeError(f"Argument '{name}' must not be None") from None
        int(value)


def require_type(name: str, cls: type[Any], value: object) -> None:
    """Raise cuda-python's TypeError unless an argument is an instance of `cls`, a struct class."""
    if not isinstance(value, cls):
        expected = f"{cls.__module__}.{cls.__name__}"
        raise TypeError(f"Argument '{name}' has incorrect type (expected {expected}, got {name_in_c(type(value))})")


def handle_pointer(name: str, cls: type[Any]) -> Callable[[Any], int]:
    """Return the function that makes the argument for a pointer to handles: the memory of a handle, or an address.

    The function raises cuda-python's TypeError for anything else.
    """
    expected = f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"

    def pointer(value: object) -> int:
        if isinstance(value, cls):
            return int(value.getPtr())
        if value is None or isinstance(value, int):
            return address(value)
        raise TypeError(
            f"Argument '{name}' is not instance of type (expected <class 'int, {expected}'>, found {type(value)}"
        )

    return pointer


def name_in_c(kind: type[Any]) -> str:
    """Return a type's name as C has it: in full for types that are compiled, as CUDA Python's own classes are there."""
    name: str = type.__dict__["__name__"].__get__(kind)
    compiled = not kind.__flags__ & _HEAP_TYPE
    return f"{kind.__module__}.{name}" if compiled and kind.__module__ != "builtins" and "." not in name else name


def number(result: Any) -> int:
    """Return a pointer or handle that hip-python returned, as its address; None, which stands for NULL, is 0."""
    return 0 if result is None else int(result)


def byte_string(result: Any) -> bytes | None:
    """Return a C string that hip-python returned, as bytes."""
    if result is None or isinstance(result, bytes):
        return result
    if isinstance(result, str):
        return result.encode()
    return bytes(result).split(b"\0", 1)[0]
