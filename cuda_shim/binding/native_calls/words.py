"""The words of a call: descriptors of its C arguments, which `native/call.c` reads."""

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
    "ADDRESS", "HANDLE", "NUMBER", "POINTER", "RESULT", "STATUS_ALONE", "VALUES", "Word", "array_word", "enum_word",
    "given_struct_word", "struct_word", "word",
]  # fmt: skip

NUMBER, HANDLE, ADDRESS, _ENUM, VALUES, _ARRAY, RESULT, _STRUCT, _GIVEN = range(9)
#: Instead of a number of results: the function gives HIP's status, as a function of ctypes does.
STATUS_ALONE = -1
POINTER = C_INTEGERS["unsigned long long"]
_CONSTANTS = -(1 << 31), (1 << 32) - 1  # limits of any C enum


class Word(ctypes.Structure):
    """The descriptor of a C argument.

    `at` is the place of the Python argument, or of the result in the tuple (-1: not returned). A number is between
    `low` and `high`; `cls` is the class of a handle, an enum or a struct (none: any handle). `table` is HIP's number of
    each constant, the dictionary of known classes (`buffers.plain_classes`, `kernel_parameters.codes`), the reader of a
    struct from HIP's memory, whose type is `room`, or the pieces that a given struct is moved in (none: its own memory
    will do): there are `low` of them, and `room` has the dictionaries of their constants. `storage` is the class of the
    storage of a struct that the program has not looked at.

    Objects that a word refers to live as long as the word (`kept`); the C side keeps them as well.
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
    kept: tuple[object, ...]


def word(kind: int, at: int, integer: CInteger, cls: object = None, table: object = None) -> Word:
    """Return the word of a number, or of an object that stands for one."""
    made = Word(kind, at, ctypes.sizeof(integer.ctype), integer.low < 0, integer.low, integer.high)
    return _referring(made, cls=cls, table=table)


def enum_word(at: int, cls: object, numbers: object) -> Word:
    """Return the word of an enum constant; `numbers` are HIP's, by constant."""
    return _referring(Word(_ENUM, at, 4, 1, *_CONSTANTS), cls=cls, table=numbers)


def struct_word(at: int, cls: object, room: object, read: object, storage: object) -> Word:
    """Return the word of a struct that HIP writes into memory of the type `room`, from which `read` makes CUDA's."""
    return _referring(Word(_STRUCT, at, 8), cls=cls, table=read, room=room, storage=storage)


def given_struct_word(at: int, cls: object, pieces: Sequence[Piece] | None, size: int) -> Word | None:
    """Return the word of a pointer to a struct, from which HIP's, of `size` bytes, is made piece by piece.

    Without pieces HIP takes CUDA's own. None where the C side has no room for so large a struct.
    """
    if pieces is None:
        return _referring(Word(_GIVEN, at, size), cls=cls)
    if size > _GIVEN_BYTES:
        return None
    dictionaries = tuple(piece.numbers for piece in pieces if piece.numbers is not None)
    packed, constants = b"", 0
    for piece in pieces:
        is_constant = piece.numbers is not None
        signed = is_constant and piece.word.islower()
        packed += _PIECE.pack(piece.source, piece.target, piece.size, signed, constants if is_constant else -1)
        constants += is_constant
    return _referring(Word(_GIVEN, at, size, 0, len(pieces)), cls=cls, table=packed, room=dictionaries)


_GIVEN_BYTES = 1024
_PIECE = struct.Struct("=5i")


def array_word(at: int) -> Word:
    """Return the word of an address as ctypes passes it: a number, a ctypes array, bytes or None."""
    return _referring(Word(_ARRAY, at, 8, 0, POINTER.low, POINTER.high), cls=ctypes.Array)


def _referring(made: Word, **objects: Any) -> Word:
    for name, one in objects.items():
        if one is not None:
            setattr(made, name, id(one))
    made.kept = tuple(objects.values())
    return made
