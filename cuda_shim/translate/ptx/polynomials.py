"""Terms for symbolic execution: polynomials of unknowns, and all other values by the instruction that computes them.

Equal terms have the same number, independently of the instructions that computed them: `(a + b) * 2` and
`b + a + b + a` are one term. Coefficients have 64 bits and wrap as the instructions do, so that addition and
multiplication may be done in any order. Products of more than `_MAX_MONOMIALS` monomials are not expanded.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Polynomial", "TermTable"]

Polynomial: TypeAlias = "dict[tuple[int, ...], int]"
"""The coefficient of each monomial; a monomial is the sorted terms that are multiplied, () for the constant."""

_MAX_MONOMIALS = 24
_MASK = (1 << 64) - 1


class TermTable:
    """A table of terms; each is known by its number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._keys: list[tuple[object, ...]] = []
        #: The polynomial that replaces a term wherever it is read.
        self.substitutions: dict[int, Polynomial] = {}

    def intern(self, *key: object) -> int:
        """Return the term that has a name or an instruction and its operands for a key."""
        term = self._numbers.setdefault(key, len(self._keys))
        if term == len(self._keys):
            self._keys.append(key)
        return term

    def key(self, term: int) -> tuple[object, ...]:
        """Return the key that a term was made from."""
        return self._keys[term]

    def polynomial(self, term: int) -> Polynomial:
        """Return a term of 64 bits as a polynomial."""
        key = self._keys[term]
        if key[0] == "sum":
            return dict(key[1])  # type: ignore[call-overload,no-any-return]
        return dict(self.substitutions.get(term, {(term,): 1}))

    def from_polynomial(self, polynomial: Polynomial) -> int:
        """Return the term of a polynomial."""
        monomials = {
            monomial: _signed(coefficient) for monomial, coefficient in polynomial.items() if coefficient & _MASK
        }
        if len(monomials) == 1:
            ((monomial, coefficient),) = monomials.items()
            if len(monomial) == 1 and coefficient == 1:
                return monomial[0]
        return self.intern("sum", tuple(sorted(monomials.items())))

    def constant(self, value: int) -> int:
        """Return the term of a number."""
        return self.from_polynomial({(): value})

    def constant_value(self, term: int) -> int | None:
        """Return the number that a term is, None if it is unknown."""
        polynomial = self.polynomial(term)
        return polynomial.get((), 0) if not polynomial.keys() - {()} else None

    def add(self, left: int, right: int, factor: int = 1) -> int:
        """Return the sum of one term and `factor` times another one."""
        total = self.polynomial(left)
        for monomial, coefficient in self.polynomial(right).items():
            total[monomial] = total.get(monomial, 0) + factor * coefficient
        return self.from_polynomial(total)

    def multiply(self, left: int, right: int) -> int | None:
        """Return a product of two terms; None if it becomes too long."""
        left_polynomial, right_polynomial = self.polynomial(left), self.polynomial(right)
        if len(left_polynomial) * len(right_polynomial) > _MAX_MONOMIALS:
            return None
        product: Polynomial = {}
        for a, coefficient in left_polynomial.items():
            for b, other_coefficient in right_polynomial.items():
                monomial = tuple(sorted(a + b))
                product[monomial] = product.get(monomial, 0) + coefficient * other_coefficient
        return self.from_polynomial(product)


def _signed(value: int) -> int:
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value
