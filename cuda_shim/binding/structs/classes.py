"""Struct and union classes with CUDA's members, in CUDA's memory layout.

    p = CUDA_MEMCPY2D()          zeroed memory of its own
    p = CUDA_MEMCPY2D(_ptr=n)    the memory at address n, which its owner must keep
    p.srcHost = array            checked, converted, written to that memory
    p.getPtr()                   its address

As with handles, the classes derive from `object` alone: programs print their `__mro__`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda_shim.binding.full_names import NamedInFull
from cuda_shim.binding.structs.layout import Place, StructLayout, layout_of
from cuda_shim.binding.structs.members import Home, member
from cuda_shim.binding.structs.memory import check_address, new_storage, storage_at
from cuda_shim.binding.structs.special import special_members
from cuda_shim.mapping.rows import StructRow

if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope
    from cuda_shim.binding.structs.plan import Plan

__all__ = ["StructInfo", "duplicate", "is_struct_class", "make_struct"]


class StructInfo:
    """The data of a struct class that programs do not see: its row, scope, layout and the plan of its conversion."""

    __slots__ = ("layout", "plan", "row", "scope")

    def __init__(self, row: StructRow, scope: Scope, layout: StructLayout) -> None:
        self.row = row
        self.scope = scope
        self.layout = layout
        self.plan: Plan | None = None


def make_struct(row: StructRow, scope: Scope) -> type[Any]:
    """Return the class of a struct or union row. Raises KeyError for unknown types of members."""
    return _make(row.name, Home(row.name, scope), StructInfo(row, scope, layout_of(row, scope)))


def is_struct_class(cls: type[Any]) -> bool:
    """Return whether `cls` was made here or derives from such a class."""
    return hasattr(cls, "__struct__")


def duplicate(value: Any) -> Any:
    """Return a struct of the same class and bytes; the memory that its pointers lead to lives with `value`."""
    copy = type(value)()
    copy.__storage__.memory[:] = value.__storage__.memory[:]
    return copy


def _make(name: str, home: Home, info: StructInfo, anonymous: bool = False) -> type[Any]:
    layout = info.layout
    shown = [place for place in layout.places if not place.field.hidden]
    namespace: dict[str, Any] = {
        "__slots__": ("__storage__",),
        "__module__": home.scope.module,
        "__doc__": _documentation(info.row, shown, anonymous),
        "__struct__": info,
        "__view__": classmethod(_view),
        "__repr__": _representation([(place.field.name, _shown_as(place)) for place in shown]),
        "__reduce__": _refuse_copies,
        "__reduce_ex__": _refuse_copies,
        "__setstate__": _refuse_copies,
        "getPtr": _get_pointer,
    }
    if anonymous:
        namespace["__init__"] = _inner_initializer(layout.size)
    else:
        namespace["__init__"] = _initializer(layout.size, _ones(layout, name))
    for place in shown:
        inner = _nested_class(name, home, place) if place.field.nested is not None else None
        namespace[place.field.name] = member(place, home, inner)
    namespace.update(special_members(layout, home))
    return NamedInFull(name, (), namespace)


def _nested_class(outer: str, home: Home, place: Place) -> Callable[[], Any]:
    """Return a function that gives the class of an anonymous struct or union, made when first needed.

    cuda-python numbers these classes (`anon_struct7`), differently in each release; here they are named
    after their place, `CUDA_RESOURCE_DESC_st.res`.
    """
    classes: list[Any] = []

    def cls() -> Any:
        row, layout = place.field.nested, place.nested
        if not classes and row is not None and layout is not None:
            name = f"{outer}.{place.field.name}"
            info = StructInfo(row, home.scope, layout)
            classes.append(_make(name, Home(name, home.scope), info, anonymous=True))
        return classes[0]

    return cls


def _ones(layout: StructLayout, name: str) -> tuple[int, ...]:
    """Return the offsets of ones in a new struct: C++ makes a dim3 of ones, in a struct too, but not beside a union."""
    if name == "dim3":
        return tuple(place.offset for place in layout.places)
    if len({place.offset for place in layout.places}) < len(layout.places):
        return ()
    inner = [place for place in layout.places if place.field.base == "dim3" and place.nested is not None]
    return tuple(place.offset + item.offset for place in inner for item in (place.nested or layout).places)


def _initializer(size: int, ones: tuple[int, ...]) -> Any:
    """`__init__` of a struct class; `ones` are the offsets of 32-bit integers that start as 1."""

    def initialize(self: Any, *positional: object, **keywords: object) -> None:
        address = _pointer_argument(positional, keywords) if positional or keywords else 0
        if address:
            self.__storage__ = storage_at(address, size)
        else:
            self.__storage__ = new_storage(size)
            for offset in ones:
                self.__storage__.memory[offset] = 1  # little-endian, as every machine that HIP runs on

    return initialize


def _inner_initializer(size: int) -> Any:
    """`__init__` of an anonymous member's class, which has no memory but another struct's."""

    def initialize(self: Any, *positional: object, **keywords: object) -> None:
        if not positional and not keywords:
            raise TypeError("__cinit__() takes exactly 1 positional argument (0 given)")
        self.__storage__ = storage_at(_pointer_argument(positional, keywords), size)

    return initialize


def _pointer_argument(positional: tuple[Any, ...], keywords: dict[str, Any]) -> int:
    """Return the `_ptr` argument. Raises TypeError with cuda-python's texts for any other use."""
    if len(positional) > 1:
        raise TypeError(f"__cinit__() takes at most 1 positional argument ({len(positional)} given)")
    for name in keywords:
        if name != "_ptr":
            raise TypeError(f"__cinit__() got an unexpected keyword argument '{name}'")
        if positional:
            raise TypeError("__cinit__() got multiple values for keyword argument '_ptr'")
    return check_address(positional[0] if positional else keywords["_ptr"])


