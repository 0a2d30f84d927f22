"""Proof that a rerolled loop is equivalent to the remainder loop and the unrolled loop that it replaces.

Problem: reroll.py puts one loop beside the two that NVVM made of it (its docstring has an example). The program may run
the new loop only if it does the same to memory, and to all registers that are read later.

`trip_count` is the number of steps from the first number to the limit, and at least one. Preconditions, which are shown
by symbolic execution:

* In front of the two loops, `remainder` is `trip_count` modulo a power of two, and the remainder loop is skipped if it
  is zero.
* The remainder loop does `remainder` iterations. Its invariant, whenever another iteration follows, is that each
  induction variable has moved by its stride times the iterations done: it holds at the entry, an iteration keeps it.
* The unrolled loop is entered if as many iterations are left as it does at once, and continues if as many are left
  again.
* An iteration of the unrolled loop does the same to memory, and to registers that are live behind it, as that number of
  iterations of the remainder loop, and moves the induction variables as far.
* Without iterations nothing is done. The induction variables are dead behind the loops.

Limits: each loop is one block, its numbers have 64 bits, and its memory operations are loads, stores and atomics. Any
step that cannot be shown raises NotProven, and the loops stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.def_use import Uses, is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.reroll_facts import EntryFacts, LoopRange, UnrolledLoops
from cuda_shim.translate.ptx.symbolic import NotProven, SymbolicState

__all__ = ["RerollProof"]

_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class _Condition:
    """A comparison at the end of a block, in the form that is true on one of the block's outgoing edges."""

    operator: str
    sign: str
    left: int
    right: int


