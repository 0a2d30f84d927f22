"""Proof that a rerolled loop, one iteration at a time, is equivalent to the two loops that it was unrolled to.

`rounds` is the number of steps from the first number to the limit, and at least one. The proof shows that

* in front of the two loops, `rest` is `rounds` modulo some power of two, and the first loop is skipped if that is zero;
* the first loop does `rest` iterations. The loop invariant, whenever another iteration follows, is that each induction
  variable has moved by its stride times the number of iterations done: it holds in front, and an iteration keeps it;
* the other loop is entered if as many iterations are left as it does at once, and continues if as many are left again;
* an iteration of it does to memory, and to registers that are live behind it, the same as that number of iterations of
  the first loop, and moves the induction variables as far;

and that without iterations nothing is done. The induction variables are dead behind the loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cuda_shim.translate.ptx.evaluation import Machine, NotProven
from cuda_shim.translate.ptx.flow import Uses, is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import Graph
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.unrolled_front import Front, Meaning, Pair

__all__ = ["Proof"]

_NOT = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class _Question:
    """A comparison at the end of a block, in the form that is true on one of the block's outgoing edges."""

    operator: str
    sign: str
    left: int
    right: int


class Proof:
    """The proof for one pair of loops.

    Attributes:
        body: the instructions of the first loop that the rerolled loop does in an iteration.
        kept: the registers that it carries from one iteration to the next.
        counting: the registers that hold the number of an iteration when it starts.
        place: the position of the loops in the text.
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
        self._graph, self._function, self._live, self._pair = graph, function, live, pair
        self._front = Front(graph, function, uses, pair, above, meaning)
        self._terms = self._front.terms
        self._one = graph.blocks[pair.rest.header].instructions
        self._many = graph.blocks[pair.main.header].instructions
        self.place = self._one[0].place if self._one else 0
        self.body: list[Instruction] = []
        self.kept: set[str] = set()
        self.counting: set[str] = set()

    def gives_first(self, item: Instruction) -> bool:
        """Return whether an instruction, in front of the loop, gives the first number."""
        return not self.kept.intersection(reads_of(item)) and self._front.gives_first(item)

    def prove(self, inside: set[int]) -> None:
        """Raise NotProven unless the equivalence can be shown."""
        self._inside = inside
        with_rounds = self._front.case(rounds=True)
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
        self._find_body(forms)
        self._find_beginnings(in_front, entered, skipped)

    def _ways(self, machine: Machine) -> tuple[Machine, Machine]:
        """Return the state in which the first loop is entered, and the one in which it is skipped."""
        entered: list[Machine] = []
        skipped: list[Machine] = []
        rest_is_zero = ("eq", machine.rest, 0)
        for number, reached, facts in self._front.walk(machine):
            if number == self._pair.rest.header and (*rest_is_zero, False) in facts:
                entered.append(reached)
            elif number == self._pair.main.start and (*rest_is_zero, True) in facts:
                skipped.append(reached)
            else:
                raise NotProven
        if not entered or not skipped:
            raise NotProven
        return self._front.merged(entered), self._front.merged(skipped)

    # The loop for the rest.

    def _forms(self, entered: Machine) -> dict[str, tuple[int, int]]:
        """Return the induction variables: the value of each at the entry of the first loop, and its stride."""
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
        """Return the values of the first loop's registers `more` iterations after those done."""
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
        """Check that the trip count of the first loop is the remainder, `rest`."""
        loop = self._pair.rest
        machine = self._round(entered, self._at(forms, 0), self._one, least_left=1, salt="any")
        question = self._question(machine, loop.predicate, holds=loop.true_goes_on)
        terms = self._terms
        left = terms.add(terms.add(machine.passed, terms.number(1)), machine.rest, -1)
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
        """Return the state in which the unrolled loop is entered, if there are enough iterations."""
        start = self._graph.blocks[self._pair.main.start]
        written = {name for item in self._one for name in writes_of(item)}
        registers: dict[str, int] = {}
        for name in self._function.registers:
            one, other = entered.read(Register(name)), skipped.read(Register(name))
            known = one == other and (name not in written or name in self._carried)
            registers[name] = one if known else self._front.unknown()
        # A carried register has its linear form here if it starts the same on both paths, and is unknown otherwise.
        now = self._at(forms, 0)
        same = {name for name in self._carried if entered.read(Register(name)) == skipped.read(Register(name))}
        registers.update({name: now[name] for name in same})
        machine = replace(entered, registers=registers, effects=[], least_left=0)
        machine.run(start.instructions)
        if machine.effects or start.condition is None:
            raise NotProven
        enters = (start.successors.index(self._pair.main.header) == 0) != start.negated
        question = self._question(machine, start.condition.name, holds=enters)
        # The test for enough iterations compares the trip count and does not depend on the number of iterations done.
        if self._least(machine, question, machine.rounds) != self._unrolled:
            raise NotProven
        return machine

    def _least(self, machine: Machine, question: _Question, of: int) -> int | None:
        """Return the lower bound that a comparison gives for a number; None if it is no such bound."""
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
        """Check that an unrolled iteration is `unrolled` ones of the first loop, and continues while any are left."""
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
            operand.name
            for operand in (self._front.meaning.limit, self._front.meaning.step)
            if isinstance(operand, Register)
        }
        if kept & (range_ | {self._front.meaning.first.name}):
            raise NotProven
        self.kept = kept

    def _check_behind(self) -> None:
        """Check that only kept registers are live behind the loops, and that without iterations nothing is done."""
        behind = self._pair.main.behind
        if (self._written() & self._live[behind]) - self.kept:
            raise NotProven
        self._without = []
        for number, machine, _ in self._front.walk(self._front.case(rounds=False)):
            if number != behind:
                raise NotProven
            self._without.append(machine)
        if not self._without:
            raise NotProven

    def _written(self) -> set[str]:
        """Return the registers that are written between the block above the loops and the one behind them."""
        blocks = [self._graph.blocks[number] for number in self._inside]
        return {name for block in blocks for item in block.instructions for name in writes_of(item)}

    # The parts of the rerolled loop.

    def _find_body(self, forms: dict[str, tuple[int, int]]) -> None:
        """Find the live instructions of an iteration, and check that all registers they read are available."""
        terms, needed, body = self._terms, set(self.kept), list[Instruction]()
        for item in reversed(self._one):
            written = set(writes_of(item))
            if not is_pure(item) or written & needed:
                needed -= written
                needed.update(reads_of(item))
                body.append(item)
        self.body = body[::-1]
        number = terms.times(terms.named("passed"), self._front.step)
        if number is None:
            raise NotProven
        number, now = terms.add(self._front.first, number), self._at(forms, 0)
        written = self._written()
        for name in needed - self.kept:
            if name in self._carried and now[name] == number:
                self.counting.add(name)
            elif name in written:
                raise NotProven

    def _find_beginnings(self, in_front: dict[str, int], entered: Machine, skipped: Machine) -> None:
        """Find the values of kept registers before the first iteration, which must be the same on all paths."""
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
        """Return the instructions that give the kept registers their first values."""
        made: list[Instruction] = []
        for name, operand in self._beginnings:
            type_ = self._function.registers[name]
            kind = type_.name if type_.kind == "floating" else f"b{type_.bits}"
            made.append(Instruction(f"mov.{kind}", (Register(name), operand), self.place))
        return made
