"""Barriers with a number and a count of threads, which host cores have.

`cuda_shim/ptx_barriers.h` has them; an AMD GPU has one barrier of all threads of a block, so others are refused there
by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.values import Expression

__all__ = ["Barrier", "barrier_of", "is_at_barrier_0", "may_arrive_at_0", "named_barrier"]

_BARRIER = re.compile(
    r"(?P<name>bar|barrier)(?:\.cta)?\.(?P<what>sync|arrive|red\.(?P<combined>and|or|popc))(?P<aligned>\.aligned)?"
    r"(?:\.(?P<type>pred|u32))?"
)
_TYPES = {None: None, "and": "pred", "or": "pred", "popc": "u32"}
_BARRIERS, _WARP_SIZE = 16, 32
_T = TypeVar("_T")


@dataclass(frozen=True)
class Barrier:
    """A form of bar and barrier.

    Attributes:
        opcode: its text as written.
        waits: True if threads wait, and do not only arrive.
        combined: the reduction of the predicates: and, or, popc; None without predicates.
        type: the type of the result.
    """

    opcode: str
    waits: bool
    combined: str | None
    type: str

    def is_syncthreads(self, operands: int, number: int | None) -> bool:
        """Return whether it is the barrier of all threads, which HIP has.

        `operands` counts its number and count operands; `number` is the first, None if that is in a register.
        """
        return self.waits and operands == 1 and number == 0

    def numbers(self, operands: Sequence[_T]) -> Sequence[_T]:
        """Return the operands of an instruction that are its number and its count, as far as present."""
        return operands[1:-1] if self.combined else operands

    def call(self, arguments: list[str], predicate: str = "", *, counts_0: bool = False) -> str:
        """Return the C++ call of a barrier with a number, a count if there is one, and a predicate.

        `counts_0`: threads may arrive at barrier 0 without waiting, so that it cannot be HIP's for any of them.
        """
        prefix = "counted" if counts_0 else "named"
        if not self.waits:
            return f"cuda_shim_ptx::{prefix}_arrive({', '.join(arguments)})"
        vote = f"!({predicate})" if self.combined == "and" else predicate or "false"
        suffix = {"and": " == 0", "or": " != 0"}.get(self.combined or "", "")
        return f"cuda_shim_ptx::{prefix}_sync({', '.join([*arguments, vote])}){suffix}"

    def check(self, numbers: list[int | None]) -> None:
        """Refuse a wrong count of operands, and wrong immediate ones; None is an operand in a register.

        Operands in registers are checked when the barrier runs.
        """
        if len(numbers) not in ((1, 2) if self.waits else (2,)):
            raise Mismatch(self.opcode)
        number, count = [*numbers, None][:2]
        if number is not None and not 0 <= number < _BARRIERS:
            raise PtxError(f"Barrier number '{number}' out of range, expected to be in range [0..{_BARRIERS - 1}]")
        if count is not None and count % _WARP_SIZE:
            raise PtxError("Number of threads participating in barrier must be in multiple of warp size")
        if count == 0:
            raise UnsupportedPtx(f"'{self.opcode}' is translated for barriers of some threads alone")


def barrier_of(opcode: str) -> Barrier | None:
    """Return the barrier of an opcode; None unless it is one that may have a number."""
    match = _BARRIER.fullmatch(opcode)
    if match is None or _TYPES[match["combined"]] != match["type"] or (match["aligned"] and match["name"] == "bar"):
        return None
    return Barrier(opcode, match["what"] != "arrive", match["combined"], match["type"] or "")


def may_arrive_at_0(function: Function) -> list[Instruction]:
    """Return the instructions that may arrive at barrier 0 without waiting, which `__syncthreads` does not support."""
    instructions = [item for item in function.body or [] if isinstance(item, Instruction)]
    arriving = [item for item in instructions if (barrier := barrier_of(item.opcode)) is not None and not barrier.waits]
    return [item for item in arriving if item.operands and _number(item.operands[0]) in (0, None)]


def is_at_barrier_0(item: Instruction) -> bool:
    """Return whether a barrier's number is the literal 0."""
    return bool(item.operands) and _number(item.operands[0]) == 0


def named_barrier(ctx: EmitContext, item: Instruction) -> bool:
    """Write a barrier with a number; return False for another instruction, or the barrier of all threads."""
    barrier = barrier_of(item.opcode)
    if barrier is None:
        return False
    operands, predicate = barrier.numbers(item.operands), item.operands[-1:] if barrier.combined else ()
    numbers = [_number(operand) for operand in operands]
    counts_0 = ctx.module.arrives_at_barrier_0
    if not counts_0 and barrier.is_syncthreads(len(operands), next(iter(numbers), None)):
        return False
    barrier.check(numbers)
    ctx.only_on_hosts(f"'{item.opcode}' is translated for the barrier 0 of all threads alone", item.position)
    arguments = [ctx.value(operand, "u32") for operand in operands]
    call = barrier.call(arguments, ctx.value(predicate[0], "pred") if predicate else "", counts_0=counts_0)
    if predicate:
        ctx.assign(item.operands[0], Expression(call, TYPES[barrier.type]))
    else:
        ctx.add(f"{call};")
    return True


def _number(operand: Operand) -> int | None:
    return operand.value if isinstance(operand, Immediate) else None