class RerollProof:
    """The proof for one pair of loops.

    Attributes:
        body: the instructions of the first loop that the rerolled loop does in an iteration.
        accumulators: the registers that it carries from one iteration to the next, apart from induction variables.
        current_numbers: the registers that hold the number of an iteration when it starts.
        position: the position of the loops in the text.
    """

    def __init__(
        self,
        graph: Graph,
        function: Function,
        live: dict[int, set[str]],
        uses: Uses,
        loops: UnrolledLoops,
        region_entry: int,
        loop_range: LoopRange,
    ) -> None:
        self._graph, self._function, self._live, self._loops = graph, function, live, loops
        self._facts = EntryFacts(graph, function, uses, loops, region_entry, loop_range)
        self._terms = self._facts.terms
        self._single_body = graph.blocks[loops.remainder.header].instructions
        self._unrolled_body = graph.blocks[loops.main.header].instructions
        self.position = self._single_body[0].position if self._single_body else 0
        self.body: list[Instruction] = []
        self.accumulators: set[str] = set()
        self.current_numbers: set[str] = set()

    def computes_first(self, item: Instruction) -> bool:
        """Return whether an instruction, in front of the loop, gives the first number."""
        return not self.accumulators.intersection(reads_of(item)) and self._facts.computes_first(item)

    def prove(self, region_blocks: set[int]) -> None:
        """Raise NotProven unless the equivalence can be shown."""
        self._region_blocks = region_blocks
        entry_state = self._facts.entry_state(has_iterations=True)
        initial = dict(entry_state.registers)
        entered, skipped = self._entry_states(entry_state)
        self._unroll_factor = entered.unroll_factor
        if self._unroll_factor < 2:
            raise NotProven
        variables = self._induction_variables(entered)
        self._check_remainder_loop(entered, variables)
        main_loop_state = self._main_loop_state(entered, skipped, variables)
        self._check_main_loop(main_loop_state, variables)
        self._check_exit()
        self._find_body(variables)
        self._find_initial_values(initial, entered, skipped)

    def _entry_states(self, start: SymbolicState) -> tuple[SymbolicState, SymbolicState]:
        """Return the state in which the first loop is entered, and the one in which it is skipped."""
        entered: list[SymbolicState] = []
        skipped: list[SymbolicState] = []
        remainder_is_zero = ("eq", start.remainder, 0)
        for number, state, facts in self._facts.paths(start):
            if number == self._loops.remainder.header and (*remainder_is_zero, False) in facts:
                entered.append(state)
            elif number == self._loops.main.preheader and (*remainder_is_zero, True) in facts:
                skipped.append(state)
            else:
                raise NotProven
        if not entered or not skipped:
            raise NotProven
        return self._facts.merge(entered), self._facts.merge(skipped)

    # The remainder loop.

    def _induction_variables(self, entered: SymbolicState) -> dict[str, tuple[int, int]]:
        """Return the induction variables: the value of each at the entry of the first loop, and its stride."""
        types, loop = self._function.registers, self._loops.remainder
        written = {name for item in self._single_body for name in writes_of(item)}
        self._carried = written & (self._live[loop.header] | self._live[loop.exit])
        after_first = self._iterate(entered, {}, self._single_body, min_remaining=2, salt="first")
        variables: dict[str, tuple[int, int]] = {}
        for name in self._carried:
            if types[name].bits == 64 and types[name].kind != "floating":
                initial = entered.read(Register(name))
                stride = self._terms.add(after_first.read(Register(name)), initial, -1)
                variables[name] = initial, stride
        while True:
            invariant = self._values_after(variables, 0)
            after_any = self._iterate(entered, invariant, self._single_body, min_remaining=2, salt="any")
            expected = self._values_after(variables, 1)
            refuted = [name for name in variables if after_any.read(Register(name)) != expected[name]]
            if not refuted:
                return variables
            for name in refuted:
                del variables[name]

    def _values_after(self, variables: dict[str, tuple[int, int]], iterations: int) -> dict[str, int]:
        """Return the values of the first loop's registers `iterations` iterations after those done."""
        terms, iterations_done = self._terms, self._terms.intern("iterations done")
        values = {name: terms.intern("carried", name) for name in self._carried}
        for name, (initial, stride) in variables.items():
            distance = terms.multiply(terms.add(iterations_done, terms.constant(iterations)), stride)
            if distance is None:
                raise NotProven
            values[name] = terms.add(initial, distance)
        return values

    def _iterate(
        self, start: SymbolicState, values: dict[str, int], body: list[Instruction], *, min_remaining: int, salt: str,
        times: int = 1,
    ) -> SymbolicState:  # fmt: skip
        state = replace(
            start, registers={**start.registers, **values}, effects=[], min_remaining=min_remaining, salt=salt
        )
        for _ in range(times):
            state.run(body)
        return state

    def _check_remainder_loop(self, entered: SymbolicState, variables: dict[str, tuple[int, int]]) -> None:
        """Check that the trip count of the first loop is `remainder`."""
        loop = self._loops.remainder
        state = self._iterate(entered, self._values_after(variables, 0), self._single_body, min_remaining=1, salt="any")
        condition = self._condition(state, loop.predicate, holds=loop.continues_if_true)
        terms = self._terms
        remaining = terms.add(terms.add(state.iterations_done, terms.constant(1)), state.remainder, -1)
        polynomial = state.difference(condition.sign, condition.left, condition.right, condition.operator)
        if polynomial is None:
            raise NotProven
        difference = terms.from_polynomial(polynomial)
        negated = terms.add(terms.constant(0), difference, -1)
        accepted = {"ne": (difference, negated), "lt": (difference,), "gt": (negated,)}.get(condition.operator, ())
        if remaining not in accepted:
            raise NotProven

    def _condition(self, state: SymbolicState, predicate: str, *, holds: bool) -> _Condition:
        key = self._terms.key(state.read(Register(predicate)))
        if key[0] != "compared":
            raise NotProven
        operator, sign, left, right = str(key[1]), str(key[2]), int(str(key[3])), int(str(key[4]))
        return _Condition(operator if holds else _OPPOSITE[operator], sign, left, right)

    # The unrolled loop.

    def _main_loop_state(
        self, entered: SymbolicState, skipped: SymbolicState, variables: dict[str, tuple[int, int]]
    ) -> SymbolicState:
        """Return the state in which the unrolled loop is entered, if there are enough iterations."""
        preheader = self._graph.blocks[self._loops.main.preheader]
        written = {name for item in self._single_body for name in writes_of(item)}
        registers: dict[str, int] = {}
        for name in self._function.registers:
            entered_value, skipped_value = entered.read(Register(name)), skipped.read(Register(name))
            agrees = entered_value == skipped_value and (name not in written or name in self._carried)
            registers[name] = entered_value if agrees else self._facts.fresh_term()
        # A carried register has its linear form here if it starts the same on both paths, and is unknown otherwise.
        invariant = self._values_after(variables, 0)
        agreeing = {name for name in self._carried if entered.read(Register(name)) == skipped.read(Register(name))}
        registers.update({name: invariant[name] for name in agreeing})
        state = replace(entered, registers=registers, effects=[], min_remaining=0)
        state.run(preheader.instructions)
        if state.effects or preheader.condition is None:
            raise NotProven
        enters = (preheader.successors.index(self._loops.main.header) == 0) != preheader.negated
        condition = self._condition(state, preheader.condition.name, holds=enters)
        # The test for enough iterations compares the trip count and does not depend on the number of iterations done.
        if self._lower_bound(state, condition, state.trip_count) != self._unroll_factor:
            raise NotProven
        return state

    def _lower_bound(self, state: SymbolicState, condition: _Condition, term: int) -> int | None:
        """Return the lower bound that a comparison gives for a number; None if it is no such bound."""
        terms = self._terms
        polynomial = state.difference(condition.sign, condition.left, condition.right, condition.operator)
        if polynomial is None:
            return None
        difference = terms.from_polynomial(polynomial)
        above = terms.constant_value(terms.add(difference, term, -1))
        below = terms.constant_value(terms.add(difference, term))
        if above is not None:
            return {"ge": -above, "gt": 1 - above}.get(condition.operator)
        return None if below is None else {"le": below, "lt": below + 1}.get(condition.operator)

    def _check_main_loop(self, start: SymbolicState, variables: dict[str, tuple[int, int]]) -> None:
        """Check that an unrolled iteration does `unroll_factor` iterations, and continues if as many are left again."""
        loop, terms, unroll_factor = self._loops.main, self._terms, self._unroll_factor
        accumulators = self._carried - variables.keys()
        initial = dict(start.registers)
        if any(initial[name] != terms.intern("carried", name) for name in accumulators):
            raise NotProven
        singles = self._iterate(
            start,
            self._values_after(variables, 0),
            self._single_body,
            min_remaining=unroll_factor,
            salt="copies",
            times=unroll_factor,
        )
        unrolled = self._iterate(start, {}, self._unrolled_body, min_remaining=unroll_factor, salt="copies")
        if singles.effects != unrolled.effects or any(
            singles.read(Register(name)) != unrolled.read(Register(name)) for name in accumulators
        ):
            raise NotProven
        condition = self._condition(unrolled, loop.predicate, holds=loop.continues_if_true)
        remaining = terms.add(unrolled.trip_count, unrolled.iterations_done, -1)
        if self._lower_bound(unrolled, condition, remaining) != unroll_factor + 1:
            raise NotProven
        self._check_live_in_values(start, variables, accumulators)
        range_registers = {
            operand.name
            for operand in (self._facts.loop_range.limit, self._facts.loop_range.step)
            if isinstance(operand, Register)
        }
        if accumulators & (range_registers | {self._facts.loop_range.first.name}):
            raise NotProven
        self.accumulators = accumulators

    def _check_live_in_values(
        self, start: SymbolicState, variables: dict[str, tuple[int, int]], accumulators: set[str]
    ) -> None:
        """Check that an unrolled iteration moves the induction variables as far, and writes no other live register."""
        loop, unroll_factor = self._loops.main, self._unroll_factor
        initial = dict(start.registers)
        next_state = self._iterate(start, {}, self._unrolled_body, min_remaining=unroll_factor + 1, salt="copies")
        moved_values = self._values_after(variables, unroll_factor)
        written = {name for item in self._unrolled_body for name in writes_of(item)}
        for name in self._live[loop.header] - accumulators:
            if name in variables and initial[name] == self._values_after(variables, 0)[name]:
                expected = moved_values[name]
            elif name in written:
                raise NotProven
            else:
                continue
            if next_state.read(Register(name)) != expected:
                raise NotProven

    def _check_exit(self) -> None:
        """Check that only accumulators are live behind the loops, and that without iterations nothing is done."""
        exit_ = self._loops.main.exit
        if (self._registers_written_below() & self._live[exit_]) - self.accumulators:
            raise NotProven
        self._states_without_iterations = []
        for number, state, _ in self._facts.paths(self._facts.entry_state(has_iterations=False)):
            if number != exit_:
                raise NotProven
            self._states_without_iterations.append(state)
        if not self._states_without_iterations:
            raise NotProven

    def _registers_written_below(self) -> set[str]:
        """Return the registers that are written between the block above the loops and the one behind them."""
        blocks = [self._graph.blocks[number] for number in self._region_blocks]
        return {name for block in blocks for item in block.instructions for name in writes_of(item)}

    # The parts of the rerolled loop.

    def _find_body(self, variables: dict[str, tuple[int, int]]) -> None:
        """Find the live instructions of an iteration, and check that all registers they read are available."""
        terms, needed, body = self._terms, set(self.accumulators), list[Instruction]()
        for item in reversed(self._single_body):
            written = set(writes_of(item))
            if not is_pure(item) or written & needed:
                needed -= written
                needed.update(reads_of(item))
                body.append(item)
        self.body = body[::-1]
        current_number = terms.multiply(terms.intern("iterations done"), self._facts.step)
        if current_number is None:
            raise NotProven
        current_number, invariant = terms.add(self._facts.first, current_number), self._values_after(variables, 0)
        written = self._registers_written_below()
        for name in needed - self.accumulators:
            if name in self._carried and invariant[name] == current_number:
                self.current_numbers.add(name)
            elif name in written:
                raise NotProven

    def _find_initial_values(self, initial: dict[str, int], entered: SymbolicState, skipped: SymbolicState) -> None:
        """Find the values of the accumulators before the first iteration, which must be the same on all paths."""
        self._initial_values: list[tuple[str, Operand]] = []
        for name in sorted(self.accumulators):
            value = entered.read(Register(name))
            states = [skipped]
            if name in self._live[self._loops.main.exit]:
                states += self._states_without_iterations
            if any(state.read(Register(name)) != value for state in states):
                raise NotProven
            if initial.get(name, self._terms.intern("register", name)) != value:
                self._initial_values.append((name, self._operand_for(name, value, initial)))

    def _operand_for(self, name: str, value: int, initial: dict[str, int]) -> Operand:
        """Return an operand that is a value in front of the loops."""
        key, constant = self._terms.key(value), None
        if key[0] == "constant" and isinstance(key[1], Immediate):
            return key[1]
        types = self._function.registers
        if types[name].is_number:
            constant = self._terms.constant_value(value) if key[0] == "sum" else None
        if constant is not None:
            return Immediate(constant, "int")
        for register, held_value in initial.items():
            if held_value == value and types[register] == types[name] and register not in self.accumulators:
                return Register(register)
        raise NotProven

    def initializers(self) -> list[Instruction]:
        """Return the instructions that give the accumulators their first values."""
        instructions: list[Instruction] = []
        for name, operand in self._initial_values:
            type_ = self._function.registers[name]
            kind = type_.name if type_.kind == "floating" else f"b{type_.bits}"
            instructions.append(Instruction(f"mov.{kind}", (Register(name), operand), self.position))
        return instructions
