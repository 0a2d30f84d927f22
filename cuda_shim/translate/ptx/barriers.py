"""Barriers with a number and a count of threads, which host cores have.

`cuda_shim/ptx_barriers.h` has them; an AMD GPU has one barrier of all threads of a block, so others are refused there
by name.
"""

from __future__ import annotations

import re

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.module import Immediate, Instruction, Operand
from cuda_shim.translate.ptx.surroundings import Surroundings
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.values import Expression

__all__ = ["BEGIN", "is_named", "named_barrier"]

#: What a kernel of a module with such barriers begins with.
BEGIN = "cuda_shim_ptx::named_begin();"

_BARRIER = re.compile(
    r"(?P<name>bar|barrier)(?:\.cta)?\.(?P<what>sync|arrive|red\.(?P<combined>and|or|popc))(?P<aligned>\.aligned)?"
    r"(?:\.(?P<type>pred|u32))?"
)
_TYPES = {None: None, "and": "pred", "or": "pred", "popc": "u32"}
_MOST, _WARP = 16, 32


def _match(item: Instruction) -> re.Match[str] | None:
    match = _BARRIER.fullmatch(item.opcode)
    if match is None or _TYPES[match["combined"]] != match["type"] or (match["aligned"] and match["name"] == "bar"):
        return None
    return match


def is_named(item: Instruction) -> bool:
    """Return whether an instruction is a barrier other than that of all threads, which has the number 0."""
    match = _match(item)
    if match is None:
        return False
    given, _ = _operands(item, match)
    alone = given[0] if len(given) == 1 else None
    return match["what"] == "arrive" or not isinstance(alone, Immediate) or alone.value != 0


def named_barrier(around: Surroundings, item: Instruction) -> None:
    """Write a barrier for which `is_named` holds."""
    match = _match(item)
    assert match is not None  # noqa: S101
    given, predicate = _operands(item, match)
    if len(given) not in ((2,) if match["what"] == "arrive" else (1, 2)):
        raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")
    _check(item, match, *given)
    around.only_on_hosts(f"'{item.opcode}' is translated for the barrier 0 of all threads alone", item.place)
    places = [around.value(operand, "u32") for operand in given]
    places += ["cuda_shim_ptx::named_threads()"] * (2 - len(places))
    if match["what"] == "arrive":
        around.add(f"cuda_shim_ptx::named_arrive({', '.join(places)});")
    elif not predicate:
        around.add(f"cuda_shim_ptx::named_sync({', '.join(places)}, false);")
    else:
        counted = around.value(predicate[0], "pred")
        places.append(f"!({counted})" if match["combined"] == "and" else counted)
        ending = {"and": " == 0", "or": " != 0", "popc": ""}[match["combined"]]
        text = f"cuda_shim_ptx::named_sync({', '.join(places)}){ending}"
        around.assign(item.operands[0], Expression(text, TYPES[match["type"]]))


def _operands(item: Instruction, match: re.Match[str]) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """Return the number and the count, as far as they are there, and the predicate."""
    return (item.operands[1:-1], item.operands[-1:]) if match["combined"] else (item.operands, ())


def _check(item: Instruction, match: re.Match[str], number: Operand, count: Operand | None = None) -> None:
    """Refuse wrong numbers that the text says; those in registers are looked at when the barrier runs."""
    if isinstance(number, Immediate):
        if not 0 <= number.value < _MOST:
            raise PtxError(f"Barrier number '{number.value}' out of range, expected to be in range [0..{_MOST - 1}]")
        if match["what"] == "arrive" and number.value == 0:
            raise UnsupportedPtx(f"'{item.opcode}' at barrier 0 has no counterpart; use another number")
    if isinstance(count, Immediate):
        if count.value % _WARP:
            raise PtxError("Number of threads participating in barrier must be in multiple of warp size")
        if count.value == 0:
            raise UnsupportedPtx(f"'{item.opcode}' is translated for barriers of some threads alone")