def _view(cls: Any, storage: Any) -> Any:
    """Return an object of the class on memory that exists already."""
    view = cls.__new__(cls)
    view.__storage__ = storage
    return view


def _get_pointer(self: Any) -> int:
    """getPtr()

    The address of the struct's memory; valid while this object, or the struct that it is part of, lives.
    """  # noqa: D415  as CUDA Python's begins
    address: int = self.__storage__.address
    return address


def _refuse_copies(*_: object) -> Any:
    raise TypeError("no default __reduce__ due to non-trivial __cinit__")


_CHARACTERS = {"bytes": "digits", "luid": "digits", "name": "text"}


def _shown_as(place: Place) -> str:
    """Return how a member is printed: "value", "address" in hexadecimal, "digits" of bytes, "text" or "struct"."""
    field = place.field
    if field.base == "void*" and not field.count:
        return "address"
    if place.nested is not None and not field.count:
        return "struct"
    return _CHARACTERS.get(field.name, "value") if field.base == "char" else "value"


def _representation(members: list[tuple[str, str]]) -> Any:
    def represent(self: Any) -> str:
        return "\n".join(_line(self, name, shown_as) for name, shown_as in members)

    return represent


def _line(struct: object, name: str, shown_as: str) -> str:
    try:
        value = getattr(struct, name)
        if shown_as == "struct":
            return f"{name} :\n" + "\n".join(f"    {line}" for line in str(value).splitlines())
        if shown_as == "address":
            return f"{name} : {hex(value)}"
        if shown_as == "digits":
            return f"{name} : {value.hex()}"
        return f"{name} : {value.decode() if shown_as == 'text' else value}"
    except ValueError:
        return f"{name} : <ValueError>"


def _documentation(row: StructRow, shown: list[Place], anonymous: bool) -> str:
    kind = "union" if row.union else "struct"
    head = f"Anonymous CUDA {kind}." if anonymous else f"CUDA {kind} {row.name}."
    if row.hip:
        head = f"{head[:-1]}; HIP's is {row.hip}."
    members = [f"{place.field.name} : {_spelling(place)}" for place in shown]
    return "\n".join([head, "", "Attributes", "----------", *members])


def _spelling(place: Place) -> str:
    field = place.field
    base = field.base or ("union" if field.nested is not None and field.nested.union else "struct")
    return f"{base}[{field.count}]" if field.count else base
