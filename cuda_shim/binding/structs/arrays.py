"""Struct members that hold several values: arrays inside the struct, and pointers to arrays outside it.

An array inside is read as a fresh list and assigned as a whole, with exactly its length. A pointer to an
array takes a list of any length; the array is made here and lives as long as the struct.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS, CInteger
from cuda_shim.binding.scope import Scope
from cuda_shim.binding.structs.memory import ArrayMemory, Storage, storage_inside
from cuda_shim.binding.structs.scalars import Getter, Setter, enum_converter, enum_word
from cuda_shim.mapping.rows import EnumRow

__all__ = [
    "address_array",
    "bytes_array",
    "enum_array",
    "handle_array",
    "handle_list",
    "handle_number_array",
    "number_array",
    "struct_array",
    "struct_list",
    "text_array",
]

_ADDRESS = C_INTEGERS["unsigned long long"]
_WORD = struct.Struct("P")
_ClassOf = Callable[[], Any]


def _exactly(values: Iterable[Any], count: int, convert: Callable[[Any], Any]) -> list[Any]:
    """Return the values of an assignment to a C array. Raises IndexError for any other number of them."""
    try:
        length = len(values)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        values = list(values)
        length = len(values)
    if length > count:
        raise IndexError(f"too many values found during array assignment, expected {count}")
    if length < count:
        raise IndexError(f"not enough values found during array assignment, expected {count}, got {length}")
    return [convert(value) for value in values]


def number_array(offset: int, count: int, ctype: Any, convert: Callable[[Any], Any]) -> tuple[Getter, Setter]:
    """Return the accessors of integers or reals; `convert` checks one."""
    layout = struct.Struct(f"{count}{ctype._type_}")

    def get(self: Any) -> list[Any]:
        return list(layout.unpack_from(self.__storage__.memory, offset))

    def set_(self: Any, values: Any) -> None:
        layout.pack_into(self.__storage__.memory, offset, *_exactly(values, count, convert))

    return get, set_


def text_array(offset: int, count: int) -> tuple[Getter, Setter]:
    """Return the accessors of a C string: bytes up to the first NUL when read, all of the array when assigned."""
    check = C_INTEGERS["char"].check

    def get(self: Any) -> bytes:
        return bytes(self.__storage__.memory[offset : offset + count]).split(b"\0", 1)[0]

    def set_(self: Any, values: Any) -> None:
        struct.pack_into(f"{count}b", self.__storage__.memory, offset, *_exactly(values, count, check))

    return get, set_


def bytes_array(name: str, offset: int, count: int, integer: CInteger) -> tuple[Getter, Setter]:
    """Return the accessors of raw bytes, always all of them. `integer` is the C type of one."""

    def get(self: Any) -> bytes:
        return bytes(self.__storage__.memory[offset : offset + count])

    def byte(value: Any) -> int:
        if integer.low and ((value > 127 and value < 256) or (value < 0 and value > -129)):
            return int(value) & 0xFF
        return integer.check(value) & 0xFF

    def set_(self: Any, values: Any) -> None:
        if len(values) != count:
            raise ValueError(f"{name} length must be {count}, is {len(values)}")
        self.__storage__.memory[offset : offset + count] = bytes([byte(value) for value in values])

    return get, set_


def enum_array(offset: int, count: int, row: EnumRow, cls: _ClassOf, scope: Scope) -> tuple[Getter, Setter]:
    """Return the accessors of enum constants."""
    read = struct.Struct(f"{count}{enum_word(row)}")
    write = struct.Struct(f"{count}I")
    convert = enum_converter(row, cls, scope)

    def get(self: Any) -> list[Any]:
        enum_class = cls()
        return [enum_class(number) for number in read.unpack_from(self.__storage__.memory, offset)]

    def set_(self: Any, values: Any) -> None:
        write.pack_into(self.__storage__.memory, offset, *_exactly([convert(value) for value in values], count, int))

    return get, set_


def handle_number_array(offset: int, count: int, integer: CInteger, cls: _ClassOf) -> tuple[Getter, Setter]:
    """Return the accessors of integers that are read as handles of a class (`cuuint64_t`)."""
    numbers, set_ = number_array(offset, count, integer.ctype, integer.check)

    def get(self: Any) -> list[Any]:
        handle_class = cls()
        return [handle_class(number) for number in numbers(self)]

    return get, set_


def _listed(name: str, values: object, count: int) -> list[Any]:
    if not isinstance(values, list):
        raise TypeError(f"Argument '{name}' has incorrect type (expected list, got {type(values).__name__})")
    if len(values) != count:
        raise IndexError(f"not enough values found during array assignment, expected {count}, got", len(values))
    return list(values)


def handle_array(name: str, offset: int, count: int, cls: _ClassOf) -> tuple[Getter, Setter]:
    """Return the accessors of handles inside the struct."""
    layout = struct.Struct(f"{count}P")

    def get(self: Any) -> list[Any]:
        handle_class = cls()
        return [handle_class(number) for number in layout.unpack_from(self.__storage__.memory, offset)]

    def set_(self: Any, values: object) -> None:
        numbers = [_ADDRESS.check(int(value)) for value in _listed(name, values, count)]
        layout.pack_into(self.__storage__.memory, offset, *numbers)

    return get, set_


def address_array(name: str, offset: int, count: int) -> tuple[Getter, Setter]:
    """Return the accessors of addresses inside the struct, as ints."""
    layout = struct.Struct(f"{count}P")

    def get(self: Any) -> list[int]:
        return list(layout.unpack_from(self.__storage__.memory, offset))

    def set_(self: Any, values: object) -> None:
        layout.pack_into(
            self.__storage__.memory, offset, *(_ADDRESS.check(value) for value in _listed(name, values, count))
        )

    return get, set_


def struct_array(name: str, offset: int, element: int, count: int, cls: _ClassOf) -> tuple[Getter, Setter]:
    """Return the accessors of structs inside the struct: copies when read, copied in when assigned."""

    def get(self: Any) -> list[Any]:
        memory = self.__storage__.memory
        items = []
        for start in range(offset, offset + element * count, element):
            item = cls()()
            item.__storage__.memory[:] = memory[start : start + element]
            items.append(item)
        return items

    def set_(self: Any, values: Any) -> None:
        storage: Storage = self.__storage__
        parts = [_struct_bytes(value, cls()) for value in _listed(name, values, count)]
        storage.memory[offset : offset + element * count] = b"".join(parts)
        storage.owners[name] = [reference for value in values for reference in value.__storage__.references()]

    return get, set_


def _struct_bytes(value: object, cls: Any) -> bytes:
    if not hasattr(value, "getPtr"):
        raise AttributeError(f"{type(value).__name__!r} object has no attribute 'getPtr'")
    if not isinstance(value, family(cls)):
        raise TypeError(f"expected a list of {cls.__name__}, found {type(value).__name__}")
    return bytes(value.__storage__.memory)


def family(cls: Any) -> Any:
    """Return the class that `cls` and its typedefs derive from."""
    return cls.__mro__[-2]


def struct_list(name: str, offset: int, element: int, cls: _ClassOf) -> tuple[Getter, Setter]:
    """Return the accessors of a pointer to an array of structs. Reading gives views on the list assigned last."""

    def get(self: Any) -> list[Any]:
        array = self.__storage__.owners.get(name)
        if array is None:
            return []
        if not array.views:
            struct_class, whole = cls(), Storage(array.memory)
            array.views = [
                struct_class.__view__(storage_inside(whole, element * index, element)) for index in range(array.count)
            ]
        return list(array.views)

    def set_(self: Any, values: Any) -> None:
        length = len(values)
        items = [values[index] for index in range(length)]
        parts = [_struct_bytes(item, cls()) for item in items]
        array = None
        if length:
            array = ArrayMemory(element, length)
            ctypes.memmove(array.memory, b"".join(parts), element * length)
            array.owners = [reference for item in items for reference in item.__storage__.references()]
        _point_to(self.__storage__, name, offset, array)

    return get, set_


def handle_list(name: str, offset: int, cls: _ClassOf) -> tuple[Getter, Setter]:
    """Return the accessors of a pointer to an array of handles."""
    element = ctypes.sizeof(ctypes.c_void_p)

    def get(self: Any) -> list[Any]:
        array = self.__storage__.owners.get(name)
        if array is None:
            return []
        numbers = struct.unpack(f"{array.count}P", array.memory.raw)
        handle_class = cls()
        return [handle_class(number) for number in numbers]

    def set_(self: Any, values: Any) -> None:
        length = len(values)
        numbers = [_handle_value(values[index], cls()) for index in range(length)]
        array = None
        if length:
            array = ArrayMemory(element, length)
            struct.pack_into(f"{length}P", array.memory, 0, *numbers)
        _point_to(self.__storage__, name, offset, array)

    return get, set_


def _handle_value(value: object, cls: Any) -> int:
    if not isinstance(value, family(cls)):
        # cuda-python reads such an object as if it were a handle, and crashes.
        raise TypeError(f"expected a list of {cls.__name__}, found {type(value).__name__}")
    return int(value)


def _point_to(storage: Storage, name: str, offset: int, array: ArrayMemory | None) -> None:
    _WORD.pack_into(storage.memory, offset, 0 if array is None else array.address)
    if array is None:
        storage.owners.pop(name, None)
    else:
        storage.owners[name] = array
