"""Counted loops: recovers `for (int i = a; i < b; i += c)` from a compiler's output.

Problem: compilers test such a loop at its end, behind a guard around the whole loop if it may have no iteration, and
keep addresses that move with the loop in induction variables of their own. The CPU runtime then sees neither that all
threads have the same trip count nor the stride of each thread, and has to keep the address for every thread.

    do { sum += *p;  p += 4;  i += 1; } while (i < n);       // before; i is 0, and a guard proves 0 < n
    for (int j = 0; j < n; j += 1) { sum += *(p + j * 4); }  // after

Preconditions of the head: the counter has one update, an addition of a loop-invariant number in every iteration; the
test compares it with a loop-invariant limit, is the last in the body, and alone reads the updated counter; the counter
is dead behind the loop and no base of an address; and the test holds before the first iteration (loop_entry.py). For an
induction variable to be computed from the counter: its stride is a multiple of the counter's, it is dead behind the
loop, and if it is wider than the counter, the counter does not wrap around. A counter with a constant first value needs
no head for that.

Limits: loops with one entry and one back edge, and integer counters of 32 or 64 bits. The blocks stay as they are; the
first value of the counter, its step and its comparison stay among their instructions, marked, and are emitted in the
loop's head.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.def_use import reads_of, with_reads, writes_of
from cuda_shim.translate.ptx.graph import BottomTestedLoop, Graph
from cuda_shim.translate.ptx.liveness import live_at_starts, live_behind
from cuda_shim.translate.ptx.loop_entry import Comparison, LoopEntry, comparison_of
from cuda_shim.translate.ptx.module import Address, Call, Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.types import Type
from cuda_shim.translate.ptx.values import is_constant

__all__ = ["CountedLoop", "rewrite_counted_loops"]

_SUM_TYPES = ("s32", "u32", "s64", "u64")


@dataclass(frozen=True)
class CountedLoop:
    """A loop with the head `for (counter = ...; compared; counter += ...)`.

    Attributes:
        counter: its register, which is declared in the loop's head.
        init: the instruction that gives it its first value, at the end of the block in front of the loop.
        step: the instruction that increments it, at the end of each iteration.
        comparison: the comparison behind it, which is true if the loop continues.
        latch: the block of the comparison, which decides that block's branch and nothing else.
    """

    counter: str
    init: Instruction
    step: Instruction
    comparison: Comparison
    latch: int


@dataclass(frozen=True)
class _InductionVariable:
    """An induction variable: a register to which the same number is added once in every iteration.

    Attributes:
        block, update: the block and the instruction of the addition.
        stride: the number, which does not change in the loop.
    """

    name: str
    block: int
    update: Instruction
    stride: Operand
    type: Type

    @property
    def constant_stride(self) -> int:
        """The number if it is known, else 0."""
        return self.stride.value if isinstance(self.stride, Immediate) else 0


def rewrite_counted_loops(
    graph: Graph, function: Function, live_at_return: frozenset[str], do_while_headers: set[int]
) -> dict[int, CountedLoop]:
    """Change the instructions of counted loops; return the loops that get a `for` head, by their first block.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
        live_at_return: the registers that a return takes.
        do_while_headers: the loops whose structure is a body with the test behind it.
    """
    counted_loops: dict[int, CountedLoop] = {}
    # Outer loops first, so that inner loops can be rewritten without invalidating the marked instructions.
    for header in sorted(graph.loops, key=lambda number: (-len(graph.loops[number]), graph.rank[number])):
        loop = graph.bottom_tested_loop(header)
        if loop is not None:
            counted_loop = _LoopRewriter(graph, function, live_at_return, loop).rewrite(
                is_do_while=header in do_while_headers
            )
            if counted_loop is not None:
                counted_loops[header] = counted_loop
    return counted_loops


class _LoopRewriter:
    def __init__(
        self, graph: Graph, function: Function, live_at_return: frozenset[str], loop: BottomTestedLoop
    ) -> None:
        self._graph = graph
        self._function = function
        self._live_at_return = live_at_return
        self._loop = loop
        self._writes: dict[str, list[tuple[int, Instruction]]] = {}
        for number in loop.blocks:
            for item in graph.blocks[number].instructions:
                for name in writes_of(item):
                    self._writes.setdefault(name, []).append((number, item))

    def rewrite(self, *, is_do_while: bool) -> CountedLoop | None:
        variables = self._induction_variables()
        comparison = self._continue_condition() if variables else None
        counter = comparison and variables.get(comparison.left)
        if comparison is None or not counter:
            return None
        live_out = live_behind(self._graph, self._loop.blocks, self._live_at_return)
        self._entry = entry = LoopEntry(self._graph, self._loop.header, self._loop.preheader)
        initial_value = entry.constant(counter.name)
        others = [other for other in variables.values() if other.name != counter.name and other.name not in live_out]
        gets_head = is_do_while and counter.name not in live_out and self._only_test_reads_update(counter, comparison)
        if not gets_head or self._is_address(counter.name) or not entry.proves(comparison):
            if initial_value is not None:
                self._derive_from_counter(counter, Immediate(initial_value, "int"), others, comparison, initial_value)
            return None
        counter_name = self._new_register(counter.name).name
        counted_loop = self._add_counter(counter, counter_name, comparison)
        start: Operand = Immediate(initial_value, "int") if initial_value is not None else Register(counter.name)
        self._derive_from_counter(replace(counter, name=counter_name), start, others, comparison, initial_value)
        return counted_loop

    # Matching.

    def _induction_variables(self) -> dict[str, _InductionVariable]:
        variables: dict[str, _InductionVariable] = {}
        for name, writes in self._writes.items():
            number, item = writes[0]
            if len(writes) != 1 or number not in self._loop.every_iteration:
                continue
            stride = self._stride_of(item, name)
            if stride is not None:
                variables[name] = _InductionVariable(name, number, item, stride, self._function.registers[name])
        return variables

    def _stride_of(self, item: Instruction, name: str) -> Operand | None:
        """Return the operand that an instruction adds to its own register, None if it does something else."""
        parts = item.opcode.split(".")
        if item.guard is not None or isinstance(item, Call) or len(item.operands) != 3 or len(parts) != 2:
            return None
        if parts[0] not in ("add", "sub") or parts[1] not in _SUM_TYPES:
            return None
        bits = self._function.registers[name].bits
        if bits != int(parts[1][1:]) or self._function.registers[name].kind == "floating":
            return None
        register = Register(name)
        _, left, right = item.operands
        if parts[0] == "add" and right == register and left != register:
            left, right = right, left
        if left != register or right == register:
            return None
        if isinstance(right, Immediate):
            if right.kind != "int":
                return None
            value = _signed(right.value if parts[0] == "add" else -right.value, bits)
            return Immediate(value, "int") if value else None
        if parts[0] == "sub" or not isinstance(right, Register) or not self._is_invariant(right):
            return None
        return right if self._function.registers[right.name].bits == bits else None

    def _is_invariant(self, operand: Operand) -> bool:
        if isinstance(operand, Register):
            return operand.name not in self._writes
        return is_constant(operand)

    def _continue_condition(self) -> Comparison | None:
        """Return the comparison at the end of an iteration, in the form that is true if the loop continues."""
        loop, latch = self._loop, self._graph.blocks[self._loop.latch]
        items = [item for item in latch.instructions if loop.predicate in writes_of(item)]
        live = live_at_starts(self._graph, self._live_at_return)
        if len(items) != 1 or any(loop.predicate in live[successor] for successor in latch.successors):
            return None
        following = latch.instructions[latch.instructions.index(items[0]) + 1 :]
        if any(loop.predicate in reads_of(item) for item in following):
            return None
        comparison = comparison_of(items[0])
        if comparison is None:
            return None
        comparison = comparison if loop.continues_if_true else comparison.opposite()
        if isinstance(comparison.right, Register) and not self._is_invariant(comparison.right):
            comparison = comparison.mirrored() or comparison
        return comparison if self._is_invariant(comparison.right) else None

    def _only_test_reads_update(self, counter: _InductionVariable, comparison: Comparison) -> bool:
        """Return whether only the comparison reads the counter after its increment."""
        if counter.block != self._loop.latch or comparison.bits != counter.type.bits:
            return False
        items = self._graph.blocks[counter.block].instructions
        update_index = next(index for index, item in enumerate(items) if item is counter.update)
        following = items[update_index + 1 :]
        others = [item for item in following if item is not comparison.item]
        return len(others) < len(following) and not any(counter.name in reads_of(item) for item in others)

    def _is_address(self, name: str) -> bool:
        """Return whether a register is the base of a memory access in the loop: a pointer should stay one."""
        return any(
            isinstance(operand, Address) and operand.base == Register(name)
            for number in self._loop.blocks
            for item in self._graph.blocks[number].instructions
            for operand in item.operands
        )

    # Rewriting.

    def _new_register(self, name: str, type_: Type | None = None) -> Register:
        return self._function.new_register(f"{name}.", type_ or self._function.registers[name])

    def _add_counter(self, counter: _InductionVariable, counter_name: str, comparison: Comparison) -> CountedLoop:
        """Give the loop a counter of its own: the register keeps its first value."""
        graph, bits, position = self._graph, counter.type.bits, counter.update.position
        init = Instruction(f"mov.b{bits}", (Register(counter_name), Register(counter.name)), position)
        step = Instruction(f"add.s{bits}", (Register(counter_name), Register(counter_name), counter.stride), position)
        test = comparison.with_left(counter_name)
        for number in self._loop.blocks:
            block = graph.blocks[number]
            items: list[Instruction] = []
            for item in block.instructions:
                if item is counter.update:
                    items.append(step)
                elif item is comparison.item:
                    items.append(test.item)
                else:
                    items.append(with_reads(item, counter.name, counter_name))
            block.instructions = items
            if block.index == Register(counter.name):
                block.index = Register(counter_name)
        loop = self._loop
        latch = graph.blocks[loop.latch]
        latch.negated = latch.successors.index(loop.header) != 0
        graph.blocks[loop.preheader].instructions.append(init)
        return CountedLoop(counter_name, init, step, test, loop.latch)

    def _derive_from_counter(
        self,
        counter: _InductionVariable,
        start: Operand,
        others: list[_InductionVariable],
        comparison: Comparison,
        initial_value: int | None,
    ) -> None:
        """Compute the other induction variables from the counter: first value plus stride times iterations."""
        for other in others:
            factor = _stride_ratio(counter, other)
            if factor is None:
                continue
            exact = comparison.bits == counter.type.bits and comparison.rules_out_wraparound(
                counter.constant_stride, initial_value
            )
            if other.type.bits > counter.type.bits and not exact:
                continue
            other_initial = self._entry.constant(other.name)
            base = Register(other.name) if other_initial is None else Immediate(other_initial, "int")
            self._replace(other, self._derived_value(counter, start, other, factor, base))

    def _derived_value(
        self, counter: _InductionVariable, start: Operand, other: _InductionVariable, factor: Operand, base: Operand
    ) -> list[Instruction]:
        """Return the instructions that compute a register's value at the start of an iteration, the result last."""
        instructions: list[Instruction] = []

        def add(opcode: str, type_: Type, *operands: Operand) -> Register:
            result = self._new_register(other.name, type_)
            instructions.append(Instruction(opcode, (result, *operands), other.update.position))
            return result

        counter_bits, bits = counter.type.bits, other.type.bits
        distance: Operand = Register(counter.name)
        if start != Immediate(0, "int"):
            distance = add(f"sub.u{counter_bits}", counter.type, distance, start)
        if counter_bits < bits and isinstance(factor, Immediate) and 0 <= factor.value < 1 << 31:
            add("mad.wide.u32", other.type, distance, factor, base)
            return instructions
        if counter_bits != bits:
            distance = add(f"cvt.u{bits}.u{counter_bits}", other.type, distance)
        if factor == Immediate(1, "int"):
            add(f"add.s{bits}", other.type, distance, base)
        else:
            add(f"mad.lo.s{bits}", other.type, distance, factor, base)
        return instructions

    def _replace(self, other: _InductionVariable, instructions: list[Instruction]) -> None:
        """Let the loop read the computed value; behind the replaced addition, the value of the next iteration."""
        graph = self._graph
        target = instructions[-1].operands[0]
        assert isinstance(target, Register)  # noqa: S101
        next_value = self._new_register(other.name)
        update = Instruction(f"add.s{other.type.bits}", (next_value, target, other.stride), other.update.position)
        is_read = False
        for number in self._loop.blocks:
            block = graph.blocks[number]
            follows_update = number != other.block and graph.dominates(other.block, number)
            items: list[Instruction] = []
            for item in block.instructions:
                if item is other.update:
                    items.append(update)
                    follows_update = True
                    continue
                is_read = is_read or (follows_update and other.name in reads_of(item))
                items.append(with_reads(item, other.name, next_value.name if follows_update else target.name))
            block.instructions = items
            if block.index == Register(other.name):
                is_read = is_read or follows_update
                block.index = next_value if follows_update else target
        if not is_read:
            block = graph.blocks[other.block]
            block.instructions = [item for item in block.instructions if item is not update]
        header = graph.blocks[self._loop.header]
        header.instructions = [*instructions, *header.instructions]


def _stride_ratio(counter: _InductionVariable, other: _InductionVariable) -> Operand | None:
    """Return the stride of a register when its counter moves by one, None if that is no whole number."""
    if not counter.constant_stride:
        return None
    if isinstance(other.stride, Immediate):
        if other.stride.value % counter.constant_stride:
            return None
        return Immediate(other.stride.value // counter.constant_stride, "int")
    # With step 1 the factor is the register `other.by` itself: it has the width of `other` and needs no extension.
    return other.stride if counter.constant_stride == 1 else None


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
