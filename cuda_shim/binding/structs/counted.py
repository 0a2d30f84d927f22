"""Lists with a length in another member of their struct, which must not exceed the list: HIP reads that many entries.

CUDA reads the memory behind a list that is too short.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.structs.layout import StructLayout
from cuda_shim.binding.structs.memory import Storage

__all__ = ["CountedList", "check_counts", "counted_lists"]

_WORD = struct.Struct("P")
_NUMBERS = {4: struct.Struct("I"), 8: struct.Struct("Q")}


class CountedList(NamedTuple):
    """The places in a struct of a list, as the address of its first entry, and of its count."""

    name: str
    at_list: int
    at_count: int
    number: struct.Struct


def counted_lists(layout: StructLayout, start: int = 0) -> tuple[CountedList, ...]:
    """Return the lists of a struct and of its inner structs."""
    lists: list[CountedList] = []
    places = {place.field.name: place for place in layout.places}
    for name, place in places.items():
        if place.nested is not None and not place.field.count:
            lists += counted_lists(place.nested, start + place.offset)
        if place.field.counted_by is not None:
            count = places[place.field.counted_by]
            lists.append(CountedList(name, start + place.offset, start + count.offset, _NUMBERS[count.size]))
    return tuple(lists)


def check_counts(storage: Storage, lists: tuple[CountedList, ...]) -> None:
    """Raise Refused for a count above the length of the list that was assigned; other addresses are the program's."""
    arrays = {array.address: array for array in storage.arrays()}
    for name, at_list, at_count, number in lists if arrays else ():
        array = arrays.get(_WORD.unpack_from(storage.memory, at_list)[0])
        count = number.unpack_from(storage.memory, at_count)[0]
        if array is not None and count > array.count:
            raise Refused(f"{count} entries of {name} are more than the {array.count} of the list")
