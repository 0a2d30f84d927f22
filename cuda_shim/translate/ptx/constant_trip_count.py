"""Loops whose trip count is a constant: constant folding in the body, by running its counters.

Problem: compilers unroll `for k in range(128)` and leave in each copy of its body a test whether any numbers remain.
The tests depend only on the counters, whose first values are known.

    remaining = 7;                                                             // before
    do { a();  next = remaining != 0 ? k : 0;  b(next);  remaining -= 2; } while (remaining > 0);
    do { a();  next = k;  b(next);  remaining -= 2; } while (remaining > 0);   // after; the trip count is 4

This module runs the counters, iteration by iteration, and turns a choice with the same condition in all iterations into
a move. It also gives the trip count, with which countdown_loops.py replaces the test.

Preconditions: the loop is one block; its predicate is known at the end of every iteration; and the condition of a
choice is known and the same in all iterations. The selected value may vary.

Limits: moves, additions, subtractions, choices and comparisons of 32 or 64 bits are computed, and all other results
are unknown. Loops of more than `_MAX_TRIP_COUNT` iterations or `_MAX_STEPS` instructions in all are not run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.loop_entry import comparison_of
from cuda_shim.translate.ptx.module import Call, Function, Immediate, Instruction, Operand, Register

__all__ = ["ConstantTripCount", "evaluate_loop"]

_MAX_TRIP_COUNT = 1 << 12
_MAX_STEPS = 1 << 18
_TYPES = ("b32", "s32", "u32", "b64", "s64", "u64")


@dataclass(frozen=True)
class ConstantTripCount:
    """The result of a replay.

    Attributes:
        instructions: the instructions of the loop's block, without the decided choices.
        trip_count: the trip count.
    """

    instructions: list[Instruction]
    trip_count: int


def evaluate_loop(
    instructions: list[Instruction],
    initial_value: Callable[[str], int | None],
    function: Function,
    predicate: str,
    continues_if_true: bool,
) -> ConstantTripCount | None:
    """Run a loop of one block; None if its trip count is unknown, or if nothing is gained.

    Args:
        instructions: the block's instructions.
        initial_value: gives the number that a register has at the loop's entry, None if it is unknown.
        function: the function, for the types of its registers.
        predicate: the predicate that decides at the block's end.
        continues_if_true: True if the loop continues if it is true.
    """
    return _LoopEvaluator(instructions, initial_value, function, predicate, continues_if_true).run()


class _LoopEvaluator:
    def __init__(
        self,
        instructions: list[Instruction],
        initial_value: Callable[[str], int | None],
        function: Function,
        predicate: str,
        continues_if_true: bool,
    ) -> None:
        self._instructions = instructions
        self._registers = function.registers
        self._predicate, self._continues_if_true = predicate, continues_if_true
        self._initial_value = initial_value
        self._values: dict[str, int | None] = {}  # the values that have been read or written

    def run(self) -> ConstantTripCount | None:
        max_iterations = min(_MAX_TRIP_COUNT, _MAX_STEPS // max(len(self._instructions), 1))
        if not any(item.opcode.startswith("selp.") for item in self._instructions):
            return None
        condition_values: list[set[int | None]] = [set() for _ in self._instructions]
        for trip_count in range(1, max_iterations + 1):
            for seen, item in zip(condition_values, self._instructions, strict=True):
                # The condition of a choice must be constant, but the selected value may vary.
                seen.add(self._value(item.operands[3]) if _is_select(item) else None)
                self._execute(item)
            continues = self._values.get(self._predicate)
            if continues is None:
                return None
            if bool(continues) != self._continues_if_true:
                return ConstantTripCount(
                    [self._folded(*pair) for pair in zip(self._instructions, condition_values, strict=True)], trip_count
                )
        return None

    def _folded(self, item: Instruction, conditions: set[int | None]) -> Instruction:
        """Return a choice with the same condition in all iterations as a move of the selected operand."""
        condition = next(iter(conditions))
        if len(conditions) != 1 or condition is None:
            return item
        source = item.operands[1 if condition else 2]
        return Instruction(item.opcode.replace("selp", "mov"), (item.operands[0], source), item.position)

    def _execute(self, item: Instruction) -> None:
        value = self._evaluate(item)
        for name in writes_of(item):
            self._values[name] = None if value is None else self._truncated(name, value)

    def _truncated(self, name: str, value: int) -> int:
        return value & ((1 << self._registers[name].bits) - 1)

    def _value(self, operand: Operand) -> int | None:
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else None
        if not isinstance(operand, Register):
            return None
        if operand.name not in self._values:
            value = self._initial_value(operand.name)
            self._values[operand.name] = None if value is None else self._truncated(operand.name, value)
        return self._values[operand.name]

    def _evaluate(self, item: Instruction) -> int | None:
        """Return the result of an instruction, None if it is unknown."""
        target = item.operands[0] if item.operands else None
        name, *modifiers = item.opcode.split(".")
        if item.guard is not None or isinstance(item, Call) or not isinstance(target, Register):
            return None
        comparison = comparison_of(item)
        if comparison is not None:
            left, right = self._value(Register(comparison.left)), self._value(comparison.right)
            return None if left is None or right is None else int(comparison.holds(left, right))
        if len(modifiers) != 1 or modifiers[0] not in _TYPES:
            return None
        bits = int(modifiers[0][1:])
        if self._registers[target.name].bits != bits:
            return None
        if _is_select(item):
            condition = self._value(item.operands[3])
            return None if condition is None else self._value(item.operands[1 if condition else 2])
        values = [self._value(operand) for operand in item.operands[1:]]
        numbers = [value & ((1 << bits) - 1) for value in values if value is not None]
        return None if len(numbers) != len(values) else _arithmetic_result(name, numbers)


def _is_select(item: Instruction) -> bool:
    return item.opcode.startswith("selp.") and len(item.operands) == 4 and item.guard is None


def _arithmetic_result(name: str, numbers: list[int]) -> int | None:
    """Return the result of an instruction on numbers; None for instructions that counters do not use."""
    if len(numbers) == 1:
        return numbers[0] if name == "mov" else None
    if len(numbers) != 2:
        return None
    left, right = numbers
    return {"add": left + right, "sub": left - right}.get(name)
