"""Counted loops: recovers `for (int i = a; i < b; i += c)` from a compiler's output.

Compilers test such a loop at its end, behind a guard around the whole loop if it may have no iteration, and keep
addresses that move with the loop in induction variables of their own. This pass moves the test back to the front if it
provably holds before the first iteration, and computes such addresses from the counter again. So the CPU runtime sees
that all threads have the same trip count, or the stride of each thread, and need not keep an address for every thread.

The blocks stay as they are; their instructions are changed so that every other analysis sees the loop's meaning. The
first value of the counter, its step and its comparison stay among them, marked, and are written in the loop's head.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.entry import Comparison, Entry, comparison_of
from cuda_shim.translate.ptx.flow import live_at_starts, live_behind, reads_of, with_reads, writes_of
from cuda_shim.translate.ptx.graph import DecidedLoop, Graph
from cuda_shim.translate.ptx.module import Address, Call, Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.types import Type
from cuda_shim.translate.ptx.values import is_constant

__all__ = ["Counted", "count_loops"]

_SUM_TYPES = ("s32", "u32", "s64", "u64")


@dataclass(frozen=True)
class Counted:
    """A loop with the head `for (counter = ...; compared; counter += ...)`.

    Attributes:
        counter: its register, which is declared in the loop's head.
        first: the instruction that gives it its first value, at the end of the block in front of the loop.
        step: the instruction that increments it, at the end of each iteration.
        compared: the comparison behind it, which is true if the loop continues.
        end: the block of the comparison, which decides that block's branch and nothing else.
    """

    counter: str
    first: Instruction
    step: Instruction
    compared: Comparison
    end: int


@dataclass(frozen=True)
class _Moving:
    """An induction variable: a register to which the same number is added once in every iteration.

    Attributes:
        block, item: the block and the instruction of the addition.
        by: the number, which does not change in the loop.
    """

    name: str
    block: int
    item: Instruction
    by: Operand
    type: Type

    @property
    def constant(self) -> int:
        """The number if it is known, else 0."""
        return self.by.value if isinstance(self.by, Immediate) else 0


def count_loops(graph: Graph, function: Function, at_end: frozenset[str], tested_last: set[int]) -> dict[int, Counted]:
    """Change the instructions of counted loops; return the loops that get a `for` head, by their first block.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
        at_end: the registers that a return takes.
        tested_last: the loops whose structure is a body with the test behind it.
    """
    found: dict[int, Counted] = {}
    # Outer loops first, so that inner loops can be rewritten without invalidating the marked instructions.
    for header in sorted(graph.loops, key=lambda number: (-len(graph.loops[number]), graph.rank[number])):
        loop = graph.decided_loop(header)
        if loop is not None:
            counted = _Counting(graph, function, at_end, loop).counted(may_have_head=header in tested_last)
            if counted is not None:
                found[header] = counted
    return found


class _Counting:
    def __init__(self, graph: Graph, function: Function, at_end: frozenset[str], loop: DecidedLoop) -> None:
        self._graph = graph
        self._function = function
        self._at_end = at_end
        self._loop = loop
        self._writes: dict[str, list[tuple[int, Instruction]]] = {}
        for number in loop.blocks:
            for item in graph.blocks[number].instructions:
                for name in writes_of(item):
                    self._writes.setdefault(name, []).append((number, item))

    def counted(self, *, may_have_head: bool) -> Counted | None:
        moving = self._moving()
        compared = self._compared() if moving else None
        counter = compared and moving.get(compared.left)
        if compared is None or not counter:
            return None
        after = live_behind(self._graph, self._loop.blocks, self._at_end)
        self._entry = entry = Entry(self._graph, self._loop.header, self._loop.start)
        first = entry.constant(counter.name)
        others = [other for other in moving.values() if other.name != counter.name and other.name not in after]
        headed = may_have_head and counter.name not in after and self._is_last(counter, compared)
        if not headed or self._is_address(counter.name) or not entry.proves(compared):
            if first is not None:
                self._recompute(counter, Immediate(first, "int"), others, compared, first)
            return None
        own = self._new(counter.name).name
        made = self._with_head(counter, own, compared)
        start: Operand = Immediate(first, "int") if first is not None else Register(counter.name)
        self._recompute(replace(counter, name=own), start, others, compared, first)
        return made

    # Matching.

    def _moving(self) -> dict[str, _Moving]:
        found: dict[str, _Moving] = {}
        for name, writes in self._writes.items():
            number, item = writes[0]
            if len(writes) != 1 or number not in self._loop.once:
                continue
            by = self._added(item, name)
            if by is not None:
                found[name] = _Moving(name, number, item, by, self._function.registers[name])
        return found

    def _added(self, item: Instruction, name: str) -> Operand | None:
        """Return the operand that an instruction adds to its own register, None if it does something else."""
        parts = item.opcode.split(".")
        if item.guard is not None or isinstance(item, Call) or len(item.operands) != 3 or len(parts) != 2:
            return None
        if parts[0] not in ("add", "sub") or parts[1] not in _SUM_TYPES:
            return None
        bits = self._function.registers[name].bits
        if bits != int(parts[1][1:]) or self._function.registers[name].kind == "floating":
            return None
        own = Register(name)
        _, left, right = item.operands
        if parts[0] == "add" and right == own and left != own:
            left, right = right, left
        if left != own or right == own:
            return None
        if isinstance(right, Immediate):
            if right.kind != "int":
                return None
            value = _signed(right.value if parts[0] == "add" else -right.value, bits)
            return Immediate(value, "int") if value else None
        if parts[0] == "sub" or not isinstance(right, Register) or not self._stays(right):
            return None
        return right if self._function.registers[right.name].bits == bits else None

    def _stays(self, operand: Operand) -> bool:
        if isinstance(operand, Register):
            return operand.name not in self._writes
        return is_constant(operand)

    def _compared(self) -> Comparison | None:
        """Return the comparison at the end of an iteration, in the form that is true if the loop continues."""
        loop, last = self._loop, self._graph.blocks[self._loop.end]
        items = [item for item in last.instructions if loop.predicate in writes_of(item)]
        live = live_at_starts(self._graph, self._at_end)
        if len(items) != 1 or any(loop.predicate in live[way] for way in last.successors):
            return None
        behind = last.instructions[last.instructions.index(items[0]) + 1 :]
        if any(loop.predicate in reads_of(item) for item in behind):
            return None
        found = comparison_of(items[0])
        if found is None:
            return None
        found = found if loop.true_goes_on else found.opposite()
        if isinstance(found.right, Register) and not self._stays(found.right):
            found = found.mirrored() or found
        return found if self._stays(found.right) else None

    def _is_last(self, counter: _Moving, compared: Comparison) -> bool:
        """Return whether only the comparison reads the counter after its increment."""
        if counter.block != self._loop.end or compared.bits != counter.type.bits:
            return False
        items = self._graph.blocks[counter.block].instructions
        moved = next(place for place, item in enumerate(items) if item is counter.item)
        behind = items[moved + 1 :]
        others = [item for item in behind if item is not compared.item]
        return len(others) < len(behind) and not any(counter.name in reads_of(item) for item in others)

    def _is_address(self, name: str) -> bool:
        """Return whether a register is the base of a memory access in the loop: a pointer should stay one."""
        return any(
            isinstance(operand, Address) and operand.base == Register(name)
            for number in self._loop.blocks
            for item in self._graph.blocks[number].instructions
            for operand in item.operands
        )

    # Rewriting.

    def _new(self, name: str, type_: Type | None = None) -> Register:
        return self._function.new_register(f"{name}.", type_ or self._function.registers[name])

    def _with_head(self, counter: _Moving, own: str, compared: Comparison) -> Counted:
        """Give the loop a counter of its own: the register keeps its first value."""
        graph, bits, place = self._graph, counter.type.bits, counter.item.place
        first = Instruction(f"mov.b{bits}", (Register(own), Register(counter.name)), place)
        step = Instruction(f"add.s{bits}", (Register(own), Register(own), counter.by), place)
        test = compared.with_left(own)
        for number in self._loop.blocks:
            block = graph.blocks[number]
            items: list[Instruction] = []
            for item in block.instructions:
                if item is counter.item:
                    items.append(step)
                elif item is compared.item:
                    items.append(test.item)
                else:
                    items.append(with_reads(item, counter.name, own))
            block.instructions = items
            if block.index == Register(counter.name):
                block.index = Register(own)
        loop = self._loop
        last = graph.blocks[loop.end]
        last.negated = last.successors.index(loop.header) != 0
        graph.blocks[loop.start].instructions.append(first)
        return Counted(own, first, step, test, loop.end)

    def _recompute(
        self, counter: _Moving, start: Operand, others: list[_Moving], compared: Comparison, first: int | None
    ) -> None:
        """Compute the other induction variables from the counter: first value plus stride times iterations."""
        for other in others:
            factor = _factor(counter, other)
            if factor is None:
                continue
            exact = compared.bits == counter.type.bits and compared.counts_exactly(counter.constant, first)
            if other.type.bits > counter.type.bits and not exact:
                continue
            begin = self._entry.constant(other.name)
            base = Register(other.name) if begin is None else Immediate(begin, "int")
            self._replace(other, self._sum(counter, start, other, factor, base))

    def _sum(
        self, counter: _Moving, start: Operand, other: _Moving, factor: Operand, base: Operand
    ) -> list[Instruction]:
        """Return the instructions that compute a register's value at the start of an iteration, the result last."""
        made: list[Instruction] = []

        def add(opcode: str, type_: Type, *operands: Operand) -> Register:
            result = self._new(other.name, type_)
            made.append(Instruction(opcode, (result, *operands), other.item.place))
            return result

        own, wide = counter.type.bits, other.type.bits
        passed: Operand = Register(counter.name)
        if start != Immediate(0, "int"):
            passed = add(f"sub.u{own}", counter.type, passed, start)
        if own < wide and isinstance(factor, Immediate) and 0 <= factor.value < 1 << 31:
            add("mad.wide.u32", other.type, passed, factor, base)
            return made
        if own != wide:
            passed = add(f"cvt.u{wide}.u{own}", other.type, passed)
        if factor == Immediate(1, "int"):
            add(f"add.s{wide}", other.type, passed, base)
        else:
            add(f"mad.lo.s{wide}", other.type, passed, factor, base)
        return made

    def _replace(self, other: _Moving, made: list[Instruction]) -> None:
        """Let the loop read the computed value; behind the replaced addition, the value of the next iteration."""
        graph = self._graph
        target = made[-1].operands[0]
        assert isinstance(target, Register)  # noqa: S101
        moved = self._new(other.name)
        sum_ = Instruction(f"add.s{other.type.bits}", (moved, target, other.by), other.item.place)
        wanted = False
        for number in self._loop.blocks:
            block = graph.blocks[number]
            behind = number != other.block and graph.dominates(other.block, number)
            items: list[Instruction] = []
            for item in block.instructions:
                if item is other.item:
                    items.append(sum_)
                    behind = True
                    continue
                wanted = wanted or (behind and other.name in reads_of(item))
                items.append(with_reads(item, other.name, moved.name if behind else target.name))
            block.instructions = items
            if block.index == Register(other.name):
                wanted = wanted or behind
                block.index = moved if behind else target
        if not wanted:
            block = graph.blocks[other.block]
            block.instructions = [item for item in block.instructions if item is not sum_]
        header = graph.blocks[self._loop.header]
        header.instructions = [*made, *header.instructions]


def _factor(counter: _Moving, other: _Moving) -> Operand | None:
    """Return the stride of a register when its counter moves by one, None if that is no whole number."""
    if not counter.constant:
        return None
    if isinstance(other.by, Immediate):
        if other.by.value % counter.constant:
            return None
        return Immediate(other.by.value // counter.constant, "int")
    # With step 1 the factor is the register `other.by` itself: it has the width of `other` and needs no extension.
    return other.by if counter.constant == 1 else None


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
