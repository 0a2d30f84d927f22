"""The few struct members that CUDA Python treats in a way of their own.

Read-only members; pointers to the driver's memory; arrays that share one count and are assigned together.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.outside_memory import numbers_at
from cuda_shim.binding.structs.arrays import handle_list
from cuda_shim.binding.structs.layout import Place, StructLayout
from cuda_shim.binding.structs.members import Home, member, refuse_deletion
from cuda_shim.binding.structs.memory import ArrayMemory

__all__ = ["special_members"]

_WORD = struct.Struct("P")

_READ_ONLY = frozenset({("CUuuid_st", "bytes")})
_COUNT_OF_OUTPUT = {"phGraph_out": "size"}
_MAX_NULLS = 1 << 16
_POINTER_TO_ONE = frozenset({"dstActBytes"})
_PAIRED = {"CUDA_MEMCPY_BATCH_NODE_PARAMS_V1_st": ("count", "dsts", "srcs")}


def special_members(layout: StructLayout, home: Home) -> dict[str, Any]:
    """Return the attributes of a struct class that do not follow from its members' types alone."""
    members: dict[str, Any] = {}
    for place in layout.places:
        name = place.field.name
        if (home.struct, name) in _READ_ONLY:
            members[name] = _read_only(member(place, home, None).fget, home, name)
        elif name in _COUNT_OF_OUTPUT:
            count = member(layout.place(_COUNT_OF_OUTPUT[name]), home, None).fget
            members[name] = _read_only(_outside_handles(place, count, home), home, name)
        elif name in _POINTER_TO_ONE:
            members[name] = _read_only(_outside_handle(place, home), home, name)
    if home.struct in _PAIRED:
        members.update(_paired(layout, home, *_PAIRED[home.struct]))
    return members


def _read_only(getter: Any, home: Home, name: str) -> property:
    owner = f"{home.scope.module}.{home.struct}"

    def refuse(_: object, __: object) -> None:
        raise AttributeError(f"attribute '{name}' of '{owner}' objects is not writable")

    return property(getter, refuse, refuse_deletion)


def _outside_handles(place: Place, count: Any, home: Home) -> Callable[[Any], list[Any]]:
    """Return the getter of handles in the driver's memory, as many as the struct counts; null without an address."""
    cls = home.class_of(place.field.base[:-1])

    def get(self: Any) -> list[Any]:
        address = _WORD.unpack_from(self.__storage__.memory, place.offset)[0]
        length = count(self)
        if not address and length > _MAX_NULLS:
            raise ValueError(f"the node's {length} handles do not exist yet: add the node to a graph, which makes them")
        numbers = numbers_at(address, length) if address else [0] * length
        handle_class = cls()
        return [handle_class(number) for number in numbers]

    return get


def _outside_handle(place: Place, home: Home) -> Callable[[Any], Any]:
    """Return the getter of one integer that the driver writes, read as a handle on that memory."""
    cls = home.class_of(place.field.base[:-1])

    def get(self: Any) -> Any:
        address = _WORD.unpack_from(self.__storage__.memory, place.offset)[0]
        if address:
            numbers_at(address, 1)  # raises where the handle's memory cannot be read
        return cls()(_ptr=address)

    return get


def _paired(layout: StructLayout, home: Home, count: str, first: str, second: str) -> dict[str, Any]:
    """Return two arrays of one length, which a method assigns."""
    places = {name: layout.place(name) for name in (first, second)}
    cls = home.class_of(places[first].field.base[:-1])
    accessors = {name: handle_list(name, place.offset, cls) for name, place in places.items()}
    at_count = layout.place(count).offset

    def set_together(self: Any, dsts: Any, srcs: Any) -> None:
        """Set dsts, srcs together: they share this struct's count field and can't be set independently."""
        if len(dsts) != len(srcs):
            raise ValueError(f"{first} and {second} must all have the same length")
        for name, values in ((first, dsts), (second, srcs)):
            accessors[name][1](self, values)
        struct.pack_into("N", self.__storage__.memory, at_count, len(dsts))

    set_together.__name__ = set_together.__qualname__ = f"set_{first}_{second}"
    members: dict[str, Any] = {set_together.__name__: set_together}
    for name, other in ((first, second), (second, first)):
        getter = _counted(name, accessors[name][0], cls, at_count, places[name].offset)
        members[name] = property(getter, _refuse(name, other), refuse_deletion)
    return members


def _counted(name: str, own: Any, cls: Any, at_count: int, offset: int) -> Callable[[Any], list[Any]]:
    def get(self: Any) -> list[Any]:
        memory = self.__storage__.memory
        count = struct.unpack_from("N", memory, at_count)[0]
        if isinstance(self.__storage__.owners.get(name), ArrayMemory):
            handles: list[Any] = own(self)[:count]  # never past the array, even if the program wrote a larger count
            return handles
        address = _WORD.unpack_from(memory, offset)[0]
        numbers = numbers_at(address, count) if address else []
        handle_class = cls()
        return [handle_class(number) for number in numbers]

    return get


def _refuse(name: str, other: str) -> Callable[[Any, Any], None]:
    def refuse(_: object, __: object) -> None:
        raise AttributeError(
            f"{name} shares its count field with {other} on this struct and cannot be set independently; "
            f"use set_dsts_srcs(...) to set them together."
        )

    return refuse
