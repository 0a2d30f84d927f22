"""The memory behind a struct object, and what has to live as long as it does.

C structs hold addresses: of buffers, of arrays of other structs, of packed kernel parameters. CUDA Python
leaves it to the program to keep those alive; here the struct that holds an address keeps what it was given.
"""

from __future__ import annotations

import ctypes

# From _thread: threading takes longer to import than the rest of this module.
from _thread import RLock
from collections.abc import Callable, Iterator
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["ArrayMemory", "Storage", "Unread", "check_address", "new_storage", "storage_at", "storage_inside"]

_POINTER = C_INTEGERS["unsigned long long"]


class ArrayMemory:
    """The C array behind a pointer member that was assigned a list: `count` elements of one type.

    `kept` is what the elements' own pointers lead to, `views` the struct objects that show the elements.
    """

    __slots__ = ("count", "element", "kept", "memory", "views")

    def __init__(self, element: int, count: int) -> None:
        self.element = element
        self.count = count
        self.memory = (ctypes.c_char * (element * count))()
        self.kept: list[Any] = []
        self.views: list[Any] = []

    @property
    def address(self) -> int:
        """Where the first byte lies."""
        return ctypes.addressof(self.memory)

    def references(self) -> list[Any]:
        """Return what the elements keep alive."""
        return self.kept + [reference for view in self.views for reference in view.__storage__.references()]


class Storage:
    """A struct's bytes, the objects that its pointers lead to, and the views on its members made so far."""

    __slots__ = ("kept", "memory", "unread", "views")

    unread: tuple[Callable[[Any], Any], Any]

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.kept: dict[Any, Any] = {}
        self.views: dict[str, Any] = {}

    @property
    def address(self) -> int:
        """Where the first byte lies."""
        return ctypes.addressof(self.memory)

    def references(self) -> list[Any]:
        """Return what this struct and those inside it keep alive, and a copy of the bytes must keep as well."""
        # Copies, for other threads that pass the same struct add to both meanwhile.
        found = [kept for name, kept in tuple(self.kept.items()) if isinstance(name, str)]
        for view in tuple(self.views.values()):
            inner = getattr(view, "__storage__", None)
            if inner is not None:
                found.extend(inner.references())
        return found

    def arrays(self) -> Iterator[ArrayMemory]:
        """Return every array that a list was turned into, for this struct or one that was copied into it."""
        return _arrays(self.references())


class Unread(Storage):
    """Of a struct that HIP has written and the program has not looked at: it becomes a `Storage` by the first look.

    `unread` is what makes CUDA's memory of HIP's, and HIP's. Nothing else of a storage is there before.
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


# Two threads may be the first to look; and what reads may itself look at a struct.
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
    """Return the memory at an address, which somebody else owns."""
    return Storage((ctypes.c_char * size).from_address(address))


def storage_inside(owner: Storage, offset: int, size: int) -> Storage:
    """Return part of another struct's memory, which stays alive with it."""
    return Storage((ctypes.c_char * size).from_buffer(owner.memory, offset))


def check_address(value: object) -> int:
    """Return an address argument. Raises TypeError and OverflowError with cuda-python's texts."""
    return _POINTER.check(value)
