"""Random expressions without side effects: unsigned ones, floating-point ones, conditions, uniform ones."""

from __future__ import annotations

import random

from tests.hip_on_host.random_kernels.place import Place


class Expressions:
    """Writes expressions over the names of a place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self.fresh = 0

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def name(self, stem: str) -> str:
        """A name that the kernel has not used yet."""
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def expression(self, place: Place, depth: int = 0) -> str:
        """An unsigned value."""
        pick = self.random.randrange(13)
        if depth > 2 or pick < 4:
            return self.leaf(place)
        a, b = self.expression(place, depth + 1), self.expression(place, depth + 1)
        if pick < 9:
            return f"({a} {self.random.choice(['+', '-', '*', '^', '|', '&'])} {b})"
        if pick == 9:
            return f"({self.condition(place, depth + 1)} ? {a} : {b})"
        if pick == 10:
            return f"({a} {self.random.choice(['>>', '<<'])} ({b} & 7u))"
        if pick == 11:
            return self.from_other_type(place, a, b)
        calls = [f"mix({a}, {b})", f"own_index({a})", f"min({a}, {b})", f"table({a})", f"__popc({a})", f"digits({a})"]
        calls += [f"steps({a} & 31u)", f"turned_pair({a}, {b}).both()", f"fixed[{a} & 15u]", f"{a} / ({b} | 1u)"]
        return f"(unsigned)({self.random.choice(calls)})"

    def leaf(self, place: Place) -> str:
        choices = [*place.names, *place.names, *place.constants, *place.uniforms]
        choices += [f"{self.random.randrange(40)}u", "threadIdx.x", "blockIdx.x", "blockDim.x", "r[t & 3u]"]
        return f"(unsigned){self.random.choice(choices)}"

    def from_other_type(self, place: Place, a: str, b: str) -> str:
        """An unsigned value by way of signed, narrow, wide and floating-point ones."""
        return self.random.choice(
            [
                f"(unsigned)((int)({a}) >> ({b} & 15u))",
                f"(unsigned)(unsigned char)({a})",
                f"(unsigned)(short)({a})",
                f"(unsigned)(((unsigned long long)({a}) * ({b})) >> 29)",
                f"(unsigned)((int)({a}) < (int)({b}))",
                f"rounded({self.number(place)})",
                f"__float_as_uint({self.number(place)})",
                f"__umulhi({a}, {b})",
            ]
        )

    def number(self, place: Place, depth: int = 0) -> str:
        """A float between -1e6 and 1e6, never a NaN: its sign would depend on the compiler."""
        pick = self.random.randrange(6)
        if depth > 1 or pick < 2:
            given = [f"(float)({self.leaf(place)} & 1023u)", f"{self.random.randrange(1, 64) / 8}f", "-0.75f"]
            return self.random.choice([*given, *place.numbers, *place.numbers])
        a, b = self.number(place, depth + 1), self.number(place, depth + 1)
        if pick < 4:
            return f"within({a} {self.random.choice('+-*')} {b})"
        return self.random.choice(
            [
                f"within({a} / (1.0f + fabsf({b})))",
                f"sqrtf(fabsf({a}))",
                f"within(fmaf({a}, {b}, 1.5f))",
                f"floorf({a})",
            ]
        )

    def condition(self, place: Place, depth: int = 0) -> str:
        """A condition that each thread answers for itself."""
        operator = self.random.choice(["<", ">", "==", "!=", "<="])
        one = f"({self.expression(place, depth + 1)} & 15u) {operator} ({self.expression(place, depth + 1)} & 15u)"
        if depth == 0 and self.chance(0.2):
            return f"{one} {self.random.choice(['&&', '||'])} {self.leaf(place)} % 3u == 1u"
        return one

    def uniform(self, place: Place) -> str:
        """An unsigned value that is equal in all threads of the block."""
        a = self.random.choice([*place.uniforms, "blockIdx.x", "blockDim.x", "gridDim.x"])
        return self.random.choice(
            [a, f"({a} + {self.random.randrange(5)}u)", f"({a} ^ {self.random.choice(place.uniforms)})"]
        )
