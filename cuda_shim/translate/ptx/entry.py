"""Facts at the entry of a loop: first values, and the comparisons on the path to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.flow import writes_of
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.module import Call, Immediate, Instruction, Operand, Register

__all__ = ["COMPARING", "Comparison", "Entry", "comparison_of"]

#: Comparisons in C++.
COMPARING = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
# The comparisons that each one implies.
_IMPLIED = {"lt": ("lt", "le", "ne"), "gt": ("gt", "ge", "ne"), "le": ("le",), "ge": ("ge",), "eq": ("eq", "le", "ge"),
            "ne": ("ne",)}  # fmt: skip
_WHOLE = ("s32", "u32", "b32", "s64", "u64", "b64")


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
    def most(self) -> int:
        """The largest number of the type."""
        return (1 << (self.bits - (self.type[0] == "s"))) - 1

    @property
    def least(self) -> int:
        """The smallest number of the type."""
        return -self.most - 1 if self.type[0] == "s" else 0

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
        return value - (1 << self.bits) if value > self.most else value

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
            "lt": (self.least, value - 1), "le": (self.least, value), "gt": (value + 1, self.most),
            "ge": (value, self.most), "eq": (value, value),
            "ne": (self.least + (value == self.least), self.most - (value == self.most)),
        }[self.operator]  # fmt: skip
        return (low, high) if low <= high else None

    def counts_exactly(self, step: int, first: int | None) -> bool:
        """Return whether a counter that this comparison ends never passes its first value a second time.

        The left side moves by `step` in every iteration, from `first` if that is known. If it counts exactly, its
        distance from the first value is an unsigned number of its width that has not overflowed.
        """
        # With step 1 the counter cannot skip the limit.
        if step == 1 and self.operator in ("lt", "ne"):
            return True
        # No loop has 2**64 iterations.
        if step == 1 and self.operator == "le" and self.bits == 64:
            return True
        if first is None or step <= 0 or not isinstance(self.right, Immediate):
            return False
        begin, end = self.number(first), self.number(self.right.value)
        if self.operator == "ne":
            return begin < end and (end - begin) % step == 0
        return self.operator in ("lt", "le") and max(begin, end) + 2 * step <= self.most


def comparison_of(item: Instruction) -> Comparison | None:
    """Return the comparison of an instruction that sets one predicate, without guard or combining operator."""
    parts = item.opcode.split(".")
    if item.guard is not None or isinstance(item, Call) or len(parts) != 3 or len(item.operands) != 3:
        return None
    operator, type_ = parts[1:]
    if parts[0] != "setp" or type_ not in _WHOLE or not isinstance(item.operands[0], Register):
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


class Entry:
    """The effects of the chain of blocks, without other entries, that leads to a loop, as seen at the loop's entry."""

    def __init__(self, graph: Graph, header: int, start: int) -> None:
        chain = graph.straight_to(start, header)
        self._items: list[Instruction] = []
        facts: list[Comparison] = []
        self._written: dict[str, int] = {}
        for place, number in enumerate(chain):
            block = graph.blocks[number]
            for item in block.instructions:
                for name in writes_of(item):
                    self._written[name] = len(self._items)
                self._items.append(item)
            fact = self._fact(graph, number, (*chain, header)[place + 1])
            if fact is not None:
                facts.append(fact)
        self._only_writes = _only_writes(graph, chain[0])
        self._facts = [fact for fact in facts if self._still_holds(fact)]

    def constant(self, name: str) -> int | None:
        """Return the number that a register has at the loop's entry, None if it is unknown."""
        end = len(self._items)
        while True:
            place = next((at for at in range(end - 1, -1, -1) if name in writes_of(self._items[at])), None)
            item = self._only_writes.get(name) if place is None else self._items[place]
            source = _copied(item)
            if isinstance(source, Immediate):
                return source.value if source.kind == "int" else None
            # A copy made before the blocks: its source may have changed since, so only a constant is known.
            if place is None or not isinstance(source, Register):
                return None
            name, end = source.name, place

    def proves(self, wanted: Comparison) -> bool:
        """Return whether a comparison holds at the loop's entry."""
        first = self.constant(wanted.left)
        if first is not None and wanted.operator == "le" and wanted.number(first) == wanted.least:
            return True
        limit = self._number(wanted.right)
        if first is not None and limit is not None:
            return wanted.holds(first, limit)
        for known in self._facts:
            for fact in (known, known.mirrored()):
                if fact is None or fact.bits != wanted.bits:
                    continue
                if self._implies(fact, wanted) or (first is not None and self._bounds(fact, wanted, first)):
                    return True
        return False

    def _fact(self, graph: Graph, number: int, way: int) -> Comparison | None:
        """Return the comparison that is true on one of a block's outgoing edges."""
        block = graph.blocks[number]
        if block.condition is None or len(set(block.successors)) != 2 or way not in block.successors:
            return None
        item = self._last_write(block.condition.name)
        found = None if item is None else comparison_of(item)
        if found is None:
            return None
        return found if (block.successors.index(way) == 0) != block.negated else found.opposite()

    def _last_write(self, name: str) -> Instruction | None:
        place = self._written.get(name)
        return None if place is None else self._items[place]

    def _still_holds(self, fact: Comparison) -> bool:
        """Return whether the operands of a comparison are unchanged at the loop's entry."""
        place = next(index for index, item in enumerate(self._items) if item is fact.item)
        names = [fact.left, *([fact.right.name] if isinstance(fact.right, Register) else [])]
        return all(self._written.get(name, -1) < place for name in names)

    def _number(self, operand: Operand) -> int | None:
        if isinstance(operand, Immediate):
            return operand.value
        return self.constant(operand.name) if isinstance(operand, Register) else None

    def _same(self, name: str) -> set[Operand]:
        """Return the operands that a register equals at the entry: itself, and the source that it was copied from."""
        found: set[Operand] = {Register(name)}
        source = _copied(self._last_write(name))
        if isinstance(source, Register) and self._written.get(source.name, -1) < self._written[name]:
            found.add(source)
        return found

    def _implies(self, fact: Comparison, wanted: Comparison) -> bool:
        signs = fact.type[0] == wanted.type[0] or fact.operator in ("eq", "ne")
        return (
            signs
            and wanted.operator in _IMPLIED[fact.operator]
            and Register(fact.left) in self._same(wanted.left)
            and fact.right == wanted.right
        )

    def _bounds(self, fact: Comparison, wanted: Comparison, first: int) -> bool:
        """Return whether the comparison holds for every number that the limit may be."""
        limits = fact.range()
        if limits is None or Register(fact.left) != wanted.right or fact.type != wanted.type:
            return False
        low, high = limits
        begin = wanted.number(first)
        if wanted.operator == "ne":
            return not low <= begin <= high
        return wanted.holds(begin, low) and wanted.holds(begin, high) and wanted.operator != "eq"


def _copied(item: Instruction | None) -> Operand | None:
    """Return the source of an instruction that only copies."""
    if item is None or item.guard is not None or isinstance(item, Call) or len(item.operands) != 2:
        return None
    return item.operands[1] if item.opcode.startswith("mov.") and isinstance(item.operands[0], Register) else None


def _only_writes(graph: Graph, number: int) -> dict[str, Instruction]:
    """Return the only instruction that writes a register, for registers written before a block begins."""
    found: dict[str, Instruction] = {}
    seen: set[str] = set()
    for other in graph.order:
        for item in graph.blocks[other].instructions:
            for name in writes_of(item):
                if name not in seen and other != number and graph.dominates(other, number):
                    found[name] = item
                else:
                    found.pop(name, None)
                seen.add(name)
    return found
