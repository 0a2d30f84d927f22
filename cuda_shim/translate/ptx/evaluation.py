"""Symbolic execution of a piece of a function: registers as terms, under facts about a loop's trip count.

The piece computes a trip count from a distance `n - first` and a step: the division, its remainder and the test of the
remainder are recognised as such. Comparisons are decided if the known bounds of their sides decide them. All known
numbers are far from the limits of 64 bits: see `MOST`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_shim.translate.ptx.entry import comparison_of
from cuda_shim.translate.ptx.flow import is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.module import (
    Address,
    Call,
    Immediate,
    Instruction,
    Operand,
    Register,
    Sink,
    Special,
    Symbol,
    Vector,
)
from cuda_shim.translate.ptx.terms import Sum, Terms
from cuda_shim.translate.ptx.types import Type
from cuda_shim.translate.ptx.values import is_constant

__all__ = ["MOST", "Machine", "NotProven"]

#: The bound of all numbers in the proof, which leaves room for sums of a few of them.
MOST = 1 << 58
_MOST_TAKEN, _MOST_NUMBER = 8, 1 << 40
_WHOLE = ("s64", "u64", "b64")
_MEMORY = ("ld", "ldu", "st", "atom", "red")


class NotProven(Exception):
    """A precondition of the proof cannot be shown."""


@dataclass
class Machine:
    """Runs instructions on terms.

    Attributes:
        terms: the table of all terms.
        types: the types of the function's registers.
        distance, step: terms: from the first number to the limit, and from one number to the next.
        divides: True if both are known to be positive, so that the division gives the mathematical quotient.
        rounds, quotient, rest, passed: terms: the trip count, the distance divided by the step, the number of
            iterations before the unrolled loop, and the number of iterations done.
        known: the bounds of terms.
        registers: the term of each register's value.
        effects: the memory operations so far, in order.
        unrolled: the unroll factor, 0 until it is known.
        narrow: True if distance and step are known to fit into 32 bits.
        least_left: a lower bound of the number of remaining iterations.
        salt: a mark that distinguishes values read from memory here from those read elsewhere.
    """

    terms: Terms
    types: dict[str, Type]
    distance: int
    step: int
    divides: bool
    known: dict[int, tuple[int, int]]
    registers: dict[str, int] = field(default_factory=dict)
    effects: list[tuple[object, ...]] = field(default_factory=list)
    unrolled: int = 0
    narrow: bool = False
    least_left: int = 1
    salt: str = ""

    def __post_init__(self) -> None:
        named = self.terms.named
        self.rounds, self.quotient = named("rounds"), named("quotient")
        self.rest, self.passed = named("rest"), named("passed")

    def run(self, items: list[Instruction]) -> None:
        """Run instructions; record accesses to memory, and refuse other instructions with side effects."""
        for item in items:
            if item.guard is not None or isinstance(item, Call):
                raise NotProven
            if is_pure(item):
                target = item.operands[0]
                assert isinstance(target, Register)  # noqa: S101 - a pure one has one result
                self.registers[target.name] = self._result(item, self.types[target.name].bits)
            else:
                self._effect(item)

    def read(self, operand: Operand) -> int:
        """Return the term of an operand."""
        if isinstance(operand, Register):
            found = self.registers.get(operand.name)
            return self.terms.named("register", operand.name) if found is None else found
        if isinstance(operand, Immediate) and operand.kind == "int":
            return self.terms.number(operand.value)
        if is_constant(operand) or isinstance(operand, Symbol):
            return self.terms.named("constant", operand)
        if isinstance(operand, Address):
            return self.terms.named("address", self.read(operand.base), operand.offset)
        raise NotProven

    def _effect(self, item: Instruction) -> None:
        name = item.opcode.partition(".")[0]
        if name not in _MEMORY:
            raise NotProven
        written = writes_of(item)
        sources = tuple(self.read(part) for operand in item.operands for part in _parts(operand))
        reads = tuple(self.read(Register(read)) for read in reads_of(item))
        effect = (item.opcode, len(item.operands), sources, reads)
        self.effects.append(effect)
        for place, register in enumerate(written):
            self.registers[register] = self.terms.named("read", self.salt, len(self.effects), place, *effect)

    # Results of instructions.

    def _result(self, item: Instruction, bits: int) -> int:
        name, *modifiers = item.opcode.split(".")
        compared = comparison_of(item)
        if compared is not None:
            sign, left, right = compared.type[0], self.read(Register(compared.left)), self.read(compared.right)
            if compared.bits == 32:
                left, right = self._wide(sign, left), self._wide(sign, right)
            return self._comparison(compared.operator, sign, left, right)
        operands = [self.read(operand) for operand in item.operands[1:]]
        found: int | None = None
        if name == "mov" and len(operands) == 1:
            found = operands[0]
        elif name == "selp" and len(operands) == 3:
            found = self._choice(*operands)
        elif modifiers == ["pred"]:
            found = self._logic(name, operands)
        elif name == "cvt" and len(modifiers) == 2:
            found = self._converted(modifiers[0], modifiers[1], operands[0])
        elif name == "mul" and modifiers in (["wide", "s32"], ["wide", "u32"]):
            found = self.terms.times(*(self._wide(modifiers[1][0], operand) for operand in operands))
        elif bits == 64 and modifiers and modifiers[-1] in _WHOLE:
            found = self._whole(name, modifiers, operands)
        elif bits == 32 and modifiers and modifiers[-1] in ("s32", "u32"):
            found = self._narrow(name, modifiers, operands)
        return self.terms.named(item.opcode, *operands) if found is None else found

    def _whole(self, name: str, modifiers: list[str], operands: list[int]) -> int | None:
        terms, how = self.terms, modifiers[:-1]
        values = [terms.value(operand) for operand in operands]
        if name in ("add", "sub") and not how and len(operands) == 2:
            return terms.add(operands[0], operands[1], 1 if name == "add" else -1)
        if name in ("mul", "mad") and how == ["lo"]:
            product = terms.times(operands[0], operands[1])
            return product if product is None or name == "mul" else terms.add(product, operands[2])
        if name == "shl" and values[1] is not None and 0 <= values[1] < 64:
            return terms.times(operands[0], terms.number(1 << values[1]))
        if name == "neg":
            return terms.add(terms.number(0), operands[0], -1)
        if name == "not":
            return terms.add(terms.number(-1), operands[0], -1)
        if name in ("max", "min") and not how:
            less = self._decided("le", modifiers[-1][0], operands[0], operands[1])
            return None if less is None else operands[int(less == (name == "max"))]
        return self._divided(name, operands, values) if not how else None

    def _divided(self, name: str, operands: list[int], values: list[int | None]) -> int | None:
        terms = self.terms
        if operands[0] == self.rounds and name == "and" and values[1] is not None:
            # `rounds & (factor - 1)` is the number of iterations in front of the unrolled loop.
            self.unrolled = self.unrolled or values[1] + 1
            power = self.unrolled > 1 and not self.unrolled & (self.unrolled - 1)
            return self.rest if power and values[1] + 1 == self.unrolled else None
        if operands[0] != self.distance or not self.divides:
            return None
        step = terms.value(self.step)
        if name == "div" and operands[1] == self.step:
            return self.quotient
        if step is not None and step > 1 and not step & (step - 1):
            if name == "shr" and values[1] == step.bit_length() - 1:
                return self.quotient
            if name == "and" and values[1] == step - 1:
                return self._left()
        return self._left() if name == "rem" and operands[1] == self.step else None

    def _left(self) -> int:
        product = self.terms.times(self.quotient, self.step)
        if product is None:
            raise NotProven
        return self.terms.add(self.distance, product, -1)

    def _wide(self, sign: str, narrow: int) -> int:
        """Return a number of 32 bits as one of 64."""
        key = self.terms.key(narrow)
        if key[0] == "low":
            return int(str(key[1])) if sign == "u" else self.terms.named("extended", sign, narrow)
        value = self.terms.value(narrow) if key[0] == "sum" else None
        if value is not None:
            value &= (1 << 32) - 1
            return self.terms.number(value - (1 << 32) if sign == "s" and value >> 31 else value)
        # Indices and numbers of threads or blocks have no sign.
        if key[0] == "constant" and isinstance(key[1], Special):
            sign = "u"
        return self.terms.named("extended", sign, narrow)

    def _converted(self, to: str, source: str, operand: int) -> int | None:
        if to in ("s64", "u64") and source in ("s32", "u32"):
            return self._wide(source[0], operand)
        if to in ("s32", "u32") and source in ("s64", "u64"):
            if self.narrow and operand in (self.distance, self.step):
                return self.terms.named("low", operand)
            key = self.terms.key(operand)
            if key[0] == "extended":
                return int(str(key[2]))
        return None

    def _narrow(self, name: str, modifiers: list[str], operands: list[int]) -> int | None:
        """Return the result of the same division done in 32 bits, for numbers that are known to fit."""
        named = self.terms.named
        distance, step, quotient = (named("low", of) for of in (self.distance, self.step, self.quotient))
        left = self._left()
        product = self.terms.add(self.distance, left, -1)
        if (name, modifiers, operands) == ("div", ["u32"], [distance, step]) and self.divides:
            return quotient
        if name == "mul" and modifiers[0] == "lo" and sorted(operands) == sorted((quotient, step)):
            return named("low", product)
        if name == "sub" and len(modifiers) == 1 and operands == [distance, named("low", product)]:
            return named("low", left)
        return None

    # Predicates.

    def _choice(self, yes: int, no: int, which: int) -> int | None:
        key, terms = self.terms.key(which), self.terms
        if key[0] == "bool":
            return yes if key[1] else no
        numbers = key == ("anything left",) and terms.key(yes)[0] == terms.key(no)[0] == "sum"
        if numbers and (terms.value(yes), terms.value(no)) == (1, 0):
            return terms.add(self.rounds, self.quotient, -1)
        return None

    def _logic(self, name: str, operands: list[int]) -> int | None:
        values = [key[1] if key[0] == "bool" else None for key in map(self.terms.key, operands)]
        if None in values:
            return None
        if name == "not":
            return self.terms.named("bool", not values[0])
        if name not in ("xor", "and", "or"):
            return None
        one, other = map(bool, values)
        return self.terms.named("bool", {"xor": one != other, "and": one and other, "or": one or other}[name])

    def _comparison(self, operator: str, sign: str, left: int, right: int) -> int:
        decided = self._decided(operator, sign, left, right)
        if decided is not None:
            return self.terms.named("bool", decided)
        asks = self.divides and self.terms.value(right) == 0 and left == self._left()
        if asks and (operator == "ne" or (operator, sign) == ("gt", "s")):
            return self.terms.named("anything left")
        return self.terms.named("compared", operator, sign, left, right)

    def _decided(self, operator: str, sign: str, left: int, right: int) -> bool | None:
        """Return the result of a comparison, None if it depends on unknown values."""
        found = self.difference(sign, left, right, operator)
        if found is None:
            return None
        low, high = self._bounds(found)
        less, more = high < 0, low > 0
        if operator in ("eq", "ne"):
            if less or more:
                return operator == "ne"
            return operator == "eq" if low == high == 0 else None
        if operator in ("lt", "ge"):
            return (operator == "lt") if less else ((operator == "ge") if low >= 0 else None)
        return (operator == "gt") if more else ((operator == "le") if high <= 0 else None)

    def difference(self, sign: str, left: int, right: int, operator: str) -> Sum | None:
        """Return the difference of a comparison's sides, left minus right, if neither it nor the sides can wrap."""
        sides = [self.terms.sum_of(left), self.terms.sum_of(right)]
        if not all(self._is_small(side) for side in sides):
            return None
        if sign == "u" and operator not in ("eq", "ne") and any(self._bounds(side)[0] < 0 for side in sides):
            return None
        return self.terms.sum_of(self.terms.add(left, right, -1))

    def _is_small(self, sum_: Sum) -> bool:
        if sum_ == self.terms.sum_of(self.step):
            return True
        taken = sum(abs(count) for product, count in sum_.items() if product)
        names = all(len(product) == 1 and product[0] in self.known for product in sum_ if product)
        return names and taken <= _MOST_TAKEN and abs(sum_.get((), 0)) <= _MOST_NUMBER

    def _bounds(self, sum_: Sum) -> tuple[int, int]:
        """Return the least and the largest number that a sum may be."""
        if sum_ == self.terms.sum_of(self.step) and self.terms.value(self.step) is None:
            return 1, MOST
        left = dict(sum_)
        low = high = left.pop((), 0)
        # The trip count is the number of iterations done plus those left, of which there are at least `least_left`.
        both = left.get((self.rounds,), 0)
        if both and (self.passed,) in left:
            del left[self.rounds,]
            left[self.passed,] += both
            ends = sorted((both * self.least_left, both * MOST))
            low, high = low + ends[0], high + ends[1]
        for product, count in left.items():
            if len(product) != 1 or product[0] not in self.known:
                return -(1 << 70), 1 << 70
            least, most = self.known[product[0]]
            if product[0] == self.rounds:
                least = max(least, self.least_left)
            ends = sorted((count * least, count * most))
            low, high = low + ends[0], high + ends[1]
        return low, high


def _parts(operand: Operand) -> list[Operand]:
    """Return the parts of an operand that are not registers."""
    if isinstance(operand, Vector):
        return [part for item in operand.items for part in _parts(item)]
    return [] if isinstance(operand, (Register, Sink)) else [operand]
