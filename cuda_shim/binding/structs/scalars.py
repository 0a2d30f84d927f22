"""Struct members that hold one value: numbers, enum constants, handles and addresses.

Each function makes the getter and the setter of one member. Values are checked before a byte is written, so
a refused assignment leaves the struct as it was.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.buffers import Buffer
from cuda_shim.binding.integers import C_INTEGERS, CInteger
from cuda_shim.binding.kernel_parameters import pack
from cuda_shim.binding.scope import Scope
from cuda_shim.mapping.rows import EnumRow

__all__ = [
    "Getter",
    "Setter",
    "address_member",
    "bare_address_member",
    "enum_converter",
    "enum_member",
    "enum_word",
    "handle_member",
    "integer_member",
    "kernel_parameters_member",
    "real_member",
]

Getter = Callable[[Any], Any]
Setter = Callable[[Any, Any], None]

_ADDRESS = C_INTEGERS["unsigned long long"]
_WORD = struct.Struct("P")


def _reader(form: str, offset: int) -> Getter:
    unpack = struct.Struct(form).unpack_from

    def get(self: Any) -> Any:
        return unpack(self.__storage__.memory, offset)[0]

    return get


def integer_member(offset: int, integer: CInteger) -> tuple[Getter, Setter]:
    """Return the accessors of a C integer."""
    write, check = struct.Struct(integer.ctype._type_).pack_into, integer.check

    def set_(self: Any, value: object) -> None:
        write(self.__storage__.memory, offset, check(value))

    return _reader(integer.ctype._type_, offset), set_


def real_member(offset: int, ctype: Any) -> tuple[Getter, Setter]:
    """Return the accessors of a C float or double."""
    write = struct.Struct(ctype._type_).pack_into

    def set_(self: Any, value: object) -> None:
        # ctypes converts as C does: a number that is too large for a float becomes infinite.
        write(self.__storage__.memory, offset, ctype(value).value)

    return _reader(ctype._type_, offset), set_


def enum_word(row: EnumRow) -> str:
    """Return the `struct` code of a C enum: compilers take an unsigned int unless a constant is negative."""
    return "i" if any(member.value < 0 for member in row.members) else "I"


def enum_converter(row: EnumRow, cls: Callable[[], Any], scope: Scope) -> Callable[[Any], int]:
    """Return the function from a value assigned to an enum member to the number stored, as an unsigned int.

    CUDA's constants and ints are taken as they are, HIP's constants are translated. It raises TypeError for
    a value that is not a number and for constants that hallucination invented, OverflowError for a number that no C
    enum holds.
    """
    high = 1 << (31 if enum_word(row) == "i" else 32)

    def convert(value: object) -> int:
        number = value if value.__class__ is int else _constant_number(value, row, cls(), scope)
        if not -(1 << 31) <= number < high:
            if not -(1 << 63) <= number < 1 << 63:
                raise OverflowError("Python int too large to convert to C long")
            raise OverflowError(f"value too large to convert to {row.name}")
        return int(number) & 0xFFFFFFFF

    return convert


def _constant_number(value: Any, row: EnumRow, cls: Any, scope: Scope) -> int:
    if value.__class__ is cls:
        if cls.__invented__.is_invented(value):
            raise TypeError(f"{value!r} was invented by hallucination; it cannot be a struct member")
    elif type(value).__name__ == row.hip:
        return int(scope.enums(row.name).from_hip[int(value)])
    return int(value)


def enum_member(name: str, offset: int, row: EnumRow, cls: Callable[[], Any], scope: Scope) -> tuple[Getter, Setter]:
    """Return the accessors of a C enum.

    Reading a number that the enum has no constant for raises ValueError, as with cuda-python.
    """
    read = struct.Struct(enum_word(row)).unpack_from
    write = struct.Struct("I").pack_into
    convert = enum_converter(row, cls, scope)

    def get(self: Any) -> Any:
        return cls()(read(self.__storage__.memory, offset)[0])

    def set_(self: Any, value: object) -> None:
        if value is None:
            raise TypeError(f"Argument '{name}' must not be None")
        write(self.__storage__.memory, offset, convert(value))

    return get, set_


def handle_member(name: str, offset: int, cls: Callable[[], Any]) -> tuple[Getter, Setter]:
    """Return the accessors of a handle. Reading gives one live view a member, which shows later assignments, too."""

    def get(self: Any) -> Any:
        storage = self.__storage__
        view = storage.views.get(name)
        if view is None:
            handle_class = cls()
            view = handle_class()
            # The cell is a view on the struct's memory, and keeps that memory alive.
            view.__cell__ = handle_class.__handle__.ctype.from_buffer(storage.memory, offset)
            view = storage.views.setdefault(name, view)
        return view

    def set_(self: Any, value: object) -> None:
        handle = get(self)
        handle.__cell__.value = 0 if value is None else handle.__handle__.check(value)

    return get, set_


def address_member(name: str, offset: int) -> tuple[Getter, Setter]:
    """Return the accessors of a `void*`.

    It takes None, a number, a handle, or a buffer, which then stays alive with the struct.
    """

    def set_(self: Any, value: object) -> None:
        storage = self.__storage__
        address, keep = _buffer_or_address(value)
        _WORD.pack_into(storage.memory, offset, address)
        if keep is None:
            storage.owners.pop(name, None)
        else:
            storage.owners[name] = keep

    return _reader("P", offset), set_


def bare_address_member(offset: int) -> tuple[Getter, Setter]:
    """Return the accessors of an address that is given as a number alone (`extra`, `customStorageInfo_out`)."""

    def set_(self: Any, value: object) -> None:
        _WORD.pack_into(self.__storage__.memory, offset, _ADDRESS.check(value))

    return _reader("P", offset), set_


def kernel_parameters_member(name: str, offset: int) -> tuple[Getter, Setter]:
    """Return the accessors of `kernelParams`, in any form of a launch; packed values stay alive with the struct."""

    def set_(self: Any, value: object) -> None:
        storage = self.__storage__
        packed = pack(value)
        _WORD.pack_into(storage.memory, offset, _ADDRESS.check(int(packed)))
        storage.owners[name] = packed

    return _reader("P", offset), set_


def _buffer_or_address(value: object) -> tuple[int, Any]:
    """Return the address that a `void*` member is to hold, and the object that must live as long as it."""
    if value is None:
        return 0, None
    if not getattr(value, "ndim", 0):  # an array of one element has an integer value, which is not its address
        try:
            return _ADDRESS.check(value), None
        except (TypeError, OverflowError, ValueError):
            pass  # as in cuda-python, an object without a usable integer value may still be a buffer
    view = _buffer(value)
    if not view.contiguous:
        raise ValueError("ndarray is not contiguous")
    return Buffer(view).address, view


def _buffer(value: Any) -> memoryview:
    try:
        return memoryview(value)
    except TypeError:
        raise TypeError(
            f"Provided argument is of type {type(value)} but expected Type None, int or object with Buffer Protocol"
        ) from None
