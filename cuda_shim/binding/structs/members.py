"""Struct members as attributes: from a member's C type to a Python property."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.scope import Scope
from cuda_shim.binding.structs import arrays, scalars
from cuda_shim.binding.structs.layout import Place, layout_of
from cuda_shim.binding.structs.memory import storage_inside
from cuda_shim.mapping.rows import EnumRow, HandleRow, StructRow

__all__ = ["Home", "member", "refuse_deletion"]

_ADDRESS = ctypes.c_void_p

# `void**` members hold the address of an array of addresses. Kernel parameters may be given as values;
# in the runtime's batch copies CUDA Python takes the same forms for the arrays of pointers.
_PACKED = frozenset({"kernelParams", "dsts", "srcs"})


class Home:
    """The definition of a member's struct: its name, and the scope of its table."""

    def __init__(self, struct: str, scope: Scope) -> None:
        self.struct = struct
        self.scope = scope

    def class_of(self, base: str) -> Callable[[], Any]:
        """Return a function that gives the class of a type, made when first needed."""
        classes: list[Any] = []

        def cls() -> Any:
            if not classes:
                classes.append(self.scope.class_of(base))
            return classes[0]

        return cls


def member(place: Place, home: Home, nested_class: Callable[[], Any] | None) -> property:
    """Return the property of a member. `nested_class` gives the class of an anonymous struct or union."""
    getter, setter = _accessors(place, home, nested_class)
    return property(getter, setter, refuse_deletion)


def _accessors(
    place: Place, home: Home, nested_class: Callable[[], Any] | None
) -> tuple[scalars.Getter, scalars.Setter]:
    field, offset = place.field, place.offset
    if field.base.endswith("*"):
        return _pointer(place, home)
    if place.nested is not None:
        cls = nested_class or home.class_of(field.base)
        if field.count:
            return arrays.struct_array(field.name, offset, place.element, field.count, cls)
        return struct_member(field.name, offset, place.size, cls)
    if field.count:
        return _array(place, home)
    if isinstance(place.kind, EnumRow):
        return scalars.enum_member(field.name, offset, place.kind, home.class_of(field.base), home.scope)
    if isinstance(place.kind, HandleRow):
        return scalars.handle_member(field.name, offset, home.class_of(field.base))
    if field.base in C_REALS:
        return scalars.real_member(offset, C_REALS[field.base])
    return scalars.integer_member(offset, C_INTEGERS[field.base])


def _array(place: Place, home: Home) -> tuple[scalars.Getter, scalars.Setter]:
    field, offset, count = place.field, place.offset, place.field.count
    if isinstance(place.kind, EnumRow):
        return arrays.enum_array(offset, count, place.kind, home.class_of(field.base), home.scope)
    if isinstance(place.kind, HandleRow):
        if place.kind.storage == "pointer":
            return arrays.handle_array(field.name, offset, count, home.class_of(field.base))
        integer = C_INTEGERS[place.kind.storage]
        return arrays.handle_number_array(offset, count, integer, home.class_of(field.base))
    if field.base in C_REALS:
        real = C_REALS[field.base]
        return arrays.number_array(offset, count, real, lambda value: real(value).value)
    integer = C_INTEGERS[field.base]
    if field.name == "name":
        return arrays.text_array(offset, count)
    if ctypes.sizeof(integer.ctype) == 1:
        return arrays.bytes_array(field.name, offset, count, integer)
    return arrays.number_array(offset, count, integer.ctype, integer.check)


def _pointer(place: Place, home: Home) -> tuple[scalars.Getter, scalars.Setter]:
    field, offset = place.field, place.offset
    if field.count:
        return arrays.address_array(field.name, offset, field.count)
    if field.base == "void*":
        return scalars.address_member(field.name, offset)
    if field.base.endswith("**"):
        if field.name in _PACKED:
            return scalars.kernel_parameters_member(field.name, offset)
        return scalars.bare_address_member(offset)
    base = field.base[:-1]
    scope, row = home.scope.base_row(base)
    if isinstance(row, StructRow):
        size = layout_of(row, scope).size
        return arrays.struct_list(field.name, offset, size, home.class_of(base))
    if isinstance(row, HandleRow):
        return arrays.handle_list(field.name, offset, home.class_of(base))
    return scalars.address_member(field.name, offset)


def struct_member(name: str, offset: int, size: int, cls: Callable[[], Any]) -> tuple[scalars.Getter, scalars.Setter]:
    """Return the accessors of a struct inside the struct: one live view when read, copied in when assigned."""

    def get(self: Any) -> Any:
        storage = self.__storage__
        view = storage.views.get(name)
        if view is None:
            view = storage.views.setdefault(name, cls().__view__(storage_inside(storage, offset, size)))
        return view

    def set_(self: Any, value: object) -> None:
        struct_class = cls()
        if not isinstance(value, struct_class):
            expected, actual = _full_name(struct_class), _full_name(type(value))
            raise TypeError(f"Argument '{name}' has incorrect type (expected {expected}, got {actual})")
        storage = self.__storage__
        storage.memory[offset : offset + size] = value.__storage__.memory[:size]
        storage.owners[name] = value.__storage__.references()

    return get, set_


def _full_name(cls: type[Any]) -> str:
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def refuse_deletion(self: Any) -> None:
    """Raise cuda-python's error for `del struct.member`."""
    raise NotImplementedError("__del__")
