"""Facts at the entry of a loop: first values, and the comparisons on the path to it.

    setp.lt.s32 %p, %n, 1;  @%p bra DONE;  mov.u32 %i, 0;  LOOP: ...   // 0 < n holds where the loop begins, and i is 0

Only the straight chain of blocks that leads to the loop is read, and constants that were set before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.module import Call, Immediate, Instruction, Operand, Register

__all__ = ["CXX_OPERATORS", "Comparison", "LoopEntry", "comparison_of"]

#: Comparisons in C++.
CXX_OPERATORS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
# The comparisons that each one implies.
_IMPLIED = {"lt": ("lt", "le", "ne"), "gt": ("gt", "ge", "ne"), "le": ("le",), "ge": ("ge",), "eq": ("eq", "le", "ge"),
            "ne": ("ne",)}  # fmt: skip
_INTEGER_TYPES = ("s32", "u32", "b32", "s64", "u64", "b64")


@dataclass(frozen=True)
class Comparison:
    """A comparison of whole numbers that is true.

    Attributes:
        item: the instruction.
        operator: lt, le, gt, ge, eq or ne.
        type: the type of both operands, such as "s32".
        left: a register.
        right: the operand that it is compared with.
    """

    item: Instruction
    operator: str
    type: str
    left: str
    right: Operand

    @property
    def bits(self) -> int:
        """The width of the operands."""
        return int(self.type[1:])

    @property
    def max_value(self) -> int:
        """The largest number of the type."""
        return (1 << (self.bits - (self.type[0] == "s"))) - 1

    @property
    def min_value(self) -> int:
        """The smallest number of the type."""
        return -self.max_value - 1 if self.type[0] == "s" else 0

    def opposite(self) -> Comparison:
        """Return the negated comparison."""
        return replace(self, operator=_OPPOSITE[self.operator])

    def mirrored(self) -> Comparison | None:
        """Return the same comparison with its sides exchanged, None if the right one is no register."""
        if not isinstance(self.right, Register):
            return None
        return replace(self, operator=_MIRRORED[self.operator], left=self.right.name, right=Register(self.left))

    def with_left(self, name: str) -> Comparison:
        """Return the same comparison for another register, with an instruction of its own."""
        operands = (self.item.operands[0], Register(name), self.right)
        item = replace(self.item, opcode=f"setp.{self.operator}.{self.type}", operands=operands)
        return replace(self, item=item, left=name)

    def number(self, value: int) -> int:
        """Return the number of the type that has the same bits."""
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if value > self.max_value else value

    def holds(self, left: int, right: int) -> bool:
        """Return whether it is true of two numbers."""
        left, right = self.number(left), self.number(right)
        return {
            "lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right,
            "eq": left == right, "ne": left != right,
        }[self.operator]  # fmt: skip

    def range(self) -> tuple[int, int] | None:
        """Return the least and the largest value of the left side for which it holds, given the right side."""
        if not isinstance(self.right, Immediate):
            return None
        value = self.number(self.right.value)
        low, high = {
            "lt": (self.min_value, value - 1), "le": (self.min_value, value), "gt": (value + 1, self.max_value),
            "ge": (value, self.max_value), "eq": (value, value),
            "ne": (self.min_value + (value == self.min_value), self.max_value - (value == self.max_value)),
        }[self.operator]  # fmt: skip
        return (low, high) if low <= high else None

    def rules_out_wraparound(self, step: int, initial_value: int | None) -> bool:
        """Return whether a counter that this comparison ends never passes its first value a second time.

        The left side moves by `step` in every iteration, from `initial_value` if that is known. Without wraparound its
        distance from the first value is an unsigned number of its width.
        """
        # With step 1 the counter cannot skip the limit.
        if step == 1 and self.operator in ("lt", "ne"):
            return True
        # No loop has 2**64 iterations.
        if step == 1 and self.operator == "le" and self.bits == 64:
            return True
        if initial_value is None or step <= 0 or not isinstance(self.right, Immediate):
            return False
        initial, limit = self.number(initial_value), self.number(self.right.value)
        if self.operator == "ne":
            return initial < limit and (limit - initial) % step == 0
        return self.operator in ("lt", "le") and max(initial, limit) + 2 * step <= self.max_value


def comparison_of(item: Instruction) -> Comparison | None:
    """Return the comparison of an instruction that sets one predicate, without guard or combining operator."""
    parts = item.opcode.split(".")
    if item.guard is not None or isinstance(item, Call) or len(parts) != 3 or len(item.operands) != 3:
        return None
    operator, type_ = parts[1:]
    if parts[0] != "setp" or type_ not in _INTEGER_TYPES or not isinstance(item.operands[0], Register):
        return None
    if operator in _UNSIGNED:
        operator, type_ = _UNSIGNED[operator], f"u{type_[1:]}"
    type_ = f"u{type_[1:]}" if type_[0] == "b" else type_
    left, right = item.operands[1:]
    if operator not in _OPPOSITE:
        return None
    if not isinstance(left, Register):
        left, right, operator = right, left, _MIRRORED[operator]
    if not isinstance(left, Register) or (isinstance(right, Immediate) and right.kind != "int"):
        return None
    return Comparison(item, operator, type_, left.name, right)


class LoopEntry:
    """The effects of the chain of blocks, without other entries, that leads to a loop, as seen at the loop's entry."""

    def __init__(self, graph: Graph, header: int, preheader: int) -> None:
        chain = graph.chain_to(preheader, header)
        self._items: list[Instruction] = []
        facts: list[Comparison] = []
        self._last_definition: dict[str, int] = {}
        for index, number in enumerate(chain):
            block = graph.blocks[number]
            for item in block.instructions:
                for name in writes_of(item):
                    self._last_definition[name] = len(self._items)
                self._items.append(item)
            fact = self._edge_condition(graph, number, (*chain, header)[index + 1])
            if fact is not None:
                facts.append(fact)
        self._single_definitions = _single_definitions(graph, chain[0])
        self._facts = [fact for fact in facts if self._is_unchanged(fact)]

    def constant(self, name: str) -> int | None:
        """Return the number that a register has at the loop's entry, None if it is unknown."""
        end = len(self._items)
        while True:
            index = next((at for at in range(end - 1, -1, -1) if name in writes_of(self._items[at])), None)
            item = self._single_definitions.get(name) if index is None else self._items[index]
            source = _copy_source(item)
            if isinstance(source, Immediate):
                return source.value if source.kind == "int" else None
            # A copy made before the blocks: its source may have changed since, so only a constant is known.
            if index is None or not isinstance(source, Register):
                return None
            name, end = source.name, index

    def proves(self, comparison: Comparison) -> bool:
        """Return whether a comparison holds at the loop's entry."""
        initial = self.constant(comparison.left)
        if initial is not None and comparison.operator == "le" and comparison.number(initial) == comparison.min_value:
            return True
        limit = self._number(comparison.right)
        if initial is not None and limit is not None:
            return comparison.holds(initial, limit)
        for path_fact in self._facts:
            for fact in (path_fact, path_fact.mirrored()):
                if fact is None or fact.bits != comparison.bits:
                    continue
                if self._implies(fact, comparison) or (
                    initial is not None and self._holds_for_all_limits(fact, comparison, initial)
                ):
                    return True
        return False

    def _edge_condition(self, graph: Graph, number: int, successor: int) -> Comparison | None:
        """Return the comparison that is true on one of a block's outgoing edges."""
        block = graph.blocks[number]
        if block.condition is None or len(set(block.successors)) != 2 or successor not in block.successors:
            return None
        item = self._definition(block.condition.name)
        comparison = None if item is None else comparison_of(item)
        if comparison is None:
            return None
        return comparison if (block.successors.index(successor) == 0) != block.negated else comparison.opposite()

    def _definition(self, name: str) -> Instruction | None:
        index = self._last_definition.get(name)
        return None if index is None else self._items[index]

    def _is_unchanged(self, fact: Comparison) -> bool:
        """Return whether the operands of a comparison are unchanged at the loop's entry."""
        comparison_index = next(index for index, item in enumerate(self._items) if item is fact.item)
        names = [fact.left, *([fact.right.name] if isinstance(fact.right, Register) else [])]
        return all(self._last_definition.get(name, -1) < comparison_index for name in names)

    def _number(self, operand: Operand) -> int | None:
        if isinstance(operand, Immediate):
            return operand.value
        return self.constant(operand.name) if isinstance(operand, Register) else None

    def _equal_operands(self, name: str) -> set[Operand]:
        """Return the operands that a register equals at the entry: itself, and the source that it was copied from."""
        operands: set[Operand] = {Register(name)}
        source = _copy_source(self._definition(name))
        if isinstance(source, Register) and self._last_definition.get(source.name, -1) < self._last_definition[name]:
            operands.add(source)
        return operands

    def _implies(self, fact: Comparison, comparison: Comparison) -> bool:
        signs = fact.type[0] == comparison.type[0] or fact.operator in ("eq", "ne")
        return (
            signs
            and comparison.operator in _IMPLIED[fact.operator]
            and Register(fact.left) in self._equal_operands(comparison.left)
            and fact.right == comparison.right
        )

    def _holds_for_all_limits(self, fact: Comparison, comparison: Comparison, initial: int) -> bool:
        """Return whether the comparison holds for every number that the limit may be."""
        limits = fact.range()
        if limits is None or Register(fact.left) != comparison.right or fact.type != comparison.type:
            return False
        low, high = limits
        number = comparison.number(initial)
        if comparison.operator == "ne":
            return not low <= number <= high
        return comparison.holds(number, low) and comparison.holds(number, high) and comparison.operator != "eq"


def _copy_source(item: Instruction | None) -> Operand | None:
    """Return the source of an instruction that only copies."""
    if item is None or item.guard is not None or isinstance(item, Call) or len(item.operands) != 2:
        return None
    return item.operands[1] if item.opcode.startswith("mov.") and isinstance(item.operands[0], Register) else None


def _single_definitions(graph: Graph, number: int) -> dict[str, Instruction]:
    """Return the only instruction that writes a register, for registers written before a block begins."""
    definitions: dict[str, Instruction] = {}
    seen: set[str] = set()
    for other in graph.order:
        for item in graph.blocks[other].instructions:
            for name in writes_of(item):
                if name not in seen and other != number and graph.dominates(other, number):
                    definitions[name] = item
                else:
                    definitions.pop(name, None)
                seen.add(name)
    return definitions
