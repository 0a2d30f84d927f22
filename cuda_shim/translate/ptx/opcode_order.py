"""Opcodes whose modifiers stand in another order than the PTX ISA has them, as `vote.ballot.sync.b32`.

NVIDIA's assembler takes modifiers in any order, and CUB's headers rely on that; types keep their order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.ptx.instructions import Unknown, form_of
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["documented_order"]


@functools.cache
def documented_order(opcode: str) -> str:
    """Return an opcode with its modifiers in the order of its row in tables/ptx.yaml; unchanged if no row has them."""
    if _is_known(opcode):
        return opcode
    name, *parts = opcode.split(".")
    types = [part for part in parts if part in TYPES]
    modifiers = [part for part in parts if part not in TYPES]
    for words in _rows(name):
        remaining = _without(modifiers, words)
        if remaining is None:
            continue
        ordered = ".".join((name, *words, *remaining, *types))
        if _is_known(ordered):
            return ordered
    return opcode


def _is_known(opcode: str) -> bool:
    try:
        form_of(opcode)
    except Unknown:
        return False
    return True


@functools.cache
def _rows(name: str) -> list[list[str]]:
    """Return the words behind an instruction's name in each of its rows, the most words first."""
    rows = [row.split(".") for row in load_text("ptx")["instructions"]]
    return sorted((words for first, *words in rows if first == name), key=len, reverse=True)


def _without(modifiers: Iterable[str], words: Iterable[str]) -> list[str] | None:
    """Return the modifiers without a row's words; None if one of these is missing."""
    remaining = list(modifiers)
    for word in words:
        if word not in remaining:
            return None
        remaining.remove(word)
    return remaining
