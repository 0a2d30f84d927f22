"""Constant folding in a short loop with known first values, by running its counters.

Compilers unroll `for k in range(128)` and leave in each copy of its body a test whether any numbers remain. The tests
depend only on the counters, whose first values are known: so this module runs the counters, iteration by iteration, and
turns a choice with the same condition in all iterations into a move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cuda_shim.translate.ptx.entry import comparison_of
from cuda_shim.translate.ptx.flow import writes_of
from cuda_shim.translate.ptx.module import Call, Function, Immediate, Instruction, Operand, Register

__all__ = ["Replayed", "replay"]

_MOST_ROUNDS = 1 << 12
_MOST_STEPS = 1 << 18
_TYPES = ("b32", "s32", "u32", "b64", "s64", "u64")


@dataclass(frozen=True)
class Replayed:
    """The result of a replay.

    Attributes:
        instructions: the instructions of the loop's block, without the decided choices.
        rounds: the trip count.
    """

    instructions: list[Instruction]
    rounds: int


def replay(
    instructions: list[Instruction],
    first: Callable[[str], int | None],
    function: Function,
    predicate: str,
    true_goes_on: bool,
) -> Replayed | None:
    """Run a loop of one block; None if its trip count is unknown, or if nothing is gained.

    Args:
        instructions: the block's instructions.
        first: gives the number that a register has at the loop's entry, None if it is unknown.
        function: the function, for the types of its registers.
        predicate: the predicate that decides at the block's end.
        true_goes_on: True if the loop continues if it is true.
    """
    return _Replay(instructions, first, function, predicate, true_goes_on).run()


class _Replay:
    def __init__(
        self,
        instructions: list[Instruction],
        first: Callable[[str], int | None],
        function: Function,
        predicate: str,
        true_goes_on: bool,
    ) -> None:
        self._instructions = instructions
        self._registers = function.registers
        self._predicate, self._true_goes_on = predicate, true_goes_on
        self._first = first
        self._known: dict[str, int | None] = {}  # the values that have been read or written

    def run(self) -> Replayed | None:
        most = min(_MOST_ROUNDS, _MOST_STEPS // max(len(self._instructions), 1))
        if not any(item.opcode.startswith("selp.") for item in self._instructions):
            return None
        results: list[set[int | None]] = [set() for _ in self._instructions]
        for rounds in range(1, most + 1):
            for found, item in zip(results, self._instructions, strict=True):
                # The condition of a choice must be constant, but the selected value may vary.
                found.add(self._value(item.operands[3]) if _is_choice(item) else None)
                self._step(item)
            again = self._known.get(self._predicate)
            if again is None:
                return None
            if bool(again) != self._true_goes_on:
                return Replayed(
                    [self._written(*pair) for pair in zip(self._instructions, results, strict=True)], rounds
                )
        return None

    def _written(self, item: Instruction, choices: set[int | None]) -> Instruction:
        """Return a choice with the same condition in all iterations as a move of the selected operand."""
        which = next(iter(choices))
        if len(choices) != 1 or which is None:
            return item
        source = item.operands[1 if which else 2]
        return Instruction(item.opcode.replace("selp", "mov"), (item.operands[0], source), item.place)

    def _step(self, item: Instruction) -> None:
        value = self._result(item)
        for name in writes_of(item):
            self._known[name] = None if value is None else self._cut(name, value)

    def _cut(self, name: str, value: int) -> int:
        return value & ((1 << self._registers[name].bits) - 1)

    def _value(self, operand: Operand) -> int | None:
        if isinstance(operand, Immediate):
            return operand.value if operand.kind == "int" else None
        if not isinstance(operand, Register):
            return None
        if operand.name not in self._known:
            value = self._first(operand.name)
            self._known[operand.name] = None if value is None else self._cut(operand.name, value)
        return self._known[operand.name]

    def _result(self, item: Instruction) -> int | None:
        """Return the result of an instruction, None if it is unknown."""
        target = item.operands[0] if item.operands else None
        name, *modifiers = item.opcode.split(".")
        if item.guard is not None or isinstance(item, Call) or not isinstance(target, Register):
            return None
        compared = comparison_of(item)
        if compared is not None:
            left, right = self._value(Register(compared.left)), self._value(compared.right)
            return None if left is None or right is None else int(compared.holds(left, right))
        if len(modifiers) != 1 or modifiers[0] not in _TYPES:
            return None
        bits = int(modifiers[0][1:])
        if self._registers[target.name].bits != bits:
            return None
        if _is_choice(item):
            which = self._value(item.operands[3])
            return None if which is None else self._value(item.operands[1 if which else 2])
        values = [self._value(operand) for operand in item.operands[1:]]
        numbers = [value & ((1 << bits) - 1) for value in values if value is not None]
        return None if len(numbers) != len(values) else _computed(name, numbers)


def _is_choice(item: Instruction) -> bool:
    return item.opcode.startswith("selp.") and len(item.operands) == 4 and item.guard is None


def _computed(name: str, numbers: list[int]) -> int | None:
    """Return the result of an instruction on numbers; None for instructions that counters do not use."""
    if len(numbers) == 1:
        return numbers[0] if name == "mov" else None
    if len(numbers) != 2:
        return None
    left, right = numbers
    return {"add": left + right, "sub": left - right}.get(name)
