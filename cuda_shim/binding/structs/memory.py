"""The memory behind a struct object, and the objects that have to live as long as it does.

C structs hold addresses: of buffers, of arrays of other structs, of packed kernel parameters. CUDA Python
leaves it to the program to keep their memory alive; here the struct keeps the object behind each address.
"""

from __future__ import annotations

import ctypes

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock
from collections.abc import Callable, Iterator
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS

__all__ = [
    "ArrayMemory",
    "Storage",
    "Unread",
    "change_when_read",
    "check_address",
    "new_storage",
    "storage_at",
    "storage_inside",
]

_POINTER = C_INTEGERS["unsigned long long"]


class ArrayMemory:
    """The C array behind a pointer member that was assigned a list: `count` elements of one type.

    `owners` holds the objects that the elements' own pointers lead to, `views` the struct objects over the elements.
    """

    __slots__ = ("count", "element", "memory", "owners", "views")

    def __init__(self, element: int, count: int) -> None:
        self.element = element
        self.count = count
        self.memory = (ctypes.c_char * (element * count))()
        self.owners: list[Any] = []
        self.views: list[Any] = []

    @property
    def address(self) -> int:
        """The address of the first byte."""
        return ctypes.addressof(self.memory)

    def references(self) -> list[Any]:
        """Return the objects that the elements keep alive."""
        return self.owners + [reference for view in self.views for reference in view.__storage__.references()]


class Storage:
    """A struct's bytes, the objects that its pointers lead to, and the views on its members made so far."""

    __slots__ = ("memory", "owners", "unread", "views")

    unread: tuple[Callable[[Any], Any], Any]

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.owners: dict[Any, Any] = {}
        self.views: dict[str, Any] = {}

    @property
    def address(self) -> int:
        """The address of the first byte."""
        return ctypes.addressof(self.memory)

    def references(self) -> list[Any]:
        """Return the objects that this struct and its inner structs keep alive, as a copy of the bytes must, too."""
        # Copies, because other threads that pass the same struct add to both meanwhile.
        references = [owner for name, owner in tuple(self.owners.items()) if isinstance(name, str)]
        for view in tuple(self.views.values()):
            inner = getattr(view, "__storage__", None)
            if inner is not None:
                references.extend(inner.references())
        return references

    def arrays(self) -> Iterator[ArrayMemory]:
        """Return every array that a list was turned into, for this struct or one that was copied into it."""
        return _arrays(self.references())


class Unread(Storage):
    """The storage of a struct that HIP has written and the program has not read: the first access makes it a `Storage`.

    `unread` is the conversion to CUDA's memory, and HIP's memory. No other attribute exists before the first access.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("made without a constructor, by generated functions")

    def __getattr__(self, name: str) -> Any:
        with _looking:
            if self.__class__ is Unread:
                read, memory = self.unread
                Storage.__init__(self, read(memory))
                del self.unread
                self.__class__ = Storage  # type: ignore[assignment]
        return getattr(self, name)


def change_when_read(value: Any, change: Callable[[Any], None]) -> None:
    """Pass the memory of a struct that a call has just returned to `change`, no sooner than the program reads it."""
    storage = value.__storage__
    if storage.__class__ is not Unread:
        change(storage.memory)
        return
    read, hip_memory = storage.unread

    def read_and_change(memory: Any) -> Any:
        converted = read(memory)
        change(converted)
        return converted

    storage.unread = (read_and_change, hip_memory)


# Two threads may make the first access at once; and the conversion may itself access a struct.
_looking = RLock()


def _arrays(references: list[Any]) -> Iterator[ArrayMemory]:
    for reference in references:
        if isinstance(reference, ArrayMemory):
            yield reference
            yield from _arrays(reference.references())
        elif isinstance(reference, list):
            yield from _arrays(reference)


def new_storage(size: int) -> Storage:
    """Return zeroed memory of its own."""
    return Storage((ctypes.c_char * size)())


def storage_at(address: int, size: int) -> Storage:
    """Return the memory at an address; its owner must keep it."""
    return Storage((ctypes.c_char * size).from_address(address))


def storage_inside(owner: Storage, offset: int, size: int) -> Storage:
    """Return part of another struct's memory, which stays alive with it."""
    return Storage((ctypes.c_char * size).from_buffer(owner.memory, offset))


def check_address(value: object) -> int:
    """Return an address argument. Raises TypeError and OverflowError with cuda-python's texts."""
    return _POINTER.check(value)
