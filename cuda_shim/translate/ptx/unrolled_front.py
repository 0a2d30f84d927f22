"""Facts in front of a pair of unrolled loops, and on the paths that lead to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from cuda_shim.translate.ptx.evaluation import MOST, Machine, NotProven
from cuda_shim.translate.ptx.flow import Uses, is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import DecidedLoop, Graph
from cuda_shim.translate.ptx.module import Function, Instruction, Operand, Register
from cuda_shim.translate.ptx.terms import Sum, Terms

__all__ = ["Front", "Meaning", "Pair"]

_MOST_WAYS = 64
_Facts: TypeAlias = "set[tuple[object, ...]]"


@dataclass(frozen=True)
class Pair:
    """The remainder loop, and the unrolled loop behind it."""

    rest: DecidedLoop
    main: DecidedLoop


@dataclass(frozen=True)
class Meaning:
    """The numbers of a range."""

    limit: Register
    first: Register
    step: Operand


class Front:
    """The facts for one pair of loops, below a block from which every path leads to them or behind both.

    Attributes:
        terms: the table of the terms of registers' values.
        meaning: the numbers of the range.
        first, step: the terms of its first number and of its step.
        plain: the state in front of the loops, without assumptions about the range.
    """

    def __init__(self, graph: Graph, function: Function, uses: Uses, pair: Pair, above: int, meaning: Meaning) -> None:
        self._graph, self._function, self._uses = graph, function, uses
        self._pair, self._above, self.meaning = pair, above, meaning
        self.terms, self._unknowns = Terms(), 0
        terms = self.terms
        self.plain = self._run_in_front(self._machine(terms.named("distance"), terms.number(1), divides=False))
        self._limit, self.first = self.plain.read(meaning.limit), self.plain.read(meaning.first)
        self.step = self.plain.read(meaning.step)
        self._first_sum: Sum = terms.sum_of(self.first)
        # The limit is replaced by the first number plus the distance.
        if terms.key(self._limit)[0] == "sum" or any(self._limit in product for product in self._first_sum):
            raise NotProven

    def _machine(self, distance: int, step: int, *, divides: bool) -> Machine:
        terms = self.terms
        machine = Machine(terms, self._function.registers, distance, step, divides, {})
        machine.known = dict.fromkeys((machine.quotient, machine.rest, machine.passed), (0, MOST))
        machine.known[distance] = (1, MOST) if divides else (-MOST, 0)
        machine.known[machine.rounds] = (1, MOST)
        return machine

    def case(self, *, rounds: bool) -> Machine:
        """Return the state in front of the loops, assuming that there are iterations, or that there are none."""
        terms = self.terms
        one_by_one = terms.value(self.step) == 1
        distance = terms.named("rounds" if one_by_one and rounds else "distance")
        terms.meaning = {self._limit: {**self._first_sum, (distance,): 1}}
        return self._run_in_front(self._machine(distance, self.step, divides=rounds))

    def _run_in_front(self, machine: Machine) -> Machine:
        """Run the instructions that give a register its only value, and the blocks that lead to the one above."""
        graph, chain = self._graph, self._graph.straight_to(self._above)
        looped = set().union(*graph.loops.values())
        steady: set[str] = set()
        for number in graph.order:
            if number in looped or number in chain or not graph.dominates(number, self._above):
                continue
            for item in graph.blocks[number].instructions:
                reads = [name for name in reads_of(item) if name in self._uses.writes]
                if is_pure(item) and self._is_only_writer(item) and steady.issuperset(reads):
                    self._try(machine, item)
                    steady.update(writes_of(item))
        for number in chain:
            for item in graph.blocks[number].instructions:
                self._try(machine, item)
        machine.effects = []
        return machine

    def _is_only_writer(self, item: Instruction) -> bool:
        return all(self._uses.writer.get(name) is item for name in writes_of(item))

    def _try(self, machine: Machine, item: Instruction) -> None:
        try:
            machine.run([item])
        except NotProven:
            for name in writes_of(item):
                machine.registers[name] = self.terms.named("given", id(item), name)

    def gives_first(self, item: Instruction) -> bool:
        """Return whether an instruction, in front of the loops, gives the first number."""
        if not is_pure(item):
            return False
        machine = replace(self.plain, registers=dict(self.plain.registers))
        self.terms.meaning = {}
        machine.run([item])
        return machine.read(item.operands[0]) == self.first

    def unknown(self) -> int:
        """Return a term that equals no other."""
        self._unknowns += 1
        return self.terms.named("unknown", self._unknowns)

    def merged(self, machines: list[Machine]) -> Machine:
        """Return a state with the values on which all states agree."""
        narrow = all(machine.narrow for machine in machines)
        found = replace(machines[0], registers=dict(machines[0].registers), narrow=narrow)
        if any(machine.unrolled != found.unrolled for machine in machines):
            raise NotProven
        for name in set().union(*(machine.registers for machine in machines)):
            if len({machine.read(Register(name)) for machine in machines}) > 1:
                found.registers[name] = self.unknown()
        return found

    def walk(self, machine: Machine) -> Iterator[tuple[int, Machine, _Facts]]:
        """Yield each path from the block above to a loop or behind both: its end, the state and conditions there."""
        waiting = self._ways_of(self._above, machine, set())
        ends = (self._pair.rest.header, self._pair.main.start, self._pair.main.behind)
        count = 0
        while waiting:
            number, state, facts = waiting.pop()
            count += 1
            if count > _MOST_WAYS:
                raise NotProven
            if number in ends:
                yield number, state, facts
                continue
            state = replace(state, registers=dict(state.registers), effects=[])
            state.run(self._graph.blocks[number].instructions)
            if state.effects:
                raise NotProven
            waiting += self._ways_of(number, state, facts)

    def _ways_of(self, number: int, machine: Machine, facts: _Facts) -> list[tuple[int, Machine, _Facts]]:
        block, terms = self._graph.blocks[number], self.terms
        if block.index is not None:
            raise NotProven
        if block.condition is None:
            return [(block.successors[0], machine, facts)]
        key = terms.key(machine.read(block.condition))
        found: list[tuple[int, Machine, _Facts]] = []
        for place, way in enumerate(block.successors):
            holds = (place == 0) != block.negated
            if key[0] == "bool":
                if bool(key[1]) == holds:
                    found.append((way, machine, facts))
                continue
            state, known = replace(machine, registers=dict(machine.registers)), set(facts)
            if key[0] == "compared" and key[1] in ("eq", "ne") and terms.value(int(str(key[4]))) == 0:
                is_zero = holds == (key[1] == "eq")
                known.add(("eq", key[3], 0, is_zero))
                state.narrow = state.narrow or (is_zero and key[3] in self._high_halves(machine))
            found.append((way, state, known))
        return found

    def _high_halves(self, machine: Machine) -> list[int]:
        """Return the terms that are zero where distance and step need no more than 32 bits."""
        terms, sides = self.terms, (machine.distance, machine.step)
        both = [terms.named("or.b64", *pair) for pair in (sides, sides[::-1])]
        return [terms.named("and.b64", either, terms.number(-1 << 32)) for either in both]
