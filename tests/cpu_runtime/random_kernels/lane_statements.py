"""Loops that only compute, and that each thread leaves when its own numbers say so."""

from __future__ import annotations

from .expressions import Expressions
from .place import Place, Written

_ROUNDS = 20


class LaneStatements(Expressions):
    """Writes such loops: arithmetic on a few variables of their own, without memory or calls."""

    def make_lane_loop(self, place: Place) -> Written:
        x, y, z, k = self.name("x"), self.name("y"), self.name("z"), self.name("k")
        names = (x, y, *place.constants, *place.uniforms)
        first = f"unsigned {x} = {self.expression(place)}, {y} = {self.leaf(place)} & 15u; float {z} = {self.number(place)};"
        leave = f"if ({self._test(names, z)}) {self.random.choice(['break', 'break', 'continue'])};"
        body = [self._change((x, y, z), (*names, k)) for _ in range(self.random.randint(1, 4))]
        if self.chance(0.6):
            body.insert(self.random.randrange(len(body) + 1), leave)
        going, test = f"{k} < {_ROUNDS}u", self._test(names, z)
        lines = self.random.choice(
            [
                [f"unsigned {k} = 0;", f"while ({going} && {test}) {{", f"{k}++;", *body, "}"],
                [f"unsigned {k} = t & 7u;", "do {", *body, f"}} while (++{k} < {_ROUNDS}u && {test});"],
                [f"for (unsigned {k} = {y}; {going}; ++{k}) {{", *body, "}"],
                [f"for (unsigned {k} = 0; {k} < n + m % 50u; ++{k}) {{", *body, f"if ({test}) break;", "}"],
                [f"unsigned {k} = 0;", "for (;;) {", f"if (++{k} > {_ROUNDS}u) break;", *body, "}"],
            ]
        )
        return [first, *lines, f"r[2] ^= __float_as_uint({z}) + {y};"], place.with_names(x)

    def _change(self, targets: tuple[str, str, str], names: tuple[str, ...]) -> str:
        x, y, z = targets
        change = self.random.choice(
            [
                f"{x} {self.random.choice(['+=', '-=', '^=', '*=', '='])} {self._sum(names)};",
                f"{y} = ({y} + ({self._sum(names)} & 3u)) & 31u;",
                f"{z} = {z} * 0.5f + (float)({self._sum(names)} & 255u);",
                f"{z} += {z} < 9.0f ? 1.25f : -{z} * 0.75f;",
            ]
        )
        if self.chance(0.3):
            other = f" else {x} = {self._sum(names)};" if self.chance(0.5) else ""
            return f"if ({self._test(names, z)}) {{ {change} }}{other}"
        if self.chance(0.2):
            step = self.name("d")
            return f"const unsigned {step} = {self._sum(names)}; {x} += {step} >> 1; {change}"
        return change

    def _sum(self, names: tuple[str, ...]) -> str:
        a, b = (self.random.choice([*names, f"{self.random.randrange(40)}u"]) for _ in range(2))
        forms = [f"({a} {self.random.choice('+-*^|&')} {b})", f"({a} >> ({b} & 7u))", f"max({a}, {b})", a]
        return self.random.choice([*forms, f"({a} < {b} ? {a} : {b} + 1u)", f"(unsigned)((int)({a}) >> 3)"])

    def _test(self, names: tuple[str, ...], number: str) -> str:
        wrong = self.random.randrange(2, 9)
        return self.random.choice([f"({self._sum(names)} & {wrong}u) != 1u", f"{number} < {wrong * 40}.0f"])
