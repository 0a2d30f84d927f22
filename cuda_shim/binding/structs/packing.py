"""Structs whose conversion is bytes and constants alone: one read of all members and one write, however many."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from cuda_shim.frozen_record import Record

__all__ = ["Packing", "Piece", "constants", "packing"]


class Piece(Record):
    """The data that moves from a place in one memory to a place in another."""

    source: int
    target: int
    size: int
    word: str = ""
    """The code of `struct` by which a constant is read; "" for bytes, which move as they are."""
    numbers: Mapping[int, int] | None = None
    """The value that is written for a constant, by the constant."""


def constants(translated: Mapping[int, Any]) -> Mapping[int, int]:
    """Return numbers in the other enum; zero, which an untouched member holds, passes where it is unknown."""
    return _Numbers(translated)


class _Numbers(dict[int, int]):
    def __init__(self, translated: Mapping[int, Any]) -> None:
        super().__init__()
        self._translated = translated

    def __missing__(self, number: int) -> int:
        translated = number
        if number or number in self._translated:
            translated = int(self._translated[number])
        self[number] = translated = translated & 0xFFFFFFFF
        return translated


class Packing:
    """The pieces of one struct, moved by two calls. The bytes between them in the target become zero."""

    __slots__ = ("_constants", "_order", "_read", "_write", "pieces")

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        by_source = sorted(pieces, key=lambda piece: piece.source)
        by_target = sorted(pieces, key=lambda piece: piece.target)
        self._read = struct.Struct(_form([(piece.source, piece) for piece in by_source], written=False)).unpack_from
        self._write = struct.Struct(_form([(piece.target, piece) for piece in by_target], written=True)).pack_into
        # In the order of the steps: the first constant that HIP lacks raises the error.
        self._constants = [(by_source.index(piece), piece.numbers) for piece in pieces if piece.numbers is not None]
        self._order = itemgetter(*map(by_source.index, by_target)) if by_source != by_target else None

    def move(self, source: Any, at_source: int, target: Any, at_target: int) -> None:
        """Fill the target, which is new. Raises as the lookup of its constants does."""
        values: Any = self._read(source, at_source)
        if self._constants:
            values = list(values)
            for at, numbers in self._constants:
                values[at] = numbers[values[at]]
        if self._order is not None:
            values = self._order(values)
        self._write(target, at_target, *values)


def packing(pieces: Sequence[Piece | None]) -> Packing | None:
    """Return the packing of the pieces; None where a step is not a piece, or where two pieces share bytes."""
    packable = [piece for piece in pieces if piece is not None]
    if not packable or len(packable) < len(pieces) or _overlap(packable, "source") or _overlap(packable, "target"):
        return None
    return Packing(packable)


def _overlap(pieces: Sequence[Piece], side: str) -> bool:
    spans = sorted((getattr(piece, side), piece.size) for piece in pieces)
    return any(at + size > after for (at, size), (after, _) in pairwise(spans))


def _form(placed: Sequence[tuple[int, Piece]], written: bool) -> str:
    """Return the format for `struct`: the pieces at their places, and padding between them."""
    form, end = "=", 0
    for at, piece in placed:
        word = f"{piece.size}s" if piece.numbers is None else "I" if written else piece.word
        form += f"{at - end}x{word}" if at > end else word
        end = at + piece.size
    return form
