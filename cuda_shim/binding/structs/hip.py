"""Structs on their way to HIP and back.

hip-python takes the address of a struct as an int, for pointers and for structs by value alike. Where HIP's
struct is CUDA's, it is given the memory of the struct object itself; elsewhere the plan of the class fills
other memory (`structs.plan`).
"""

from __future__ import annotations

import ctypes

# From _thread: threading takes longer to import than the rest of this module.
from _thread import get_ident
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from cuda_shim.binding.structs.counted import check_counts
from cuda_shim.binding.structs.memory import Storage
from cuda_shim.binding.structs.plan import ConversionContext, Plan, hip_layout, plan_for

if TYPE_CHECKING:
    from cuda_shim.binding.structs.classes import StructInfo
    from cuda_shim.binding.structs.packing import Piece

__all__ = [
    "array_from_hip",
    "array_to_hip",
    "begins_as_zeros",
    "by_value",
    "from_hip",
    "hip_place",
    "hip_size",
    "native_value",
    "output",
    "pieces_to_hip",
    "pointer_to",
    "result_memory",
    "same_in_hip",
    "take_back",
    "to_hip",
]


class ConvertedArray:
    """An array of HIP's structs: an address for the call, and the memory that must live while HIP reads it."""

    __slots__ = ("_memory", "_passing")

    def __init__(self, memory: Any, context: ConversionContext) -> None:
        self._memory = memory
        self._passing = context

    def __int__(self) -> int:
        return ctypes.addressof(self._memory)


def to_hip(value: object) -> int | None:
    """Return the address of HIP's form of a struct; None, which is passed as NULL, for None.

    Valid while `value` lives, for the calls of this thread: the next conversion of the same object by the
    same thread replaces it. Arrays that the struct points to live as long as it does. Raises Refused for an
    enum constant that HIP lacks and for a list that is shorter than its count, TypeError if it is not a struct.
    """
    return None if value is None else by_value(value)


def by_value(value: Any) -> int:
    """As `to_hip`, for a struct that HIP takes by value: hip-python reads it at this address."""
    info = getattr(value, "__struct__", None)
    if info is None:
        raise TypeError(f"a struct is required, not {type(value).__name__}")
    plan = info.plan or _plan(info)
    storage: Storage = value.__storage__
    if plan.lists:
        check_counts(storage, plan.lists)
    if plan.same:
        return ctypes.addressof(storage.memory)
    memory = plan.room()
    if plan.packed is not None:  # no member leads to data that has to be converted as well
        plan.packed.move(storage.memory, 0, memory, 0)
        storage.owners["hip", get_ident()] = (memory, ())
        return ctypes.addressof(memory)
    context = ConversionContext({array.address: array for array in storage.arrays()})
    plan.to_hip(storage.memory, 0, memory, 0, context)
    storage.owners["hip", get_ident()] = (memory, context.owners)
    return ctypes.addressof(memory)


def pointer_to(cls: Any) -> Callable[[Any], Any]:
    """Return `by_value` for instances of one class; its result is the address, or the memory, which ctypes passes."""
    plan = _plan(cls.__struct__)
    if plan.lists:
        return by_value
    if plan.same:
        return lambda value: ctypes.addressof(value.__storage__.memory)
    if plan.packed is None:
        return by_value
    room, move = plan.room, plan.packed.move

    def pointer(value: Any) -> Any:
        storage, memory = value.__storage__, room()
        move(storage.memory, 0, memory, 0)
        storage.owners["hip", get_ident()] = (memory, ())
        return memory

    return pointer


def pieces_to_hip(cls: Any) -> tuple[Sequence[Piece] | None, int] | None:
    """Return the pieces of a struct on its way to HIP, and the size of HIP's; no pieces where HIP takes CUDA's own.

    None where a member leads to data that has to be converted, or counted, as well.
    """
    plan = _plan(cls.__struct__)
    if plan.lists:
        return None
    if plan.same:
        return None, plan.hip_size
    return (plan.packed.pieces, plan.hip_size) if plan.packed is not None else None


def take_back(value: Any, *members: str) -> None:
    """Copy these members back from the HIP struct that `by_value` converted last in this thread.

    For the few calls that write into a struct argument. `members` may be dotted paths.
    """
    storage: Storage = value.__storage__
    converted = storage.owners.pop(("hip", get_ident()), None)
    if converted is None:
        return  # HIP was given the struct's own memory, or nothing
    layout = value.__struct__.layout
    current = (ctypes.c_char * layout.size).from_buffer_copy(storage.memory)
    _plan(value.__struct__).from_hip(converted[0], 0, current, 0)
    for member in members:
        place = layout.place(member)
        storage.memory[place.offset : place.offset + place.size] = current[place.offset : place.offset + place.size]


