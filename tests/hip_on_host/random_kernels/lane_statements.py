"""Divergent loops that only compute: each thread leaves them when its own values meet a condition."""

from __future__ import annotations

from tests.hip_on_host.random_kernels.expressions import Expressions
from tests.hip_on_host.random_kernels.place import Place, Written

_ROUNDS = 20


class LaneStatements(Expressions):
    """Writes divergent loops: arithmetic on a few variables of their own, without memory or calls."""

    label: str

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.functions: list[str] = []

    def make_lane_loop(self, place: Place) -> Written:
        x, y, z = self.name("x"), self.name("y"), self.name("z")
        first = f"unsigned {x} = {self.expression(place)}, {y} = {self.leaf(place)} & 15u; float {z} = {self.number(place)};"
        lines = self._loop((x, y, z), (*place.constants, *place.uniforms), "m", ["break", "break", "continue"])
        return [first, *lines, f"r[2] ^= __float_as_uint({z}) + {y};"], place.with_names(x)

    def make_lane_call(self, place: Place) -> Written:
        """A call of a function with divergent loops, wherever a call may stand."""
        name, made = self._lane_function(), self.name("c")
        a, b = self._call(name, place), self._call(name, place)
        target = self.random.choice(place.names)
        written = self.random.choice(
            [
                [f"unsigned {made} = {a};"],
                [f"unsigned {made} = {self.expression(place)}, {made}b = {name}({made}, 1.5f, n), {made}c = {b} ^ {made}b;"],
                [f"unsigned {made} = 3u; {target} += {made}, {made} = {a} - {target}, {target} ^= {made};"],
                [f"unsigned {made} = 1u; if ({a} & 1u) {made} = {b}; else {target} = {self.expression(place)};"],
                [f"unsigned {made} = {self.condition(place)} ? {a} : 7u;"],
                [f"unsigned {made} = {a} * 3u + {name}({b} & 63u, {self.number(place)}, 5u);"],
                [f"unsigned {made} = 2u; r[{a} & 3u] += {target} + {made}; r[{b} & 3u] = {self.expression(place)};"],
                [f"unsigned {made} = 0; for (unsigned k = 0; k < 3u; ++k) {{ {made} += {name}({target} + k, 0.5f, k); }}"],
                [f"unsigned {made} = 5u; {{ const unsigned step = {a}; {made} += step / 3u; }}"],
            ]
        )  # fmt: skip
        return written, place.with_names(made)

    def _call(self, name: str, place: Place) -> str:
        return f"{name}({self.expression(place)}, {self.number(place)}, {self.leaf(place)} & 15u)"

    def _lane_function(self) -> str:
        """Write a function and return its name. It may return before its loops, in them, or behind them."""
        name = f"lanes_{self.label}_{len(self.functions)}"
        names = ("x", "y", "z")
        lines = [f"__device__ unsigned {name}(unsigned x, float z, unsigned most) {{ unsigned y = most + 1u;"]
        if self.chance(0.3):
            lines.append(f"if ({self._test(names[:2], 'z')}) return y;")
        for _ in range(self.random.choice([1, 1, 2])):
            lines += self._loop(names, ("most",), "most", ["break", "return y", "return x + y", "continue"])
        ends = ["return x ^ y;", "if (y & 1u) return x; else return y * 3u;", "x += __float_as_uint(z); return x + y;"]
        self.functions.append("\n".join([*lines, self.random.choice(ends), "}"]))
        return name

    def _loop(self, targets: tuple[str, str, str], others: tuple[str, ...], bound: str, jumps: list[str]) -> list[str]:
        k, (x, y, z) = self.name("k"), targets
        names = (x, y, *others)
        leave = f"if ({self._test(names, z)}) {self.random.choice(jumps)};"
        body = [self._change(targets, (*names, k)) for _ in range(self.random.randint(1, 4))]
        if self.chance(0.6):
            body.insert(self.random.randrange(len(body) + 1), leave)
        going, test = f"{k} < {_ROUNDS}u", self._test(names, z)
        return self.random.choice(
            [
                [f"unsigned {k} = 0;", f"while ({going} && {test}) {{", f"{k}++;", *body, "}"],
                [f"unsigned {k} = {x} & 7u;", "do {", *body, f"}} while (++{k} < {_ROUNDS}u && {test});"],
                [f"for (unsigned {k} = {y}; {going}; ++{k}) {{", *body, "}"],
                [f"for (unsigned {k} = 0; {k} < 5u + {bound} % 50u; ++{k}) {{", *body, f"if ({test}) break;", "}"],
                [f"unsigned {k} = 0;", "for (;;) {", f"if (++{k} > {_ROUNDS}u) break;", *body, "}"],
            ]
        )

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
