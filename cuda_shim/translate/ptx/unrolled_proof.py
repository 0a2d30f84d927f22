"""That a loop of one round at a time, over a range, does what two loops do that it was unrolled to.

Shown are, of `rounds`, the number of steps from the first number to the limit, which is at least one:

* in front of the two loops, `rest` is `rounds` modulo some power of two, and the first loop is left out where that is
  zero;
* the first loop goes round `rest` times. The registers that move are, where another round comes, the number of rounds
  that have been, times what each moves by: this holds in front of it, and a round keeps it up;
* the other loop is reached where so many rounds as it makes at once are left, and goes on where as many are left again;
* a round of it does to memory, and to what is wanted behind it, what so many rounds of the first do, and the registers
  that move are what they are after so many rounds;

and where there is no round, that nothing is done. What the registers have that move is wanted nowhere behind the loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.evaluation import MOST, Machine, NotProven
from cuda_shim.translate.ptx.flow import Uses, is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import DecidedLoop, Graph
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.terms import Sum, Terms

__all__ = ["Meaning", "Pair", "Proof"]

_MOST_WAYS = 64
_NOT = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class Pair:
    """The loop for what is too much for the unrolled one, and that."""

    rest: DecidedLoop
    main: DecidedLoop


@dataclass(frozen=True)
class Meaning:
    """The numbers of a range."""

    limit: Register
    first: Register
    step: Operand


@dataclass(frozen=True)
class _Question:
    """A comparison at the end of a block, as it is where the block goes a certain way."""

    operator: str
    sign: str
    left: int
    right: int


class Proof:
    """Of one pair of loops.

    Attributes:
        body: what the loop does in a round, of the first loop's instructions.
        kept: the registers that it keeps from one round to the next.
        counting: the registers that have, in front of a round, the number that it is for.
        place: where in the text the loops are.
    """

    def __init__(
        self,
        graph: Graph,
        function: Function,
        live: dict[int, set[str]],
        uses: Uses,
        pair: Pair,
        above: int,
        meaning: Meaning,
    ) -> None:
        self._graph, self._function, self._live, self._uses = graph, function, live, uses
        self._pair, self._above = pair, above
        self._terms, self._unknowns = Terms(), 0
        self._one = graph.blocks[pair.rest.header].instructions
        self._many = graph.blocks[pair.main.header].instructions
        self.place = self._one[0].place if self._one else 0
        self.body: list[Instruction] = []
        self.kept: set[str] = set()
        self.counting: set[str] = set()
        self._prepare(meaning)

    # What is known in front of the loops.

    def _prepare(self, meaning: Meaning) -> None:
        """Find what the range's numbers are, and run what comes in front."""
        terms = self._terms
        self._meaning = meaning
        plain = self._plain = self._run_in_front(self._machine(terms.named("distance"), terms.number(1), divides=False))
        limit, self._first = plain.read(meaning.limit), plain.read(meaning.first)
        self._step = plain.read(meaning.step)
        first = terms.sum_of(self._first)
        if terms.key(limit)[0] == "sum" or any(limit in product for product in first):
            raise NotProven
        self._limit = limit
        self._first_sum: Sum = first

    def _machine(self, distance: int, step: int, *, divides: bool) -> Machine:
        terms = self._terms
        machine = Machine(terms, self._function.registers, distance, step, divides, {})
        machine.known = dict.fromkeys((machine.quotient, machine.rest, machine.passed), (0, MOST))
        machine.known[distance] = (1, MOST) if divides else (-MOST, 0)
        machine.known[machine.rounds] = (1, MOST)
        return machine

    def _case(self, *, rounds: bool) -> Machine:
        """Return what is known in front of the loops where there are rounds, or where there are none."""
        terms = self._terms
        one_by_one = terms.value(self._step) == 1
        distance = terms.named("rounds" if one_by_one and rounds else "distance")
        terms.meaning = {self._limit: {**self._first_sum, (distance,): 1}}
        return self._run_in_front(self._machine(distance, self._step, divides=rounds))

    def _run_in_front(self, machine: Machine) -> Machine:
        """Run what is computed once and for all, and the blocks that lead to the one above the loops."""
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
                machine.registers[name] = self._terms.named("given", id(item), name)

    def gives_first(self, item: Instruction) -> bool:
        """Return whether an instruction, in front of the loops, gives the first number."""
        if not is_pure(item) or any(name in self.kept for name in reads_of(item)):
            return False
        machine = replace(self._plain, registers=dict(self._plain.registers))
        self._terms.meaning = {}
        machine.run([item])
        return machine.read(item.operands[0]) == self._first

    def _unknown(self) -> int:
        self._unknowns += 1
        return self._terms.named("unknown", self._unknowns)

    # The proof.

    def prove(self, inside: set[int]) -> None:
        """Raise NotProven where the loops are not what they should be."""
        self._inside = inside
        with_rounds = self._case(rounds=True)
        in_front = dict(with_rounds.registers)
        entered, skipped = self._ways(with_rounds)
        self._unrolled = entered.unrolled
        if self._unrolled < 2:
            raise NotProven
        forms = self._forms(entered)
        self._check_rest(entered, forms)
        after = self._asked(entered, skipped, forms)
        self._check_main(after, forms)
        self._check_behind()
        self._find_body(in_front, forms)
        self._find_beginnings(in_front, entered, skipped)

    def _ways(self, machine: Machine) -> tuple[Machine, Machine]:
        """Return what is known where the first loop is entered, and where it is left out."""
        entered: list[Machine] = []
        skipped: list[Machine] = []
        rest_is_zero = ("eq", machine.rest, 0)
        for number, reached, facts in self._walk(machine):
            if number == self._pair.rest.header and (*rest_is_zero, False) in facts:
                entered.append(reached)
            elif number == self._pair.main.start and (*rest_is_zero, True) in facts:
                skipped.append(reached)
            else:
                raise NotProven
        if not entered or not skipped:
            raise NotProven
        return self._merged(entered), self._merged(skipped)

    def _merged(self, machines: list[Machine]) -> Machine:
        """Return one that knows what all of them agree on."""
        found = replace(machines[0], registers=dict(machines[0].registers))
        for name in set().union(*(machine.registers for machine in machines)):
            if len({machine.read(Register(name)) for machine in machines}) > 1:
                found.registers[name] = self._unknown()
        return found

    def _walk(self, machine: Machine) -> Iterator[tuple[int, Machine, set[tuple[object, ...]]]]:
        """Yield each way from the block above to a loop or behind both: where, with what registers and answers."""
        block = self._graph.blocks[self._above]
        waiting = [(way, state, facts) for way, state, facts in self._ways_of(block.number, machine, set())]
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

    def _ways_of(
        self, number: int, machine: Machine, facts: set[tuple[object, ...]]
    ) -> list[tuple[int, Machine, set[tuple[object, ...]]]]:
        block, terms = self._graph.blocks[number], self._terms
        if block.index is not None:
            raise NotProven
        if block.condition is None:
            return [(block.successors[0], machine, facts)]
        key = terms.key(machine.read(block.condition))
        found: list[tuple[int, Machine, set[tuple[object, ...]]]] = []
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
        terms, sides = self._terms, (machine.distance, machine.step)
        both = [terms.named(f"or.{type_}64", *pair) for type_ in "b" for pair in (sides, sides[::-1])]
        return [terms.named("and.b64", either, terms.number(-1 << 32)) for either in both]

    # The loop for the rest.

    def _forms(self, entered: Machine) -> dict[str, tuple[int, int]]:
        """Return the registers that move: what each has where the first loop is entered, and what it moves by."""
        types, loop = self._function.registers, self._pair.rest
        written = {name for item in self._one for name in writes_of(item)}
        self._carried = written & (self._live[loop.header] | self._live[loop.behind])
        once = self._round(entered, {}, self._one, least_left=2, salt="first")
        found: dict[str, tuple[int, int]] = {}
        for name in self._carried:
            if types[name].bits == 64 and types[name].kind != "floating":
                begin = entered.read(Register(name))
                by = self._terms.add(once.read(Register(name)), begin, -1)
                found[name] = begin, by
        while True:
            known = self._at(found, 0)
            after = self._round(entered, known, self._one, least_left=2, salt="any")
            wanted = self._at(found, 1)
            wrong = [name for name in found if after.read(Register(name)) != wanted[name]]
            if not wrong:
                return found
            for name in wrong:
                del found[name]

    def _at(self, forms: dict[str, tuple[int, int]], more: int) -> dict[str, int]:
        """Return what the registers of the first loop have after so many more rounds than have been."""
        terms, passed = self._terms, self._terms.named("passed")
        found = {name: terms.named("kept", name) for name in self._carried}
        for name, (begin, by) in forms.items():
            moved = terms.times(terms.add(passed, terms.number(more)), by)
            if moved is None:
                raise NotProven
            found[name] = terms.add(begin, moved)
        return found

    def _round(
        self, machine: Machine, known: dict[str, int], items: list[Instruction], *, least_left: int, salt: str,
        times: int = 1,
    ) -> Machine:  # fmt: skip
        found = replace(machine, registers={**machine.registers, **known}, effects=[], least_left=least_left, salt=salt)
        for _ in range(times):
            found.run(items)
        return found

    def _check_rest(self, entered: Machine, forms: dict[str, tuple[int, int]]) -> None:
        """Check that the first loop goes round as often as there are rounds too many."""
        loop = self._pair.rest
        machine = self._round(entered, self._at(forms, 0), self._one, least_left=1, salt="any")
        question = self._question(machine, loop.predicate, holds=loop.true_goes_on)
        terms = self._terms
        left = terms.add(terms.add(terms.add(machine.passed, terms.number(1)), machine.rest, -1), 0, 0)
        difference = machine.difference(question.sign, question.left, question.right, question.operator)
        if difference is None:
            raise NotProven
        found = terms.of_sum(difference)
        turned = terms.add(terms.number(0), found, -1)
        fine = {"ne": (found, turned), "lt": (found,), "gt": (turned,)}.get(question.operator, ())
        if left not in fine:
            raise NotProven

    def _question(self, machine: Machine, predicate: str, *, holds: bool) -> _Question:
        key = self._terms.key(machine.read(Register(predicate)))
        if key[0] != "compared":
            raise NotProven
        operator, sign, left, right = str(key[1]), str(key[2]), int(str(key[3])), int(str(key[4]))
        return _Question(operator if holds else _NOT[operator], sign, left, right)

    # The unrolled loop.

    def _asked(self, entered: Machine, skipped: Machine, forms: dict[str, tuple[int, int]]) -> Machine:
        """Return what is known where the unrolled loop is entered, which is where there are enough rounds."""
        start = self._graph.blocks[self._pair.main.start]
        written = {name for item in self._one for name in writes_of(item)}
        registers: dict[str, int] = {}
        for name in self._function.registers:
            one, other = entered.read(Register(name)), skipped.read(Register(name))
            known = one == other and (name not in written or name in self._carried)
            registers[name] = one if known else self._unknown()
        # What moves or is kept is as it is in front of both loops, or else not known here.
        now = self._at(forms, 0)
        same = {name for name in self._carried if entered.read(Register(name)) == skipped.read(Register(name))}
        registers.update({name: now[name] for name in same})
        machine = replace(entered, registers=registers, effects=[], least_left=0)
        machine.run(start.instructions)
        if machine.effects or start.condition is None:
            raise NotProven
        enters = (start.successors.index(self._pair.main.header) == 0) != start.negated
        question = self._question(machine, start.condition.name, holds=enters)
        # Whether there are so many does not depend on how many have been.
        if self._least(machine, question, machine.rounds) != self._unrolled:
            raise NotProven
        return machine

    def _least(self, machine: Machine, question: _Question, of: int) -> int | None:
        """Return how large a number must be at least where a comparison holds; None where it says something else."""
        terms = self._terms
        difference = machine.difference(question.sign, question.left, question.right, question.operator)
        if difference is None:
            return None
        found = terms.of_sum(difference)
        above, below = terms.value(terms.add(found, of, -1)), terms.value(terms.add(found, of))
        if above is not None:
            return {"ge": -above, "gt": 1 - above}.get(question.operator)
        return None if below is None else {"le": below, "lt": below + 1}.get(question.operator)

    def _check_main(self, after: Machine, forms: dict[str, tuple[int, int]]) -> None:
        """Check that a round of the unrolled loop is so many of the first one, and goes on while any are left."""
        loop, terms, unrolled = self._pair.main, self._terms, self._unrolled
        kept = self._carried - forms.keys()
        now = dict(after.registers)
        if any(now[name] != terms.named("kept", name) for name in kept):
            raise NotProven
        ones = self._round(after, self._at(forms, 0), self._one, least_left=unrolled, salt="copies", times=unrolled)
        many = self._round(after, {}, self._many, least_left=unrolled, salt="copies")
        if ones.effects != many.effects or any(ones.read(Register(name)) != many.read(Register(name)) for name in kept):
            raise NotProven
        question = self._question(many, loop.predicate, holds=loop.true_goes_on)
        if self._least(many, question, terms.add(many.rounds, many.passed, -1)) != unrolled + 1:
            raise NotProven
        again = self._round(after, {}, self._many, least_left=unrolled + 1, salt="copies")
        later, moved = self._at(forms, unrolled), {name for item in self._many for name in writes_of(item)}
        for name in self._live[loop.header] - kept:
            if name in forms and now[name] == self._at(forms, 0)[name]:
                wanted = later[name]
            elif name in moved:
                raise NotProven
            else:
                continue
            if again.read(Register(name)) != wanted:
                raise NotProven
        range_ = {
            operand.name for operand in (self._meaning.limit, self._meaning.step) if isinstance(operand, Register)
        }
        if kept & (range_ | {self._meaning.first.name}):
            raise NotProven
        self.kept = kept

    def _check_behind(self) -> None:
        """Check that nothing is wanted behind but what is kept, and that without rounds nothing is done."""
        behind = self._pair.main.behind
        written = {
            name
            for number in self._inside
            for item in self._graph.blocks[number].instructions
            for name in writes_of(item)
        }
        if (written & self._live[behind]) - self.kept:
            raise NotProven
        self._without = []
        for number, machine, _ in self._walk(self._case(rounds=False)):
            if number != behind:
                raise NotProven
            self._without.append(machine)
        if not self._without:
            raise NotProven

    # What the one loop is made of.

    def _find_body(self, in_front: dict[str, int], forms: dict[str, tuple[int, int]]) -> None:
        """Find what of a round is wanted, and check that all it reads is there."""
        terms, needed, body = self._terms, set(self.kept), list[Instruction]()
        for item in reversed(self._one):
            written = set(writes_of(item))
            if not is_pure(item) or written & needed:
                needed -= written
                needed.update(reads_of(item))
                body.append(item)
        self.body = body[::-1]
        number = terms.times(terms.named("passed"), self._step)
        if number is None:
            raise NotProven
        number, now = terms.add(self._first, number), self._at(forms, 0)
        written = {
            name
            for other in self._inside
            for item in self._graph.blocks[other].instructions
            for name in writes_of(item)
        }
        for name in needed - self.kept:
            if name in self._carried and now[name] == number:
                self.counting.add(name)
            elif name in written:
                raise NotProven

    def _find_beginnings(self, in_front: dict[str, int], entered: Machine, skipped: Machine) -> None:
        """Find what is kept has in front of the first round, which must be the same on all ways."""
        self._beginnings: list[tuple[str, Operand]] = []
        for name in sorted(self.kept):
            value = entered.read(Register(name))
            ways = [skipped, *self._without] if name in self._live[self._pair.main.behind] else [skipped]
            if any(machine.read(Register(name)) != value for machine in ways):
                raise NotProven
            if in_front.get(name, self._terms.named("register", name)) != value:
                self._beginnings.append((name, self._holder(name, value, in_front)))

    def _holder(self, name: str, value: int, in_front: dict[str, int]) -> Operand:
        """Return an operand that is a value in front of the loops."""
        key, number = self._terms.key(value), None
        if key[0] == "constant" and isinstance(key[1], Immediate):
            return key[1]
        types = self._function.registers
        if types[name].is_number:
            number = self._terms.value(value) if key[0] == "sum" else None
        if number is not None:
            return Immediate(number, "int")
        for other, found in in_front.items():
            if found == value and types[other] == types[name] and other not in self.kept:
                return Register(other)
        raise NotProven

    def beginnings(self) -> list[Instruction]:
        """Return the instructions that give what is kept its first values."""
        made: list[Instruction] = []
        for name, operand in self._beginnings:
            type_ = self._function.registers[name]
            kind = type_.name if type_.kind == "floating" else f"b{type_.bits}"
            made.append(Instruction(f"mov.{kind}", (Register(name), operand), self.place))
        return made