def native_value(value: Any) -> ctypes.Structure:
    """Return HIP's form of a struct as ctypes passes it by value, for calls that do not go through hip-python.

    Right for the structs of integers and pointers that HIP takes by value; one with a real number in its
    first 16 bytes would travel in other registers, and there is none. Raises as `by_value`.
    """
    address = by_value(value)
    struct = _value_type(_plan(value.__struct__).hip_size).from_address(address)
    return type(struct).from_buffer_copy(struct)


@cache
def _value_type(size: int) -> type[ctypes.Structure]:
    fields = [("words", ctypes.c_uint32 * (size // 4))]
    return type(f"Value{size}", (ctypes.Structure,), {"_fields_": fields})


def output(cls: Any) -> tuple[int, Callable[[], Any]]:
    """Return the address for HIP to write a struct to, and the function that then gives it as an instance of `cls`."""
    plan = _plan(cls.__struct__)
    struct = cls()
    if plan.same:
        return struct.__storage__.address, lambda: struct
    memory = plan.room()

    def finish() -> Any:
        plan.into_new(memory, 0, struct.__storage__.memory, 0)
        return struct

    return ctypes.addressof(memory), finish


def begins_as_zeros(cls: Any) -> bool:
    """Return whether a new instance is all zeros."""
    return not any(cls().__storage__.memory.raw)


def result_memory(cls: Any) -> tuple[type[ctypes.Array[ctypes.c_char]], Callable[[Any], Any]]:
    """Return the type of the memory that HIP is to write a struct into, and its conversion to CUDA's memory.

    For a class that `begins_as_zeros`.
    """
    plan, size = _plan(cls.__struct__), cls.__struct__.layout.size
    new_memory = ctypes.c_char * size
    if plan.same:
        return new_memory, lambda memory: memory

    def read(memory: Any) -> Any:
        converted = new_memory()
        plan.into_new(memory, 0, converted, 0)
        return converted

    return plan.room, read


def hip_place(cls: Any, member: str) -> int:
    """Return the offset of a member in HIP's struct. Raises KeyError where HIP has none of that name."""
    info = cls.__struct__
    return hip_layout(info.row, info.scope).place(member).offset


def from_hip(cls: Any, obj: Any) -> Any:
    """Return an instance of `cls` with the values of hip-python's struct object; None for None (a NULL pointer)."""
    if obj is None:
        return None
    plan = _plan(cls.__struct__)
    struct = cls()
    memory = plan.room.from_address(int(obj))
    plan.into_new(memory, 0, struct.__storage__.memory, 0)
    return struct


def same_in_hip(cls: Any) -> bool:
    """Return whether HIP's struct has CUDA's layout and meaning, so that C code may pass one for the other."""
    return _plan(cls.__struct__).same


def hip_size(cls: Any) -> int:
    """Return the bytes of HIP's struct, which are also those of an element of an array that HIP fills."""
    return _plan(cls.__struct__).hip_size


def array_to_hip(values: Sequence[Any]) -> ConvertedArray | None:
    """Return HIP's array of the structs of a list, None for an empty one; valid while the returned object lives."""
    if not values:
        return None
    plan = _plan(values[0].__struct__)
    memory = (ctypes.c_char * (plan.hip_size * len(values)))()
    context = ConversionContext({array.address: array for value in values for array in value.__storage__.arrays()})
    for index, value in enumerate(values):
        if plan.lists:
            check_counts(value.__storage__, plan.lists)
        plan.to_hip(value.__storage__.memory, 0, memory, plan.hip_size * index, context)
    return ConvertedArray(memory, context)


def array_from_hip(cls: Any, address: int, count: int) -> list[Any]:
    """Return the structs of an array that HIP wrote."""
    plan = _plan(cls.__struct__)
    memory = (ctypes.c_char * (plan.hip_size * count)).from_address(address)
    structs = []
    for index in range(count):
        struct = cls()
        plan.into_new(memory, plan.hip_size * index, struct.__storage__.memory, 0)
        structs.append(struct)
    return structs


def _plan(info: StructInfo) -> Plan:
    if info.plan is None:
        info.plan = plan_for(info.row, info.scope)
    return info.plan
