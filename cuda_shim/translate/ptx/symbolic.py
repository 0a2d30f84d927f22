"""Symbolic execution of a piece of a function: registers as terms, under assumptions about a loop's trip count.

Problem: reroll_proof.py has to show that two pieces of code compute the same for all inputs. Each piece is run on terms
in place of numbers, and values are equal if their terms are.

    add.s64 %a, %i, %s;  mad.lo.s64 %b, %k, %s, %a;   // the code
    a = i + s;  b = k * s + i + s                     // its terms: polynomials of the unknowns i, k and s

The division that gives a trip count from a distance `n - first` and a step, its remainder and the test of the remainder
are recognised as such. A comparison is decided if the intervals of its sides decide it; the accesses to memory are
recorded in their order.

Preconditions: all unknowns with an interval are at most `MAX_VALUE`, far from the limits of 64 bits, so that sums of a
few of them do not wrap.

Limits: straight-line code without guards and calls. Memory operations other than loads, stores and atomics raise
NotProven. An instruction that is not modelled gives a term of its own, by its opcode and operands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_shim.translate.ptx.def_use import is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.loop_entry import comparison_of
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
from cuda_shim.translate.ptx.polynomials import Polynomial, TermTable
from cuda_shim.translate.ptx.types import Type
from cuda_shim.translate.ptx.values import is_constant

__all__ = ["MAX_VALUE", "NotProven", "SymbolicState"]

#: The bound of all numbers in the proof, which leaves room for sums of a few of them.
MAX_VALUE = 1 << 58
_MAX_COEFFICIENT_SUM, _MAX_CONSTANT = 8, 1 << 40
_INTEGER_TYPES = ("s64", "u64", "b64")
_MEMORY = ("ld", "ldu", "st", "atom", "red")


class NotProven(Exception):
    """A precondition of the proof cannot be shown."""


@dataclass
class SymbolicState:
    """The state of a symbolic execution: a term for each register, and the effects on memory.

    Attributes:
        terms: the table of all terms.
        types: the types of the function's registers.
        distance, step: terms: from the first number to the limit, and from one number to the next.
        positive_distance: whether both are known to be positive, so that the division gives the mathematical quotient.
        trip_count, quotient: terms: the trip count, and the distance divided by the step.
        remainder: the term of the number of iterations before the unrolled loop.
        iterations_done: the term of the number of iterations done.
        bounds: the bounds of terms.
        registers: the term of each register's value.
        effects: the memory operations so far, in order.
        unroll_factor: the unroll factor, 0 until it is known.
        fits_32_bits: whether distance and step are known to fit into 32 bits.
        min_remaining: a lower bound of the number of remaining iterations.
        salt: a mark that distinguishes values read from memory here from those read elsewhere.
    """

    terms: TermTable
    types: dict[str, Type]
    distance: int
    step: int
    positive_distance: bool
    bounds: dict[int, tuple[int, int]]
    registers: dict[str, int] = field(default_factory=dict)
    effects: list[tuple[object, ...]] = field(default_factory=list)
    unroll_factor: int = 0
    fits_32_bits: bool = False
    min_remaining: int = 1
    salt: str = ""

    def __post_init__(self) -> None:
        intern = self.terms.intern
        self.trip_count, self.quotient = intern("trip count"), intern("quotient")
        self.remainder, self.iterations_done = intern("remainder"), intern("iterations done")

    def run(self, items: list[Instruction]) -> None:
        """Run instructions; record accesses to memory, and refuse other instructions with side effects."""
        for item in items:
            if item.guard is not None or isinstance(item, Call):
                raise NotProven
            if is_pure(item):
                target = item.operands[0]
                assert isinstance(target, Register)  # noqa: S101 - a pure one has one result
                self.registers[target.name] = self._evaluate(item, self.types[target.name].bits)
            else:
                self._effect(item)

    def read(self, operand: Operand) -> int:
        """Return the term of an operand."""
        if isinstance(operand, Register):
            term = self.registers.get(operand.name)
            return self.terms.intern("register", operand.name) if term is None else term
        if isinstance(operand, Immediate) and operand.kind == "int":
            return self.terms.constant(operand.value)
        if is_constant(operand) or isinstance(operand, Symbol):
            return self.terms.intern("constant", operand)
        if isinstance(operand, Address):
            return self.terms.intern("address", self.read(operand.base), operand.offset)
        raise NotProven

    def _effect(self, item: Instruction) -> None:
        name = item.opcode.partition(".")[0]
        if name not in _MEMORY:
            raise NotProven
        written = writes_of(item)
        sources = tuple(self.read(part) for operand in item.operands for part in _constant_parts(operand))
        reads = tuple(self.read(Register(read)) for read in reads_of(item))
        effect = (item.opcode, len(item.operands), sources, reads)
        self.effects.append(effect)
        for index, register in enumerate(written):
            self.registers[register] = self.terms.intern("read", self.salt, len(self.effects), index, *effect)

    # Results of instructions.

    def _evaluate(self, item: Instruction, bits: int) -> int:
        name, *modifiers = item.opcode.split(".")
        comparison = comparison_of(item)
        if comparison is not None:
            sign, left, right = comparison.type[0], self.read(Register(comparison.left)), self.read(comparison.right)
            if comparison.bits == 32:
                left, right = self._widened(sign, left), self._widened(sign, right)
            return self._compare(comparison.operator, sign, left, right)
        operands = [self.read(operand) for operand in item.operands[1:]]
        term: int | None = None
        if name == "mov" and len(operands) == 1:
            term = operands[0]
        elif name == "selp" and len(operands) == 3:
            term = self._select(*operands)
        elif modifiers == ["pred"]:
            term = self._logic(name, operands)
        elif name == "cvt" and len(modifiers) == 2:
            term = self._conversion(modifiers[0], modifiers[1], operands[0])
        elif name == "mul" and modifiers in (["wide", "s32"], ["wide", "u32"]):
            term = self.terms.multiply(*(self._widened(modifiers[1][0], operand) for operand in operands))
        elif bits == 64 and modifiers and modifiers[-1] in _INTEGER_TYPES:
            term = self._evaluate_64(name, modifiers, operands)
        elif bits == 32 and modifiers and modifiers[-1] in ("s32", "u32"):
            term = self._evaluate_32(name, modifiers, operands)
        return self.terms.intern(item.opcode, *operands) if term is None else term

    def _evaluate_64(self, name: str, modifiers: list[str], operands: list[int]) -> int | None:
        terms, prefix = self.terms, modifiers[:-1]
        constants = [terms.constant_value(operand) for operand in operands]
        if name in ("add", "sub") and not prefix and len(operands) == 2:
            return terms.add(operands[0], operands[1], 1 if name == "add" else -1)
        if name in ("mul", "mad") and prefix == ["lo"]:
            product = terms.multiply(operands[0], operands[1])
            return product if product is None or name == "mul" else terms.add(product, operands[2])
        if name == "shl" and constants[1] is not None and 0 <= constants[1] < 64:
            return terms.multiply(operands[0], terms.constant(1 << constants[1]))
        if name == "neg":
            return terms.add(terms.constant(0), operands[0], -1)
        if name == "not":
            return terms.add(terms.constant(-1), operands[0], -1)
        if name in ("max", "min") and not prefix:
            is_less = self._decide("le", modifiers[-1][0], operands[0], operands[1])
            return None if is_less is None else operands[int(is_less == (name == "max"))]
        return self._division(name, operands, constants) if not prefix else None

    def _division(self, name: str, operands: list[int], constants: list[int | None]) -> int | None:
        terms = self.terms
        if operands[0] == self.trip_count and name == "and" and constants[1] is not None:
            # `trip_count & (factor - 1)` is the number of iterations in front of the unrolled loop.
            self.unroll_factor = self.unroll_factor or constants[1] + 1
            is_power_of_two = self.unroll_factor > 1 and not self.unroll_factor & (self.unroll_factor - 1)
            return self.remainder if is_power_of_two and constants[1] + 1 == self.unroll_factor else None
        if operands[0] != self.distance or not self.positive_distance:
            return None
        step = terms.constant_value(self.step)
        if name == "div" and operands[1] == self.step:
            return self.quotient
        if step is not None and step > 1 and not step & (step - 1):
            if name == "shr" and constants[1] == step.bit_length() - 1:
                return self.quotient
            if name == "and" and constants[1] == step - 1:
                return self._division_remainder()
        return self._division_remainder() if name == "rem" and operands[1] == self.step else None

    def _division_remainder(self) -> int:
        product = self.terms.multiply(self.quotient, self.step)
        if product is None:
            raise NotProven
        return self.terms.add(self.distance, product, -1)

    def _widened(self, sign: str, term: int) -> int:
        """Return a number of 32 bits as one of 64."""
        key = self.terms.key(term)
        if key[0] == "low":
            return int(str(key[1])) if sign == "u" else self.terms.intern("extended", sign, term)
        value = self.terms.constant_value(term) if key[0] == "sum" else None
        if value is not None:
            value &= (1 << 32) - 1
            return self.terms.constant(value - (1 << 32) if sign == "s" and value >> 31 else value)
        # Indices and numbers of threads or blocks have no sign.
        if key[0] == "constant" and isinstance(key[1], Special):
            sign = "u"
        return self.terms.intern("extended", sign, term)

    def _conversion(self, target: str, source: str, term: int) -> int | None:
        if target in ("s64", "u64") and source in ("s32", "u32"):
            return self._widened(source[0], term)
        if target in ("s32", "u32") and source in ("s64", "u64"):
            if self.fits_32_bits and term in (self.distance, self.step):
                return self.terms.intern("low", term)
            key = self.terms.key(term)
            if key[0] == "extended":
                return int(str(key[2]))
        return None

    def _evaluate_32(self, name: str, modifiers: list[str], operands: list[int]) -> int | None:
        """Return the result of the same division done in 32 bits, for numbers that are known to fit."""
        intern = self.terms.intern
        distance, step, quotient = (intern("low", term) for term in (self.distance, self.step, self.quotient))
        remainder = self._division_remainder()
        product = self.terms.add(self.distance, remainder, -1)
        if (name, modifiers, operands) == ("div", ["u32"], [distance, step]) and self.positive_distance:
            return quotient
        if name == "mul" and modifiers[0] == "lo" and sorted(operands) == sorted((quotient, step)):
            return intern("low", product)
        if name == "sub" and len(modifiers) == 1 and operands == [distance, intern("low", product)]:
            return intern("low", remainder)
        return None

    # Predicates.

    def _select(self, if_true: int, if_false: int, predicate: int) -> int | None:
        key, terms = self.terms.key(predicate), self.terms
        if key[0] == "bool":
            return if_true if key[1] else if_false
        tests_remainder = key == ("has remainder",) and terms.key(if_true)[0] == terms.key(if_false)[0] == "sum"
        if tests_remainder and (terms.constant_value(if_true), terms.constant_value(if_false)) == (1, 0):
            return terms.add(self.trip_count, self.quotient, -1)
        return None

    def _logic(self, name: str, operands: list[int]) -> int | None:
        values = [key[1] if key[0] == "bool" else None for key in map(self.terms.key, operands)]
        if None in values:
            return None
        if name == "not":
            return self.terms.intern("bool", not values[0])
        if name not in ("xor", "and", "or"):
            return None
        one, other = map(bool, values)
        return self.terms.intern("bool", {"xor": one != other, "and": one and other, "or": one or other}[name])

    def _compare(self, operator: str, sign: str, left: int, right: int) -> int:
        outcome = self._decide(operator, sign, left, right)
        if outcome is not None:
            return self.terms.intern("bool", outcome)
        tests_remainder = (
            self.positive_distance and self.terms.constant_value(right) == 0 and left == self._division_remainder()
        )
        if tests_remainder and (operator == "ne" or (operator, sign) == ("gt", "s")):
            return self.terms.intern("has remainder")
        return self.terms.intern("compared", operator, sign, left, right)

    def _decide(self, operator: str, sign: str, left: int, right: int) -> bool | None:
        """Return the result of a comparison, None if it depends on unknown values."""
        difference = self.difference(sign, left, right, operator)
        if difference is None:
            return None
        low, high = self._interval(difference)
        is_less, is_greater = high < 0, low > 0
        if operator in ("eq", "ne"):
            if is_less or is_greater:
                return operator == "ne"
            return operator == "eq" if low == high == 0 else None
        if operator in ("lt", "ge"):
            return (operator == "lt") if is_less else ((operator == "ge") if low >= 0 else None)
        return (operator == "gt") if is_greater else ((operator == "le") if high <= 0 else None)

    def difference(self, sign: str, left: int, right: int, operator: str) -> Polynomial | None:
        """Return the difference of a comparison's sides, left minus right, if neither it nor the sides can wrap."""
        polynomials = [self.terms.polynomial(left), self.terms.polynomial(right)]
        if not all(self._cannot_wrap(polynomial) for polynomial in polynomials):
            return None
        if (
            sign == "u"
            and operator not in ("eq", "ne")
            and any(self._interval(polynomial)[0] < 0 for polynomial in polynomials)
        ):
            return None
        return self.terms.polynomial(self.terms.add(left, right, -1))

    def _cannot_wrap(self, polynomial: Polynomial) -> bool:
        if polynomial == self.terms.polynomial(self.step):
            return True
        coefficient_sum = sum(abs(coefficient) for monomial, coefficient in polynomial.items() if monomial)
        is_linear = all(len(monomial) == 1 and monomial[0] in self.bounds for monomial in polynomial if monomial)
        return is_linear and coefficient_sum <= _MAX_COEFFICIENT_SUM and abs(polynomial.get((), 0)) <= _MAX_CONSTANT

    def _interval(self, polynomial: Polynomial) -> tuple[int, int]:
        """Return the least and the largest number that a sum may be."""
        if polynomial == self.terms.polynomial(self.step) and self.terms.constant_value(self.step) is None:
            return 1, MAX_VALUE
        monomials = dict(polynomial)
        low = high = monomials.pop((), 0)
        # The trip count is the number of iterations done plus those left, of which there are at least `least_left`.
        trip_count_coefficient = monomials.get((self.trip_count,), 0)
        if trip_count_coefficient and (self.iterations_done,) in monomials:
            del monomials[self.trip_count,]
            monomials[self.iterations_done,] += trip_count_coefficient
            ends = sorted((trip_count_coefficient * self.min_remaining, trip_count_coefficient * MAX_VALUE))
            low, high = low + ends[0], high + ends[1]
        for monomial, coefficient in monomials.items():
            if len(monomial) != 1 or monomial[0] not in self.bounds:
                return -(1 << 70), 1 << 70
            lower, upper = self.bounds[monomial[0]]
            if monomial[0] == self.trip_count:
                lower = max(lower, self.min_remaining)
            ends = sorted((coefficient * lower, coefficient * upper))
            low, high = low + ends[0], high + ends[1]
        return low, high


def _constant_parts(operand: Operand) -> list[Operand]:
    """Return the parts of an operand that are not registers."""
    if isinstance(operand, Vector):
        return [part for item in operand.items for part in _constant_parts(item)]
    return [] if isinstance(operand, (Register, Sink)) else [operand]
