"""The offsets of the members of a CUDA struct: the C layout of a row, by the platform's rules.

Sizes come from rows alone, so the layout of a struct is known without making the classes of its members.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple, Protocol, TypeVar

from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.mapping.rows import EnumRow, Field, HandleRow, Row, StructRow

__all__ = ["POINTER_SIZE", "Place", "StructLayout", "Types", "layout_of"]

POINTER_SIZE = ctypes.sizeof(ctypes.c_void_p)
_ENUM_SIZE = ctypes.sizeof(ctypes.c_int)


_Self = TypeVar("_Self", bound="Types")


class Types(Protocol):
    """The part of a scope that a layout needs: the row behind a type name, typedefs followed."""

    def base_row(self: _Self, base: str) -> tuple[_Self, Row | None]:
        """Return the row of a type, and the scope of the table that has it."""


class Place(NamedTuple):
    """A member, the byte it starts at, and the bytes of one element and of the whole.

    `nested` is the layout of a member that is a struct or union itself, `kind` the row of a named type,
    typedefs followed.
    """

    field: Field
    offset: int
    element: int
    size: int
    align: int
    nested: StructLayout | None
    kind: Row | None = None


class StructLayout(NamedTuple):
    """A struct or union: its size and alignment in bytes, and its members in C's order.

    Members of an anonymous struct or union are among them, since C names them like the others.
    """

    size: int
    align: int
    places: tuple[Place, ...]

    def place(self, path: str) -> Place:
        """Return the member `path`, its offset counted from this struct. Raises KeyError where there is none.

        A dotted path leads into a member that is a struct itself.
        """
        name, _, rest = path.partition(".")
        for place in self.places:
            if place.field.name == name:
                if not rest:
                    return place
                if place.nested is not None:
                    inner = place.nested.place(rest)
                    return inner._replace(offset=place.offset + inner.offset)
        raise KeyError(path)


def layout_of(row: StructRow, scope: Types) -> StructLayout:
    """Return the layout of a struct or union row. Raises KeyError for a type that no table defines."""
    places: list[Place] = []
    end = 0
    align = 1
    for field in row.fields:
        place = _place(field, scope)
        align = max(align, place.align)
        offset = 0 if row.union else _round_up(end, place.align)
        if field.inline and place.nested is not None:
            places.extend(inner._replace(offset=offset + inner.offset) for inner in place.nested.places)
        else:
            places.append(place._replace(offset=offset))
        end = max(end, offset + place.size)
    return StructLayout(_round_up(end, align), align, tuple(places))


def _place(field: Field, scope: Types) -> Place:
    nested = row = None
    if field.nested is not None:
        nested = layout_of(field.nested, scope)
        size, align = nested.size, nested.align
    elif field.cases is not None:
        size, align = field.cases.size, POINTER_SIZE
    elif field.base.endswith("*"):
        size = align = POINTER_SIZE
    else:
        size = align = _scalar_size(field.base)
        if not size:
            size, align, nested, row = _type_layout(field, scope)
    return Place(field, 0, size, size * (field.count or 1), align, nested, row)


def _scalar_size(base: str) -> int:
    ctype = C_INTEGERS[base].ctype if base in C_INTEGERS else C_REALS.get(base)
    return 0 if ctype is None else ctypes.sizeof(ctype)


def _type_layout(field: Field, scope: Types) -> tuple[int, int, StructLayout | None, Row]:
    home, row = scope.base_row(field.base)
    if isinstance(row, EnumRow):
        return _ENUM_SIZE, _ENUM_SIZE, None, row
    if isinstance(row, HandleRow):
        size = _scalar_size(row.storage) or POINTER_SIZE
        return size, size, None, row
    if isinstance(row, StructRow):
        nested = layout_of(row, home)
        return nested.size, nested.align, nested, row
    raise KeyError(f"{field.name}: {field.base} is no type of this CUDA layout")


def _round_up(offset: int, align: int) -> int:
    return (offset + align - 1) // align * align
