"""Handle classes: CUDA's opaque pointers, integers and callbacks (CUstream, CUdeviceptr, CUhostFn…)."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable

from cuda_shim.binding.full_names import NamedInFull
from cuda_shim.binding.integers import C_INTEGERS, CInteger, as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["address", "handle_maker", "handle_number", "has_own_memory", "integer_of", "is_handle_class", "make_handle"]

# Programs write `CUdeviceptr(p).getPtr()` and read the address after the handle is gone: with cuda-python the
# freed memory still holds the number. So the last few cells outlive their handles here.
_recent_cells: deque[Any] = deque(maxlen=256)

_STORAGE = {"pointer": "unsigned long long", "callback": "unsigned long long"}


def integer_of(storage: str) -> CInteger:
    """Return the C integer that a handle of this storage is (see `make_handle`). Raises KeyError for any other word."""
    return C_INTEGERS[_STORAGE.get(storage, storage)]


def make_handle(name: str, storage: str, module: str, by_address: bool = True) -> type[Any]:
    """Return the class of a handle.

    `storage` is "pointer" for an opaque pointer, which works as an index and compares by address (where
    `by_address`: CUDA Python 11 has all handles compare by identity), "callback" for a function pointer, or
    the C type of the integer, which compares by identity. Raises KeyError for any other word.
    """
    integer = integer_of(storage)
    namespace: dict[str, Any] = {
        "__slots__": ("__cell__", "__value__", "__weakref__"),
        "__module__": module,
        "__doc__": f"CUDA handle {name}.",
        "__handle__": integer,
        "__init__": _initializer(integer, overwrites=storage not in _STORAGE),
        "__int__": _int,
        "__repr__": _representation("<{} 0x{:x}>" if storage in _STORAGE else "<{} {}>", name),
        "__reduce_ex__": _refuse_reduce,
        "getPtr": _storage_address(integer),
    }
    if storage in _STORAGE:
        namespace["__index__"] = _int
    if name == "CUstream":
        namespace["__cuda_stream__"] = _cuda_stream
    if storage == "pointer" and by_address:
        namespace["__eq__"] = _equal
        namespace["__hash__"] = _hash
        namespace["__family__"] = object()  # shared with the typedefs that derive from the class
    return NamedInFull(name, (), namespace)


def is_handle_class(cls: type[Any]) -> bool:
    """Return whether `cls` was made by `make_handle` or derives from such a class."""
    return hasattr(cls, "__handle__")


def handle_maker(cls: type[Any]) -> Callable[[int], Any]:
    """Return the function that makes a handle of a number that HIP wrote, which needs no check."""
    new = object.__new__

    def make(number: int) -> Any:
        handle: Any = new(cls)
        handle.__cell__ = None
        handle.__value__ = number
        return handle

    return make


def has_own_memory(cls: type[Any]) -> bool:
    """Return whether `getPtr` and `__int__` of a class are a handle's own, and not defined by a program's class."""
    owners = [next((one for one in cls.__mro__ if name in vars(one)), object) for name in ("getPtr", "__int__")]
    return all("__handle__" in vars(owner) for owner in owners)


def address(value: Any) -> int:
    """Return the number that a handle argument stands for: 0 for None, the value of an object with `__int__`.

    Raises TypeError for text and for objects without an integer value, OverflowError for a number that no
    pointer can hold, with cuda-python's texts. Every call runs it, so the common cases are first.
    """
    if value is None:
        return 0
    if value.__class__ is int:
        return value if 0 <= value <= _LARGEST else _POINTER.check(value)
    try:
        cell = value.__cell__
    except AttributeError:
        return _POINTER.check(value)
    return value.__value__ if cell is None else cell.value  # type: ignore[no-any-return]


def handle_number(integer: CInteger) -> Callable[[Any], int]:
    """Return the function that gives a handle argument's number: `address` for pointers, a check for other integers."""
    if integer.words == _POINTER.words:
        return address

    def number(value: object) -> int:
        return 0 if value is None else integer.check(value)

    return number


_POINTER = C_INTEGERS["unsigned long long"]
_LARGEST = _POINTER.high


def _initializer(integer: CInteger, overwrites: bool) -> Any:
    """Return the constructor; with `overwrites`, as for integers, it writes an initial value into aliased memory."""

    def __init__(self: Any, init_value: object = 0, _ptr: object = 0) -> None:
        if _ptr:
            self.__cell__ = integer.ctype.from_address(as_integer(_ptr))
            if overwrites and (init_value.__class__ is not int or init_value):
                self.__cell__.value = integer.check(init_value)
        else:
            self.__cell__ = None
            self.__value__ = integer.check(init_value)

    return __init__


def _int(self: Any) -> int:
    return self.__value__ if self.__cell__ is None else int(self.__cell__.value)


def _representation(form: str, name: str) -> Any:
    def __repr__(self: Any) -> str:
        return form.format(name, int(self))

    return __repr__


def _storage_address(integer: CInteger) -> Any:
    def getPtr(self: Any) -> int:
        """Return the address of the memory that holds the handle; valid while this object lives."""
        if self.__cell__ is None:
            self.__cell__ = integer.ctype(self.__value__)
            _recent_cells.append(self.__cell__)
        return ctypes.addressof(self.__cell__)

    return getPtr


def _equal(self: Any, other: object) -> bool:
    """Equal addresses are equal within a handle class and its typedefs."""
    return getattr(type(other), "__family__", None) is self.__family__ and int(self) == int(other)  # type: ignore[call-overload]


def _hash(self: Any) -> int:
    return hash(int(self))


def _refuse_reduce(self: Any, protocol: object) -> Any:
    raise TypeError("no default __reduce__ due to non-trivial __cinit__")


def _cuda_stream(self: Any) -> tuple[int, int]:
    """Return the CUDA stream protocol: its version and the stream's address."""
    return 0, int(self)
