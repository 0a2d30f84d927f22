"""Statements that each thread runs by itself: variables, arrays, atomics, branches and loops of its own."""

from __future__ import annotations

import dataclasses

from tests.hip_on_host.random_kernels.expressions import Expressions
from tests.hip_on_host.random_kernels.helpers import ATOMICS, WIDE_SUMS
from tests.hip_on_host.random_kernels.place import Place, Written


class OwnStatements(Expressions):
    """Statements without barriers or warp operations."""

    size: int

    def body(self, place: Place, count: int) -> Written:
        """Write `count` statements of kinds that may stand there."""
        raise NotImplementedError

    def statements(self, place: Place, count: int) -> list[str]:
        """The statements of a scope that ends behind them."""
        return self.body(place, count)[0]

    def around(self, jump: str, place: Place, count: int) -> list[str]:
        """Statements with a jump between two of them: inside one it would be for some threads only."""
        return [*self.statements(place, count // 2), jump, *self.statements(place, count - count // 2)]

    # Values

    def make_assign(self, place: Place) -> Written:
        target = self.random.choice(place.names)
        operator = self.random.choice(["=", "+=", "^=", "-=", "*=", "|="])
        return [f"{target} {operator} {self.expression(place)};"], place

    def make_array(self, place: Place) -> Written:
        return [
            f"r[{self.expression(place)} & 3u] {self.random.choice(['=', '+=', '^='])} {self.expression(place)};"
        ], place

    def make_variable(self, place: Place) -> Written:
        name, other = self.name("w"), self.name("w")
        value = self.expression(place)
        forms = [
            [f"unsigned {name} = {value}, {other} = {name} + 1u;", f"{name} ^= {other};"],
            [f"auto {name} = (unsigned)({value});"],
            [f"unsigned {name};", f"{name} = {value};"],
            [f"unsigned {name}{{(unsigned)({value})}};"],
            [f"int {name} = (int)({value});"],
            [f"unsigned char {name} = (unsigned char)({value});"],
            [f"unsigned long long {name} = {value};", f"{name} *= 0x9e3779b97f4a7c15ull;"],
        ]
        return self.random.choice(forms), place.with_names(name)

    def make_alias(self, place: Place) -> Written:
        """Write a reference or a pointer to a variable that the thread has already."""
        name = self.name("p")
        target = self.random.choice([*(one for one in place.names if one.startswith("v")), "r[2]"])
        if self.chance(0.5):
            return [f"unsigned& {name} = {target};", f"{name} += {self.expression(place)};"], place.with_names(name)
        if self.chance(0.5):
            return [f"unsigned* {name} = &{target};"], place.with_names(f"(*{name})")
        return [f"unsigned* const {name} = r + ({self.expression(place)} & 3u);"], place.with_names(f"(*{name})")

    def make_struct(self, place: Place) -> Written:
        name = self.name("o")
        value = self.random.choice(
            [f"{{{self.expression(place)}, {self.leaf(place)}}}", f"turned_pair({self.leaf(place)}, t)"]
        )
        lines = [f"Pair {name} = {value};", f"{name} += {self.leaf(place)};"]
        return lines, place.with_names(f"{name}.a", f"{name}.b")

    def make_own_array(self, place: Place) -> Written:
        name, at = self.name("a"), self.name("i")
        extents, element = self.random.choice([("[5]", f"[{at} % 5u]"), ("[2][3]", f"[{at} & 1u][{at} % 3u]")])
        lines = [f"unsigned {name}{extents} = {{}};"]
        lines += [f"for (unsigned {at} = 0; {at} < 6u; ++{at}) {name}{element} += {self.expression(place)} + {at};"]
        chosen = element.replace(at, f"({self.leaf(place)})")
        return lines, place.with_names(f"{name}{chosen}")

    def make_number(self, place: Place) -> Written:
        name = self.name("f")
        return [f"float {name} = {self.number(place)};"], place.with_numbers(name)

    def make_number_change(self, place: Place) -> Written:
        if not place.numbers:
            return self.make_number(place)
        return [f"{self.random.choice(place.numbers)} = {self.number(place)};"], place

    def make_constant(self, place: Place) -> Written:
        name = self.name("c")
        value = self.random.choice(
            [self.expression(place), f"t % {self.random.randint(2, 9)}u", f"g * 3u + {self.uniform(place)}"]
        )
        return [f"const unsigned {name} = {value};"], place.with_constants(name)

    def make_helper(self, place: Place) -> Written:
        plain = [one for one in place.names if one.startswith("v")]
        return [f"bump({self.random.choice(plain)}, {self.expression(place)});"], place

    def make_lambda(self, place: Place) -> Written:
        name, target = self.name("l"), self.random.choice(place.names)
        given = self.random.choice(["&", f"&, {self.random.choice(['t', 'n'])}"])
        body = f"{target} += x; return x * 3u + t + n;"
        lines = [f"auto {name} = [{given}](unsigned x) {{ {body} }};", f"r[0] ^= {name}({self.expression(place)});"]
        return ["{", *lines, "}"], place

    def make_sum(self, place: Place) -> Written:
        """An atomic operation whose result does not depend on the order of threads."""
        value = self.expression(place)
        if self.chance(0.2):
            wide = f"(unsigned long long*)(sums + {WIDE_SUMS}) + ({self.leaf(place)} & 3u)"
            return [f"atomicAdd({wide}, (unsigned long long)({value}) * 3u);"], place
        call, first = self.random.choice(list(ATOMICS.items()))
        where = f"&sums[{first}u + ({self.expression(place)} & 7u)]"
        if call == "atomicMax" and self.chance(0.5):
            call = "raise"
        return [f"{call}({where}, {value});"], place

    # Scopes

    def make_block(self, place: Place) -> Written:
        hiding = self.random.choice([one for one in place.names if one.isalnum()])
        inner = self.statements(place.inside(), self.random.randint(1, 4))
        return ["{", f"unsigned {hiding} = {self.random.randrange(9)}u + t;", *inner, f"r[1] += {hiding};", "}"], place

    def make_branch(self, place: Place) -> Written:
        inside = place.alone()
        lines = [f"if ({self.condition(place)}) {{", *self.statements(inside, self.random.randint(1, 3)), "}"]
        if self.chance(0.4):
            lines += ["else {", *self.statements(inside, self.random.randint(1, 2)), "}"]
        return lines, place

    def make_choice(self, place: Place) -> Written:
        """A switch of the thread's own; some cases fall into the next."""
        inside = dataclasses.replace(place.alone(), in_switch=True)
        lines = [f"switch ({self.expression(place)} & 3u) {{"]
        for label in ("case 0u", "case 2u", "default"):
            lines += [f"{label}: {{", *self.statements(inside, 1), "}"]
            if self.chance(0.7):
                lines.append("break;")
        return [*lines, "}"], place

    # Loops

    def make_own_loop(self, place: Place) -> Written:
        """A loop whose trip count differs from thread to thread."""
        counter = self.name("j")
        bound = f"({self.random.choice(place.names)} & 7u)"
        header, first, tail, end = self.random.choice(
            [
                (f"for (unsigned {counter} = 0; {counter} < {bound}; ++{counter}) {{", "", "", "}"),
                (
                    f"while ({counter} < {bound} + 1u && {counter} < 8u) {{",
                    f"unsigned {counter} = 0;",
                    f"{counter}++;",
                    "}",
                ),
                ("do {", f"unsigned {counter} = t & 3u;", f"++{counter};", f"}} while ({counter} < {bound});"),
            ]
        )
        inside = place.alone(8, counter)
        jump = f"if ({self.condition(inside)}) {self.random.choice(['break', 'continue'])};" if self.chance(0.4) else ""
        return [first, header, tail, *self.around(jump, inside, self.random.randint(1, 3)), end], place

    def make_strided_loop(self, place: Place) -> Written:
        counter = self.name("i")
        start, stride = self.random.choice(
            [("t", f"{self.size}u"), ("g", f"gridDim.x * {self.size}u"), ("t", "blockDim.x * 5u")]
        )
        bound = self.random.choice(["n * 9u", f"{self.size * 3}u", "m + 700u"])
        body = self.statements(place.alone(20, counter), self.random.randint(1, 3))
        return [f"for (unsigned {counter} = {start}; {counter} < {bound}; {counter} += {stride}) {{", *body, "}"], place

    def make_counted_loop(self, place: Place) -> Written:
        """A loop with a uniform trip count and no barriers: a candidate for interchange with the loop over threads."""
        counter = self.name("k")
        bound, rounds = self.random.choice([("n", 5), ("60u", 60), ("3u", 3), ("(m & 15u)", 15)])
        body = self.statements(place.alone(rounds, counter), self.random.randint(1, 3))
        return [f"for (unsigned {counter} = 0; {counter} < {bound}; {counter}++) {{", *body, "}"], place
