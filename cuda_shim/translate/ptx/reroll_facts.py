"""Symbolic states at the entry of unrolled loops, and on the paths that lead to them: the premises of reroll_proof.py.

Problem: the proof has to know the trip count that the code in front of the loops computes, on every path through it.
The code is run on terms (symbolic.py) twice, under the assumption that the range has iterations and that it has none:

    d = n - first;  q = d / s;  m = d - q * s;  count = q + (m != 0)   // the code
    n -> first + distance;  q -> quotient;  count -> trip count        // its terms, if there are iterations

Preconditions: the limit is an unknown that the first number does not depend on, so that it can be replaced by
`first + distance`.

Limits: registers with one definition in blocks that dominate the loops, and the straight chain of blocks to them, are
modelled; other values are unknown. At most `_MAX_PATHS` paths are followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from cuda_shim.translate.ptx.def_use import Uses, is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import BottomTestedLoop, Graph
from cuda_shim.translate.ptx.module import Function, Instruction, Operand, Register
from cuda_shim.translate.ptx.polynomials import Polynomial, TermTable
from cuda_shim.translate.ptx.symbolic import MAX_VALUE, NotProven, SymbolicState

__all__ = ["EntryFacts", "LoopRange", "UnrolledLoops"]

_MAX_PATHS = 64
_Facts: TypeAlias = "set[tuple[object, ...]]"


@dataclass(frozen=True)
class UnrolledLoops:
    """The remainder loop, and the unrolled loop behind it."""

    remainder: BottomTestedLoop
    main: BottomTestedLoop


@dataclass(frozen=True)
class LoopRange:
    """The operands of `range(first, limit, step)`, from which the compiler computed the trip count."""

    limit: Register
    first: Register
    step: Operand


class EntryFacts:
    """The symbolic states at the entry of a region that contains both loops and that every path leaves behind them.

    Attributes:
        terms: the table of the terms of registers' values.
        loop_range: the numbers of the range.
        first, step: the terms of its first number and of its step.
        unconditional: the state in front of the loops, without assumptions about the range.
    """

    def __init__(
        self,
        graph: Graph,
        function: Function,
        uses: Uses,
        loops: UnrolledLoops,
        region_entry: int,
        loop_range: LoopRange,
    ) -> None:
        self._graph, self._function, self._uses = graph, function, uses
        self._loops, self._region_entry, self.loop_range = loops, region_entry, loop_range
        self.terms, self._unknowns = TermTable(), 0
        terms = self.terms
        self.unconditional = self._run_dominators(
            self._initial_state(terms.intern("distance"), terms.constant(1), positive_distance=False)
        )
        self._limit, self.first = self.unconditional.read(loop_range.limit), self.unconditional.read(loop_range.first)
        self.step = self.unconditional.read(loop_range.step)
        self._first_polynomial: Polynomial = terms.polynomial(self.first)
        # The limit is replaced by the first number plus the distance.
        if terms.key(self._limit)[0] == "sum" or any(self._limit in monomial for monomial in self._first_polynomial):
            raise NotProven

    def _initial_state(self, distance: int, step: int, *, positive_distance: bool) -> SymbolicState:
        terms = self.terms
        state = SymbolicState(terms, self._function.registers, distance, step, positive_distance, {})
        state.bounds = dict.fromkeys((state.quotient, state.remainder, state.iterations_done), (0, MAX_VALUE))
        state.bounds[distance] = (1, MAX_VALUE) if positive_distance else (-MAX_VALUE, 0)
        state.bounds[state.trip_count] = (1, MAX_VALUE)
        return state

    def entry_state(self, *, has_iterations: bool) -> SymbolicState:
        """Return the state in front of the loops, assuming that there are iterations, or that there are none."""
        terms = self.terms
        has_step_1 = terms.constant_value(self.step) == 1
        distance = terms.intern("trip count" if has_step_1 and has_iterations else "distance")
        terms.substitutions = {self._limit: {**self._first_polynomial, (distance,): 1}}
        return self._run_dominators(self._initial_state(distance, self.step, positive_distance=has_iterations))

    def _run_dominators(self, state: SymbolicState) -> SymbolicState:
        """Run the instructions that give a register its only value, and the blocks that lead to the one above."""
        graph, chain = self._graph, self._graph.chain_to(self._region_entry)
        loop_blocks = set().union(*graph.loops.values())
        invariant: set[str] = set()
        for number in graph.order:
            if number in loop_blocks or number in chain or not graph.dominates(number, self._region_entry):
                continue
            for item in graph.blocks[number].instructions:
                reads = [name for name in reads_of(item) if name in self._uses.writes]
                if is_pure(item) and self._is_only_writer(item) and invariant.issuperset(reads):
                    self._run_or_forget(state, item)
                    invariant.update(writes_of(item))
        for number in chain:
            for item in graph.blocks[number].instructions:
                self._run_or_forget(state, item)
        state.effects = []
        return state

    def _is_only_writer(self, item: Instruction) -> bool:
        return all(self._uses.writer.get(name) is item for name in writes_of(item))

    def _run_or_forget(self, state: SymbolicState, item: Instruction) -> None:
        try:
            state.run([item])
        except NotProven:
            for name in writes_of(item):
                state.registers[name] = self.terms.intern("not modelled", id(item), name)

    def computes_first(self, item: Instruction) -> bool:
        """Return whether an instruction, in front of the loops, gives the first number."""
        if not is_pure(item):
            return False
        state = replace(self.unconditional, registers=dict(self.unconditional.registers))
        self.terms.substitutions = {}
        state.run([item])
        return state.read(item.operands[0]) == self.first

    def fresh_term(self) -> int:
        """Return a term that equals no other."""
        self._unknowns += 1
        return self.terms.intern("unknown", self._unknowns)

    def merge(self, states: list[SymbolicState]) -> SymbolicState:
        """Return a state with the values on which all states agree."""
        fits_32_bits = all(state.fits_32_bits for state in states)
        merged = replace(states[0], registers=dict(states[0].registers), fits_32_bits=fits_32_bits)
        if any(state.unroll_factor != merged.unroll_factor for state in states):
            raise NotProven
        for name in set().union(*(state.registers for state in states)):
            if len({state.read(Register(name)) for state in states}) > 1:
                merged.registers[name] = self.fresh_term()
        return merged

    def paths(self, start: SymbolicState) -> Iterator[tuple[int, SymbolicState, _Facts]]:
        """Yield each path from the block above to a loop or behind both: its end, the state and conditions there."""
        worklist = self._successor_states(self._region_entry, start, set())
        targets = (self._loops.remainder.header, self._loops.main.preheader, self._loops.main.exit)
        count = 0
        while worklist:
            number, state, facts = worklist.pop()
            count += 1
            if count > _MAX_PATHS:
                raise NotProven
            if number in targets:
                yield number, state, facts
                continue
            state = replace(state, registers=dict(state.registers), effects=[])
            state.run(self._graph.blocks[number].instructions)
            if state.effects:
                raise NotProven
            worklist += self._successor_states(number, state, facts)

    def _successor_states(
        self, number: int, current: SymbolicState, facts: _Facts
    ) -> list[tuple[int, SymbolicState, _Facts]]:
        block, terms = self._graph.blocks[number], self.terms
        if block.index is not None:
            raise NotProven
        if block.condition is None:
            return [(block.successors[0], current, facts)]
        key = terms.key(current.read(block.condition))
        successors: list[tuple[int, SymbolicState, _Facts]] = []
        for index, successor in enumerate(block.successors):
            holds = (index == 0) != block.negated
            if key[0] == "bool":
                if bool(key[1]) == holds:
                    successors.append((successor, current, facts))
                continue
            state, known_facts = replace(current, registers=dict(current.registers)), set(facts)
            if key[0] == "compared" and key[1] in ("eq", "ne") and terms.constant_value(int(str(key[4]))) == 0:
                is_zero = holds == (key[1] == "eq")
                known_facts.add(("eq", key[3], 0, is_zero))
                state.fits_32_bits = state.fits_32_bits or (is_zero and key[3] in self._high_halves(current))
            successors.append((successor, state, known_facts))
        return successors

    def _high_halves(self, state: SymbolicState) -> list[int]:
        """Return the terms that are zero where distance and step need no more than 32 bits."""
        terms, sides = self.terms, (state.distance, state.step)
        unions = [terms.intern("or.b64", *pair) for pair in (sides, sides[::-1])]
        return [terms.intern("and.b64", union, terms.constant(-1 << 32)) for union in unions]
