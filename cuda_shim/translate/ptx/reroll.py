"""Rerolling: recovers the one loop from the loops that a compiler unrolled it to without knowing its trip count.

Problem: NVVM turns `for i in range(first, n, step)` into a division that gives the trip count, a loop for the
iterations left over by the unroll factor, and a loop that does four iterations at once. Threads that each have their
own `first` have different trip counts, and run these loops one by one. The original loop has a limit and a step that
threads share.

    count = (n - first + step - 1) / step;                      // before
    for (r = count & 3; r != 0; --r) body();
    if (count >= 4) do { body(); body(); body(); body(); } while (any are left);
    if (n <= 1 << 58) for (i = first; i < n; i += step) body(); // after
    else { the loops from before }

The original loop is put beside the two, and the kernel tests whether `n` is not negative and far from the limit of
64 bits, since the difference could wrap. Otherwise the two loops run as before.

Preconditions: the equivalence, which reroll_proof.py proves; `first` is not negative, `step` is positive, and both are
known to be at most `MAX_VALUE` (ranges.py).

Limits: both loops are one block each, in a region with one entry and one exit that contains no other loop. The limit
and the first number are registers of 64 bits. Loops without a proof stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from cuda_shim.translate.ptx.def_use import Uses, reads_of, with_reads, with_writes, writes_of
from cuda_shim.translate.ptx.graph import Block, BottomTestedLoop, Graph
from cuda_shim.translate.ptx.liveness import live_at_starts
from cuda_shim.translate.ptx.module import Call, Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.reroll_facts import LoopRange, UnrolledLoops
from cuda_shim.translate.ptx.reroll_proof import RerollProof
from cuda_shim.translate.ptx.symbolic import MAX_VALUE, NotProven
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["reroll_loops"]

_MAX_DOMINATORS, _MAX_CANDIDATES = 8, 24
_MAX_SHIFT, _MAX_STEPS = 48, 4


def reroll_loops(
    graph: Graph,
    function: Function,
    live_at_return: frozenset[str],
    range_of: Callable[[Instruction], tuple[int, int] | None],
) -> tuple[Graph, dict[str, int]]:
    """Put rerolled loops beside the unrolled ones; return the graph, and each counter's largest value.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
        live_at_return: the registers that a return takes.
        range_of: gives the range of an instruction's result.
    """
    counters: dict[str, int] = {}
    for header in graph.order:
        main = graph.bottom_tested_loop(header) if header in graph.loops else None
        counter = None if main is None else _Reroller(graph, function, live_at_return, range_of).reroll(main)
        if counter is not None:
            counters[counter] = MAX_VALUE - 1
            graph = Graph(graph.blocks)
    return graph, counters


@dataclass(frozen=True)
class _Region:
    """A block in front of both loops from which every path leads behind them."""

    entry: int
    blocks: set[int]


class _Reroller:
    def __init__(
        self,
        graph: Graph,
        function: Function,
        live_at_return: frozenset[str],
        range_of: Callable[[Instruction], tuple[int, int] | None],
    ) -> None:
        self._graph = graph
        self._function = function
        self._live = live_at_starts(graph, live_at_return)
        self._range_of = range_of
        self._uses = Uses(graph)

    def reroll(self, main: BottomTestedLoop) -> str | None:
        """Add the one loop if it is proven to be the same; return its counter."""
        loops = self._match_loops(main)
        if loops is None:
            return None
        candidates = (
            (region, loop_range)
            for region in self._regions(loops)
            for loop_range in self._range_candidates(loops, region)
        )
        bounded = ((region, loop_range) for region, loop_range in candidates if self._is_bounded(loop_range, region))
        for region, loop_range in islice(bounded, _MAX_CANDIDATES):
            try:
                proof = RerollProof(
                    self._graph, self._function, self._live, self._uses, loops, region.entry, loop_range
                )
                proof.prove(region.blocks)
            except NotProven:
                continue
            return self._emit(loops, region, loop_range, proof)
        return None

    # Matching.

    def _match_loops(self, main: BottomTestedLoop) -> UnrolledLoops | None:
        """Return an unrolled loop with the remainder loop in front of it."""
        graph = self._graph
        preheader = graph.blocks[main.preheader]
        if len(main.blocks) > 1 or preheader.condition is None or set(preheader.successors) != {main.header, main.exit}:
            return None
        for number in graph.predecessors[main.preheader]:
            remainder = graph.bottom_tested_loop(number) if number in graph.loops else None
            if remainder is not None and len(remainder.blocks) == 1 and remainder.exit == main.preheader:
                return UnrolledLoops(remainder, main)
        return None

    def _regions(self, loops: UnrolledLoops) -> Iterator[_Region]:
        graph, number = self._graph, loops.main.preheader
        for _ in range(_MAX_DOMINATORS):
            if number == graph.order[0]:
                return
            number = graph.dominator[number]
            blocks = self._blocks_below(number, loops)
            if blocks is None:
                continue
            yield _Region(number, blocks)

    def _blocks_below(self, region_entry: int, loops: UnrolledLoops) -> set[int] | None:
        """Return the blocks between an entry and the exit of both loops; None if there are other paths or loops."""
        graph, exit_ = self._graph, loops.main.exit
        blocks: set[int] = set()
        worklist = list(graph.blocks[region_entry].successors)
        while worklist:
            number = worklist.pop()
            if number == exit_ or number in blocks:
                continue
            other_loop = number in graph.loops and number not in (loops.remainder.header, loops.main.header)
            if number == region_entry or other_loop or not graph.blocks[number].successors:
                return None
            if not graph.dominates(region_entry, number):
                return None
            blocks.add(number)
            worklist += graph.blocks[number].successors
        return blocks if {loops.remainder.header, loops.main.header} <= blocks else None

    def _range_candidates(self, loops: UnrolledLoops, region: _Region) -> Iterator[LoopRange]:
        """Yield the candidates for the numbers of the range."""
        headers = (loops.remainder.header, loops.main.header)
        numbers = [*self._graph.chain_to(region.entry), *(region.blocks - set(headers))]
        items = [item for number in numbers for item in self._graph.blocks[number].instructions]
        steps = self._step_candidates(items)
        for item in items:
            if not item.opcode.startswith("sub.") or len(item.operands) != 3 or isinstance(item, Call):
                continue
            _, limit, first = item.operands
            if isinstance(limit, Register) and isinstance(first, Register):
                yield from (LoopRange(limit, first, step) for step in steps)

    def _step_candidates(self, items: list[Instruction]) -> list[Operand]:
        """Return the candidates for the step: the divisors of all divisions, and 1."""
        steps: dict[Operand, None] = {}
        for item in items:
            name, divisor = item.opcode.partition(".")[0], item.operands[2] if len(item.operands) == 3 else None
            if name == "div" and item.opcode.endswith("64") and divisor is not None:
                steps[divisor] = None
            if name == "shr" and isinstance(divisor, Immediate) and 0 < divisor.value < _MAX_SHIFT:
                steps[Immediate(1 << divisor.value, "int")] = None
        return [*steps, Immediate(1, "int")][:_MAX_STEPS]

    def _is_bounded(self, loop_range: LoopRange, region: _Region) -> bool:
        """Return whether the first number is known not to be negative, and the step to be positive, both not large."""
        registers = self._function.registers
        registers_used = [
            operand
            for operand in (loop_range.limit, loop_range.first, loop_range.step)
            if isinstance(operand, Register)
        ]
        if any(registers[operand.name].bits != 64 for operand in registers_used):
            return False
        definition = self._definition(loop_range.first, region)
        first = self._range_of(definition) if definition else None
        if first is None or first[1] > MAX_VALUE:
            return False
        if isinstance(loop_range.step, Immediate):
            return 1 <= loop_range.step.value <= MAX_VALUE
        step_definition = self._uses.writer.get(loop_range.step.name) if isinstance(loop_range.step, Register) else None
        step = self._range_of(step_definition) if step_definition else None
        return step is not None and step[0] >= 1 and step[1] <= MAX_VALUE

    def _definition(self, register: Register, region: _Region) -> Instruction | None:
        """Return the instruction whose result a register has in front of the loops."""
        if register.name in self._uses.writer:
            return self._uses.writer[register.name]
        for number in reversed(self._graph.chain_to(region.entry)):
            for item in reversed(self._graph.blocks[number].instructions):
                if register.name in writes_of(item):
                    return item
        return None

    # Emission.

    def _emit(self, loops: UnrolledLoops, region: _Region, loop_range: LoopRange, proof: RerollProof) -> str:
        """Add the test, the block in front of the loop and the loop."""
        graph, function, position = self._graph, self._function, proof.position
        counter = function.new_register("%counter", TYPES["b64"])
        in_range, is_empty, continues = (function.new_register("%rolled", TYPES["pred"]) for _ in range(3))
        entry = graph.blocks[region.entry]
        fallback, preheader, loop = (Block(len(graph.blocks) + offset) for offset in range(3))
        graph.blocks += [fallback, preheader, loop]
        fallback.condition, fallback.negated, fallback.index = entry.condition, entry.negated, entry.index
        fallback.successors, fallback.last = entry.successors, entry.last
        entry.condition, entry.negated, entry.index, entry.last = in_range, False, None, None
        entry.successors = [preheader.number, fallback.number]
        max_value = Immediate(MAX_VALUE, "int")
        entry.instructions.append(Instruction("setp.le.u64", (in_range, loop_range.limit, max_value), position))
        first = self._first_register(loop_range.first, region, preheader, proof)
        preheader.instructions += [
            *proof.initializers(),
            Instruction("mov.b64", (counter, first), position),
            Instruction("setp.ge.s64", (is_empty, first, loop_range.limit), position),
        ]
        preheader.condition, preheader.successors = is_empty, [loops.main.exit, loop.number]
        loop.instructions = [
            *self._loop_body(proof, counter),
            Instruction("add.s64", (counter, counter, loop_range.step), position),
            Instruction("setp.lt.s64", (continues, counter, loop_range.limit), position),
        ]
        loop.condition, loop.successors = continues, [loop.number, loops.main.exit]
        return counter.name

    def _first_register(self, register: Register, region: _Region, preheader: Block, proof: RerollProof) -> Register:
        """Return a register with the first number that is written once, so that its value stays known."""
        item = self._definition(register, region)
        if item is None or register.name in self._uses.writer:
            return register
        if not proof.computes_first(item):
            return register
        first = self._function.new_register("%first", self._function.registers[register.name])
        preheader.instructions.append(with_writes(item, register.name, first.name))
        return first

    def _loop_body(self, proof: RerollProof, counter: Register) -> list[Instruction]:
        """Return the instructions of one iteration, with new registers for values that no other iteration reads."""
        names = dict.fromkeys(proof.current_numbers, counter.name)
        instructions: list[Instruction] = []
        for item in proof.body:
            copy = item
            for name in dict.fromkeys(reads_of(item)):
                if name in names:
                    copy = with_reads(copy, name, names[name])
            for name in writes_of(item):
                if name not in proof.accumulators:
                    names[name] = self._function.new_register(f"{name}.", self._function.registers[name]).name
                    copy = with_writes(copy, name, names[name])
            instructions.append(copy)
        return instructions
