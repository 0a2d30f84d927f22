"""Descriptors of the C arguments of a call, which `native/call.c` reads."""

from __future__ import annotations

import ctypes
import struct

from cuda_shim.binding.integers import C_INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cuda_shim.binding.integers import CInteger
    from cuda_shim.binding.structs.packing import Piece

__all__ = [
    "ADDRESS",
    "HANDLE",
    "NUMBER",
    "POINTER",
    "RESULT",
    "STATUS_ALONE",
    "STRUCT_RESULT",
    "VALUES",
    "ArgumentDescriptor",
    "array_argument",
    "describe",
    "enum_argument",
    "struct_argument",
    "struct_result",
    "watch",
]  # fmt: skip

NUMBER, HANDLE, ADDRESS, _ENUM, VALUES, _ARRAY, RESULT, STRUCT_RESULT, _STRUCT_ARGUMENT = range(9)
#: Instead of a number of results: the function gives HIP's status, as a function of ctypes does.
STATUS_ALONE = -1
POINTER = C_INTEGERS["unsigned long long"]
_NOT_WATCHED = -1
_CONSTANTS = -(1 << 31), (1 << 32) - 1  # limits of any C enum


class ArgumentDescriptor(ctypes.Structure):
    """The descriptor of a C argument.

    `at` is the place of the Python argument, or of the result in the tuple (-1: not returned). A number is between
    `low` and `high`; `cls` is the class of a handle, an enum or a struct (none: any handle). `table` is HIP's number of
    each constant, the dictionary of known classes (`buffers.plain_classes`, `kernel_parameters.codes`), the reader of a
    struct from HIP's memory, whose type is `room`, or the pieces of a struct argument that are copied (none: its own
    memory will do): there are `low` of them, and `room` has the dictionaries of their constants. A struct result
    has at `low` an int that leaves the call to Python if it is `high` (-1: there is none). `storage` is the class
    of the storage of a struct that the program has not looked at.

    Objects that a descriptor refers to live as long as it (`references`); the C side keeps them as well.
    """

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("at", ctypes.c_int32),
        ("bytes", ctypes.c_int32),
        ("is_signed", ctypes.c_int32),
        ("low", ctypes.c_int64),
        ("high", ctypes.c_uint64),
        ("cls", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("room", ctypes.c_void_p),
        ("storage", ctypes.c_void_p),
    )
    references: tuple[object, ...]


def describe(kind: int, at: int, integer: CInteger, cls: object = None, table: object = None) -> ArgumentDescriptor:
    """Return the descriptor of a number, or of an object that stands for one."""
    size = ctypes.sizeof(integer.ctype)
    return _referring(
        ArgumentDescriptor(kind, at, size, integer.low < 0, integer.low, integer.high), cls=cls, table=table
    )


def enum_argument(at: int, cls: object, numbers: object) -> ArgumentDescriptor:
    """Return the descriptor of an enum constant; `numbers` are HIP's, by constant."""
    return _referring(ArgumentDescriptor(_ENUM, at, 4, 1, *_CONSTANTS), cls=cls, table=numbers)


def struct_result(at: int, cls: object, room: object, read: object, storage: object) -> ArgumentDescriptor:
    """Return the descriptor of a struct that HIP writes into memory of the type `room`; `read` makes CUDA's from it."""
    descriptor = ArgumentDescriptor(STRUCT_RESULT, at, 8, 0, _NOT_WATCHED)
    return _referring(descriptor, cls=cls, table=read, room=room, storage=storage)


def watch(descriptor: ArgumentDescriptor, place: int, number: int) -> None:
    """Leave calls to Python that fail, or in which HIP writes an int `number` at `place` into a struct result."""
    descriptor.low, descriptor.high = place, number


def struct_argument(at: int, cls: object, pieces: Sequence[Piece] | None, size: int) -> ArgumentDescriptor | None:
    """Return the descriptor of a pointer to a struct, whose pieces are copied into HIP's, of `size` bytes.

    Without pieces HIP takes CUDA's own. None where the C side has no room for so large a struct.
    """
    if pieces is None:
        return _referring(ArgumentDescriptor(_STRUCT_ARGUMENT, at, size), cls=cls)
    if size > _MAX_STRUCT_BYTES:
        return None
    dictionaries = tuple(piece.numbers for piece in pieces if piece.numbers is not None)
    packed, constants = b"", 0
    for piece in pieces:
        is_constant = piece.numbers is not None
        signed = is_constant and piece.word.islower()
        packed += _PIECE.pack(piece.source, piece.target, piece.size, signed, constants if is_constant else -1)
        constants += is_constant
    return _referring(
        ArgumentDescriptor(_STRUCT_ARGUMENT, at, size, 0, len(pieces)), cls=cls, table=packed, room=dictionaries
    )


_MAX_STRUCT_BYTES = 1024
_PIECE = struct.Struct("=5i")


def array_argument(at: int) -> ArgumentDescriptor:
    """Return the descriptor of an address as ctypes passes it: a number, a ctypes array, bytes or None."""
    return _referring(ArgumentDescriptor(_ARRAY, at, 8, 0, POINTER.low, POINTER.high), cls=ctypes.Array)


def _referring(descriptor: ArgumentDescriptor, **objects: Any) -> ArgumentDescriptor:
    for field, one in objects.items():
        if one is not None:
            setattr(descriptor, field, id(one))
    descriptor.references = tuple(objects.values())
    return descriptor
