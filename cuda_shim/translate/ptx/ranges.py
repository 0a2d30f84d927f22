"""Range analysis: indices of threads and blocks are small and not negative.

Problem: Numba counts a negative index from the array's end, and so tests the sign of the index at each access.

    mov.u32 %r, %tid.x;  shr.s32 %s, %r, 31;  and.b32 %c, %s, %n;  add.s32 %i, %c, %r;    // before
    mov.u32 %r, %tid.x;  mov.b32 %s, 0;       mov.b32 %c, 0;       mov.b32 %i, %r;        // after

If a number is computed from thread indices and the like alone, its interval is known, and instructions whose result is
a constant or one of their operands become moves, which cost nothing.

Preconditions: the register has one definition, which every read follows. Limits: intervals of numbers that are not
negative, through moves, conversions, additions, subtractions, products, shifts and masks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from cuda_shim.translate.ptx.def_use import Uses
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.module import Call, Function, Immediate, Instruction, Operand, Register, Special

__all__ = ["fold"]

_Interval: TypeAlias = "tuple[int, int]"
# CUDA's own limits; the devices that are served have the same ones or lower.
_MAX_BLOCK, _MAX_GRID = 1 << 10, (1 << 31) - 1
_SPECIALS: dict[str, _Interval] = {
    "tid.x": (0, _MAX_BLOCK - 1), "tid.y": (0, _MAX_BLOCK - 1), "tid.z": (0, _MAX_BLOCK - 1), "laneid": (0, 31),
    "ntid.x": (1, _MAX_BLOCK), "ntid.y": (1, _MAX_BLOCK), "ntid.z": (1, _MAX_BLOCK),
    "ctaid.x": (0, _MAX_GRID - 1), "ctaid.y": (0, _MAX_GRID - 1), "ctaid.z": (0, _MAX_GRID - 1),
    "nctaid.x": (1, _MAX_GRID), "nctaid.y": (1, _MAX_GRID), "nctaid.z": (1, _MAX_GRID),
}  # fmt: skip
_INTEGER_TYPES = ("s32", "u32", "b32", "s64", "u64", "b64")


def fold(
    graph: Graph, function: Function, early: set[str], counters: dict[str, _Interval]
) -> Callable[[Instruction], _Interval | None]:
    """Turn instructions into moves if their result is known, or is one of their operands.

    Returns a function that gives the range of an instruction's result, None if it is unknown.

    Args:
        graph: the function's graph, whose instructions are changed.
        function: the function, for the types of its registers.
        early: the registers that may be read before they are written.
        counters: the known ranges of registers that are written more than once.
    """
    folding = _Folding(graph, function, early, counters)
    folding.fold()
    return folding.result


class _Folding:
    def __init__(self, graph: Graph, function: Function, early: set[str], counters: dict[str, _Interval]) -> None:
        self._graph = graph
        self._function = function
        self._writer = {name: item for name, item in Uses(graph).writer.items() if name not in early}
        self._intervals = dict(counters)
        self._sign = 1 << 31  # the sign bit of the numbers that the current instruction reads

    def fold(self) -> None:
        # Each register here is written once, so that it has one range for all its reads.
        for number in self._graph.order:
            block = self._graph.blocks[number]
            block.instructions = [self._folded(item) for item in block.instructions]

    def _folded(self, item: Instruction) -> Instruction:
        target = item.operands[0] if item.operands and not isinstance(item, Call) else None
        if not isinstance(target, Register) or self._writer.get(target.name) is not item:
            return item
        interval = self.result(item)
        if interval is None:
            return item
        (low, high), parts = interval, item.opcode.split(".")
        bits = self._function.registers[target.name].bits
        self._intervals[target.name] = interval
        if parts[0] == "mov":
            return item
        if low == high:
            return replace(item, opcode=f"mov.b{bits}", operands=(target, Immediate(low, "int")))
        operand = self._neutral_operand(parts, item.operands[1:], bits)
        return item if operand is None else replace(item, opcode=f"mov.b{bits}", operands=(target, operand))

    def result(self, item: Instruction) -> _Interval | None:
        """Return the range of an instruction's result; None if it is unknown or may be negative."""
        target = item.operands[0] if item.operands and not isinstance(item, Call) else None
        parts = item.opcode.split(".")
        if (
            not isinstance(target, Register)
            or item.guard is not None
            or len(parts) < 2
            or parts[-1] not in _INTEGER_TYPES
        ):
            return None
        bits = self._function.registers[target.name].bits
        self._sign = 1 << (int(parts[-1][1:]) - 1)
        interval = self._result_interval(parts, item.operands[1:], bits)
        return interval if interval is not None and 0 <= interval[0] <= interval[1] < 1 << (bits - 1) else None

    def _interval_of(self, operand: Operand) -> _Interval | None:
        if isinstance(operand, Register):
            return self._intervals.get(operand.name)
        if isinstance(operand, Special):
            return _SPECIALS.get(operand.name)
        if isinstance(operand, Immediate) and operand.kind == "int" and 0 <= operand.value < self._sign:
            return operand.value, operand.value
        return None

    def _result_interval(self, parts: list[str], operands: tuple[Operand, ...], bits: int) -> _Interval | None:
        """Return the least and the largest result, as numbers without an end; None where they are not known."""
        name = parts[0]
        if name == "and" and len(parts) == 2 and len(operands) == 2:
            return self._masked_interval(operands, bits)
        intervals = [self._interval_of(operand) for operand in operands]
        known_intervals = [interval for interval in intervals if interval is not None]
        if (
            len(known_intervals) != len(operands)
            or not known_intervals
            or not all(low >= 0 for low, _ in known_intervals)
        ):
            return None
        (low, high), others = known_intervals[0], known_intervals[1:]
        shape = (name, *parts[1:-1], len(operands))
        if shape == ("mov", 1):
            return low, high
        if name == "cvt" and len(parts) == 3 and len(others) == 0 and parts[1] in _INTEGER_TYPES:
            return (low, high) if high < 1 << min(int(parts[1][1:]) - 1, int(parts[2][1:]) - 1) else None
        if shape == ("add", 2):
            return low + others[0][0], high + others[0][1]
        if shape == ("sub", 2):
            return low - others[0][1], high - others[0][0]
        if shape in (("mul", "lo", 2), ("mul", "wide", 2)):
            return low * others[0][0], high * others[0][1]
        if shape in (("mad", "lo", 3), ("mad", "wide", 3)):
            return low * others[0][0] + others[1][0], high * others[0][1] + others[1][1]
        if shape == ("shl", 2) and others[0][1] < bits:
            return low << others[0][0], high << others[0][1]
        if shape == ("shr", 2) and others[0][1] < bits:
            return low >> others[0][1], high >> others[0][0]
        return None

    def _masked_interval(self, operands: tuple[Operand, ...], bits: int) -> _Interval | None:
        """Return the range of an `and`: one operand that is known not to be negative is enough."""
        masks: list[int] = []
        for operand in operands:
            interval = self._interval_of(operand)
            if interval is not None:
                masks.append((1 << interval[1].bit_length()) - 1)
            elif isinstance(operand, Immediate) and operand.kind == "int":
                masks.append(operand.value & ((1 << bits) - 1))
            else:
                masks.append((1 << bits) - 1)
        mask = masks[0] & masks[1]
        return 0, (1 << mask.bit_length()) - 1

    def _neutral_operand(self, parts: list[str], operands: tuple[Operand, ...], bits: int) -> Operand | None:
        """Return the operand that a result is equal to, if the other operand is neutral."""
        if parts[0] in ("add", "or", "sub") and len(parts) == 2 and len(operands) == 2:
            first, second = operands
            if self._interval_of(second) == (0, 0) and self._has_width(first, bits):
                return first
            if parts[0] != "sub" and self._interval_of(first) == (0, 0) and self._has_width(second, bits):
                return second
        return None

    def _has_width(self, operand: Operand, bits: int) -> bool:
        return isinstance(operand, Register) and self._function.registers[operand.name].bits == bits
