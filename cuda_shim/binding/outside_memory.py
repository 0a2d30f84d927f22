"""Reading memory at an address that a program gave, which may not be mapped.

A system call reads it: an access that would end the process with a fault here is an error code there.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from typing import Any

__all__ = ["bytes_at", "numbers_at"]


class _Part(ctypes.Structure):
    """iovec: a piece of memory."""

    _fields_ = (("address", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


_MAX_NUMBERS = 1 << 20  # no array that a struct counts has more: a larger number is no count
_WORD = ctypes.sizeof(ctypes.c_size_t)
_SMALLEST_PAGE = 4096
_LARGEST_PIECE = 16 << 20  # room is cleared before it is filled


def bytes_at(address: int, size: int) -> bytes:
    """`size` bytes from an address on, or as many as can be read."""
    parts: list[bytes] = []
    at, end, piece = address, address + size, min(size, _LARGEST_PIECE)
    while at < end:
        take = min(piece, end - at)
        if piece <= _SMALLEST_PAGE:
            take = min(take, _SMALLEST_PAGE - at % _SMALLEST_PAGE)
        room = ctypes.create_string_buffer(take)
        if _copy(room, at, take):
            parts.append(room.raw)
            at += take
        elif piece <= _SMALLEST_PAGE:
            break
        else:
            piece //= 2  # the unreadable memory begins in this piece
    return b"".join(parts)


def numbers_at(address: int, count: int) -> list[int]:
    """`count` words from an address on. Raises ValueError where they cannot be read."""
    if 0 <= count <= _MAX_NUMBERS:
        numbers = (ctypes.c_size_t * count)()
        if _copy(numbers, address, count * _WORD):
            return list(numbers)
    raise ValueError(f"{count} numbers at address {address:#x} cannot be read")


def _copy(room: Any, address: int, size: int) -> bool:
    here, there = _Part(ctypes.addressof(room), size), _Part(address, size)
    return size == 0 or _reader()(os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0) == size


@functools.cache
def _reader() -> Callable[..., int]:
    read = ctypes.CDLL(None).process_vm_readv
    read.restype = ctypes.c_ssize_t
    read.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)
    reader: Callable[..., int] = read
    return reader
