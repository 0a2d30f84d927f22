"""The values of registers as terms: sums of products of unknowns, and all other values by their instruction.

Equal terms have the same number, independently of the instructions that made them. Sums have 64 bits and wrap as the
instructions do, so that addition and multiplication may be done in any order.
"""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Sum", "Terms"]

Sum: TypeAlias = "dict[tuple[int, ...], int]"
"""By product (the terms that are multiplied, in order; none for the number alone), how often it is taken."""

_MOST_PRODUCTS = 24
_ALL = (1 << 64) - 1


class Terms:
    """A table of terms; each is known by its number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._keys: list[tuple[object, ...]] = []
        #: The sum that replaces a term wherever it is read.
        self.meaning: dict[int, Sum] = {}

    def named(self, *key: object) -> int:
        """Return the term that has a name or an instruction and its operands for a key."""
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def key(self, term: int) -> tuple[object, ...]:
        """Return the key that a term was made from."""
        return self._keys[term]

    def sum_of(self, term: int) -> Sum:
        """Return a term of 64 bits as a sum."""
        key = self._keys[term]
        if key[0] == "sum":
            return dict(key[1])  # type: ignore[call-overload,no-any-return]
        return dict(self.meaning.get(term, {(term,): 1}))

    def of_sum(self, sum_: Sum) -> int:
        """Return the term of a sum."""
        kept = {product: _signed(count) for product, count in sum_.items() if count & _ALL}
        if len(kept) == 1:
            ((product, count),) = kept.items()
            if len(product) == 1 and count == 1:
                return product[0]
        return self.named("sum", tuple(sorted(kept.items())))

    def number(self, value: int) -> int:
        """Return the term of a number."""
        return self.of_sum({(): value})

    def value(self, term: int) -> int | None:
        """Return the number that a term is, None if it is unknown."""
        sum_ = self.sum_of(term)
        return sum_.get((), 0) if not sum_.keys() - {()} else None

    def add(self, left: int, right: int, times: int = 1) -> int:
        """Return the sum of one term and `times` times another one."""
        found = self.sum_of(left)
        for product, count in self.sum_of(right).items():
            found[product] = found.get(product, 0) + times * count
        return self.of_sum(found)

    def times(self, left: int, right: int) -> int | None:
        """Return a product of two terms; None if it becomes too long."""
        one, other = self.sum_of(left), self.sum_of(right)
        if len(one) * len(other) > _MOST_PRODUCTS:
            return None
        found: Sum = {}
        for a, count in one.items():
            for b, more in other.items():
                product = tuple(sorted(a + b))
                found[product] = found.get(product, 0) + count * more
        return self.of_sum(found)


def _signed(value: int) -> int:
    value &= _ALL
    return value - (1 << 64) if value >> 63 else value
