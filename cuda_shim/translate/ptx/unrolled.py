"""Rerolling: recovers the one loop from the loops that a compiler unrolled it to without knowing its trip count.

NVVM turns `for i in range(first, n, step)` into a division that gives the trip count, a loop for the iterations left
over by the unroll factor, and a loop that does four iterations at once:

    rounds = (n - first) / step, and one more if anything is left;  rest = rounds & 3
    do one  rest times;  do four  while any remain

Threads that each have their own `first` run these loops one by one. The original loop,
`for (i = first; i < n; i += step)`, has a limit and a step that threads share. It is put beside the two and taken if
`n` is not negative and far from the limit of 64 bits; the kernel tests this, since the difference could wrap. Otherwise
the two loops run as before.
The equivalence is proven in unrolled_proof.py; loops without a proof stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from cuda_shim.translate.ptx.evaluation import MOST, NotProven
from cuda_shim.translate.ptx.flow import Uses, live_at_starts, reads_of, with_reads, with_writes, writes_of
from cuda_shim.translate.ptx.graph import Block, DecidedLoop, Graph
from cuda_shim.translate.ptx.module import Call, Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.unrolled_front import Meaning, Pair
from cuda_shim.translate.ptx.unrolled_proof import Proof

__all__ = ["roll_loops"]

_MOST_ABOVE, _MOST_TRIED = 8, 24
_MOST_SHIFT, _MOST_STEPS = 48, 4


def roll_loops(
    graph: Graph,
    function: Function,
    at_end: frozenset[str],
    range_of: Callable[[Instruction], tuple[int, int] | None],
) -> tuple[Graph, dict[str, int]]:
    """Put rerolled loops beside the unrolled ones; return the graph, and each counter's largest value.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
        at_end: the registers that a return takes.
        range_of: gives the range of an instruction's result.
    """
    counters: dict[str, int] = {}
    for header in graph.order:
        main = graph.decided_loop(header) if header in graph.loops else None
        made = None if main is None else _Unrolled(graph, function, at_end, range_of).rolled(main)
        if made is not None:
            counters[made] = MOST - 1
            graph = Graph(graph.blocks)
    return graph, counters


@dataclass(frozen=True)
class _Above:
    """A block in front of both loops from which every path leads behind them."""

    number: int
    inside: set[int]


class _Unrolled:
    def __init__(
        self,
        graph: Graph,
        function: Function,
        at_end: frozenset[str],
        range_of: Callable[[Instruction], tuple[int, int] | None],
    ) -> None:
        self._graph = graph
        self._function = function
        self._live = live_at_starts(graph, at_end)
        self._range_of = range_of
        self._uses = Uses(graph)

    def rolled(self, main: DecidedLoop) -> str | None:
        """Add the one loop if it is proven to be the same; return its counter."""
        pair = self._pair(main)
        if pair is None:
            return None
        choices = ((above, meaning) for above in self._above(pair) for meaning in self._meanings(pair, above))
        bounded = ((above, meaning) for above, meaning in choices if self._is_bounded(meaning, above))
        for above, meaning in islice(bounded, _MOST_TRIED):
            try:
                proof = Proof(self._graph, self._function, self._live, self._uses, pair, above.number, meaning)
                proof.prove(above.inside)
            except NotProven:
                continue
            return self._written(pair, above, meaning, proof)
        return None

    # Matching.

    def _pair(self, main: DecidedLoop) -> Pair | None:
        """Return an unrolled loop with the remainder loop in front of it."""
        graph = self._graph
        asked = graph.blocks[main.start]
        if len(main.blocks) > 1 or asked.condition is None or set(asked.successors) != {main.header, main.behind}:
            return None
        for number in graph.predecessors[main.start]:
            rest = graph.decided_loop(number) if number in graph.loops else None
            if rest is not None and len(rest.blocks) == 1 and rest.behind == main.start:
                return Pair(rest, main)
        return None

    def _above(self, pair: Pair) -> Iterator[_Above]:
        graph, number = self._graph, pair.main.start
        for _ in range(_MOST_ABOVE):
            if number == graph.order[0]:
                return
            number = graph.dominator[number]
            inside = self._inside(number, pair)
            if inside is None:
                continue
            yield _Above(number, inside)

    def _inside(self, above: int, pair: Pair) -> set[int] | None:
        """Return the blocks between `above` and the block behind both loops; None if there are other paths or loops."""
        graph, behind = self._graph, pair.main.behind
        found: set[int] = set()
        waiting = list(graph.blocks[above].successors)
        while waiting:
            number = waiting.pop()
            if number == behind or number in found:
                continue
            other_loop = number in graph.loops and number not in (pair.rest.header, pair.main.header)
            if number == above or other_loop or not graph.blocks[number].successors:
                return None
            if not graph.dominates(above, number):
                return None
            found.add(number)
            waiting += graph.blocks[number].successors
        return found if {pair.rest.header, pair.main.header} <= found else None

    def _meanings(self, pair: Pair, above: _Above) -> Iterator[Meaning]:
        """Yield the candidates for the numbers of the range."""
        loops = (pair.rest.header, pair.main.header)
        numbers = [*self._graph.straight_to(above.number), *(above.inside - set(loops))]
        items = [item for number in numbers for item in self._graph.blocks[number].instructions]
        steps = self._steps(items)
        for item in items:
            if not item.opcode.startswith("sub.") or len(item.operands) != 3 or isinstance(item, Call):
                continue
            _, limit, first = item.operands
            if isinstance(limit, Register) and isinstance(first, Register):
                yield from (Meaning(limit, first, step) for step in steps)

    def _steps(self, items: list[Instruction]) -> list[Operand]:
        """Return the candidates for the step: the divisors of all divisions, and 1."""
        found: dict[Operand, None] = {}
        for item in items:
            name, by = item.opcode.partition(".")[0], item.operands[2] if len(item.operands) == 3 else None
            if name == "div" and item.opcode.endswith("64") and by is not None:
                found[by] = None
            if name == "shr" and isinstance(by, Immediate) and 0 < by.value < _MOST_SHIFT:
                found[Immediate(1 << by.value, "int")] = None
        return [*found, Immediate(1, "int")][:_MOST_STEPS]

    def _is_bounded(self, meaning: Meaning, above: _Above) -> bool:
        """Return whether the first number is known not to be negative, and the step to be positive, both not large."""
        registers = self._function.registers
        named = [operand for operand in (meaning.limit, meaning.first, meaning.step) if isinstance(operand, Register)]
        if any(registers[operand.name].bits != 64 for operand in named):
            return False
        item = self._definition(meaning.first, above)
        first = self._range_of(item) if item else None
        if first is None or first[1] > MOST:
            return False
        if isinstance(meaning.step, Immediate):
            return 1 <= meaning.step.value <= MOST
        writer = self._uses.writer.get(meaning.step.name) if isinstance(meaning.step, Register) else None
        step = self._range_of(writer) if writer else None
        return step is not None and step[0] >= 1 and step[1] <= MOST

    def _definition(self, register: Register, above: _Above) -> Instruction | None:
        """Return the instruction whose result a register has in front of the loops."""
        if register.name in self._uses.writer:
            return self._uses.writer[register.name]
        for number in reversed(self._graph.straight_to(above.number)):
            for item in reversed(self._graph.blocks[number].instructions):
                if register.name in writes_of(item):
                    return item
        return None

    # Emission.

    def _written(self, pair: Pair, above: _Above, meaning: Meaning, proof: Proof) -> str:
        """Add the test, the block in front of the loop and the loop."""
        graph, function, place = self._graph, self._function, proof.place
        counter = function.new_register("%counter", TYPES["b64"])
        near, over, again = (function.new_register("%rolled", TYPES["pred"]) for _ in range(3))
        asking = graph.blocks[above.number]
        rest, front, loop = (Block(len(graph.blocks) + offset) for offset in range(3))
        graph.blocks += [rest, front, loop]
        rest.condition, rest.negated, rest.index = asking.condition, asking.negated, asking.index
        rest.successors, rest.last = asking.successors, asking.last
        asking.condition, asking.negated, asking.index, asking.last = near, False, None, None
        asking.successors = [front.number, rest.number]
        most = Immediate(MOST, "int")
        asking.instructions.append(Instruction("setp.le.u64", (near, meaning.limit, most), place))
        first = self._first(meaning.first, above, front, proof)
        front.instructions += [
            *proof.beginnings(),
            Instruction("mov.b64", (counter, first), place),
            Instruction("setp.ge.s64", (over, first, meaning.limit), place),
        ]
        front.condition, front.successors = over, [pair.main.behind, loop.number]
        loop.instructions = [
            *self._copied(proof, counter),
            Instruction("add.s64", (counter, counter, meaning.step), place),
            Instruction("setp.lt.s64", (again, counter, meaning.limit), place),
        ]
        loop.condition, loop.successors = again, [loop.number, pair.main.behind]
        return counter.name

    def _first(self, register: Register, above: _Above, front: Block, proof: Proof) -> Register:
        """Return a register with the first number that is written once, so that its value stays known."""
        item = self._definition(register, above)
        if item is None or register.name in self._uses.writer:
            return register
        if not proof.gives_first(item):
            return register
        made = self._function.new_register("%first", self._function.registers[register.name])
        front.instructions.append(with_writes(item, register.name, made.name))
        return made

    def _copied(self, proof: Proof, counter: Register) -> list[Instruction]:
        """Return the instructions of one iteration, with new registers for values that no other iteration reads."""
        names = dict.fromkeys(proof.counting, counter.name)
        made: list[Instruction] = []
        for item in proof.body:
            copy = item
            for name in dict.fromkeys(reads_of(item)):
                if name in names:
                    copy = with_reads(copy, name, names[name])
            for name in writes_of(item):
                if name not in proof.kept:
                    names[name] = self._function.new_register(f"{name}.", self._function.registers[name]).name
                    copy = with_writes(copy, name, names[name])
            made.append(copy)
        return made
