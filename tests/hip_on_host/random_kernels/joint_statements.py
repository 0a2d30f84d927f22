"""Statements to which all threads of a block come together: barriers, shared memory, uniform control flow."""

from __future__ import annotations

from tests.hip_on_host.random_kernels.own_statements import OwnStatements
from tests.hip_on_host.random_kernels.place import Place, Written


class JointStatements(OwnStatements):
    """Statements that may hold barriers."""

    exited: bool  # some threads have left the kernel

    def make_uniform(self, place: Place) -> Written:
        name = self.name("u")
        lines = [f"unsigned {name} = {self.uniform(place)};"]
        if self.chance(0.5):
            lines.append(f"{name} = {name} * 3u + {self.uniform(place)};")
        return lines, place.with_uniforms(name)

    def make_uniform_change(self, place: Place) -> Written:
        """Variables and a parameter that stay equal in all threads while they change."""
        target = self.random.choice([*(one for one in place.uniforms if one.startswith("u")), "m"])
        return [f"{target} = ({target} + {self.uniform(place)}) & 15u;"], place

    def make_exchange(self, place: Place) -> Written:
        target = self.random.choice(place.names)
        offset = self.random.choice(["1u", "7u", self.uniform(place), "n"])
        return [
            f"s[t] = {self.expression(place)};", "__syncthreads();",
            f"{target} {self.random.choice(['=', '+=', '^='])} s[(t + {offset}) % {self.size}u];", "__syncthreads();",
        ], place  # fmt: skip

    def make_transposition(self, place: Place) -> Written:
        """Through an array of two dimensions, or the launch's shared memory taken as pairs."""
        target = self.random.choice(place.names)
        if self.chance(0.5):
            return [
                f"tile[t & 7u][t >> 3] = {self.expression(place)};", "__syncthreads();",
                f"{target} += tile[(t + 3u) & 3u][t >> 3] ^ tile[t & 3u][0];", "__syncthreads();",
            ], place  # fmt: skip
        return [
            f"dynamic[t].a = {self.expression(place)};", f"dynamic[t].b = {self.leaf(place)};", "__syncthreads();",
            f"{target} ^= dynamic[{self.size - 1}u - t].both();", "__syncthreads();",
        ], place  # fmt: skip

    def make_histogram(self, place: Place) -> Written:
        """Write atomic operations on shared memory, by all threads or by those that meet a condition."""
        count = f"atomicAdd(&h[{self.expression(place)} & 7u], {self.expression(place)});"
        if self.chance(0.5):
            count = f"if ({self.condition(place)}) {count}"
        return [
            "if (t < 8u) h[t] = t;", "__syncthreads();", count, "__syncthreads();",
            f"{self.random.choice(place.names)} += h[{self.expression(place)} & 7u];", "__syncthreads();",
        ], place  # fmt: skip

    def make_scan(self, place: Place) -> Written:
        """Each thread's sum of those before it."""
        step, seen = self.name("d"), self.name("x")
        return [
            f"s[t] = {self.expression(place)};", "__syncthreads();",
            f"for (unsigned {step} = 1; {step} < {self.size}u; {step} *= 2u) {{",
            f"unsigned {seen} = t >= {step} ? s[t - {step}] : 0u;", "__syncthreads();", f"s[t] += {seen};", "__syncthreads();", "}",
            f"{self.random.choice(place.names)} ^= s[t];", "__syncthreads();",
        ], place  # fmt: skip

    def make_sums(self, place: Place) -> Written:
        """Several sums of each thread in one loop, which the compiler may run for a few threads at a time."""
        counter, (bound, _) = self.name("k"), self.random.choice([("n", 5), ("(m & 15u)", 15), ("60u", 60)])
        targets = self.random.sample(place.names, min(len(place.names), self.random.randint(2, 4)))
        added = [
            f"{target} = {target} * 3u {self.random.choice('+^-')} (s[(t + {counter}) % {self.size}u] + {self.leaf(place)});"
            for target in targets
        ]
        return [
            f"s[t] = {self.expression(place)};", "__syncthreads();",
            f"for (unsigned {counter} = 0; {counter} < {bound}; ++{counter}) {{", *added, "}", "__syncthreads();",
        ], place  # fmt: skip

    def make_turned(self, place: Place) -> Written:
        """A device function with barriers."""
        target, value = self.random.choice(place.names), self.expression(place)
        if self.chance(0.3):
            return [f"{target} += block_total(s, t, {self.size}u, {value});"], place
        return [f"{target} ^= turned<{self.random.randint(1, 9)}>(s, t, {self.size}u, {value});"], place

    def make_count(self, place: Place) -> Written:
        call = self.random.choice(["__syncthreads_count", "__syncthreads_or", "__syncthreads_and"])
        if self.chance(0.3) and place.depth < 2:
            body = self.statements(place.inside(), self.random.randint(1, 2))
            return [f"if ({call}({self.condition(place)})) {{", *body, "}"], place
        return [f"{self.random.choice(place.names)} += {call}({self.condition(place)});"], place

    def make_leave(self, place: Place) -> Written:
        """Let some threads return; the others still meet at barriers."""
        if self.chance(0.5):
            return [], place
        self.exited = True
        return [f"if ({self.condition(place)}) {{ out[g] = {self.total(place)}; return; }}"], place

    def total(self, place: Place) -> str:
        """Combine all variables of the thread in one value."""
        return " + ".join(
            [*(f"(unsigned){one}" for one in place.names), *(f"__float_as_uint({one})" for one in place.numbers)]
        )

    def make_joint_loop(self, place: Place) -> Written:
        counter = self.name("k")
        header, bound = self.random.choice(
            [
                (f"for (unsigned {counter} = 0; {counter} < 3u; ++{counter})", ""),
                (f"for (unsigned {counter} = 1; {counter} < n; {counter} <<= 1)", ""),
                (f"for (int {counter} = 2; {counter} >= 0; --{counter})", ""),
                (f"for (unsigned {counter} = 0, back = 7u; {counter} + 4u < back; ++{counter}, --back)", ""),
                (f"while ({counter} < 3u)", f"unsigned {counter} = 0;"),
                ("for (;;)", f"unsigned {counter} = 0;"),
                ("do", f"unsigned {counter} = 0;"),
            ]
        )
        jump = f"if (({self.uniform(place)} + {counter}) % 4u == 1u) {self.random.choice(['break', 'continue'])};"
        inside = place.inside(3, uniforms=(*place.uniforms, f"(unsigned){counter}"))
        body = self.around(jump if self.chance(0.3) else "", inside, self.random.randint(2, 4))
        tail = [f"++{counter};"] if bound else []
        if header == "for (;;)":
            tail.append(f"if ({counter} > 3u) break;")
        end = f"}} while ({counter} < 3u);" if header == "do" else "}"
        return [bound, header + " {", *tail, *body, end], place

    def make_joint_branch(self, place: Place) -> Written:
        condition = (
            f"({self.uniform(place)} & {self.random.choice(['1u', '3u', '6u'])}) {self.random.choice(['==', '!='])} 1u"
        )
        lines = [f"if ({condition}) {{", *self.statements(place.inside(), self.random.randint(1, 3)), "}"]
        if self.chance(0.5):
            lines += ["else {", *self.statements(place.inside(), self.random.randint(1, 3)), "}"]
        return lines, place

    def make_joint_choice(self, place: Place) -> Written:
        """A switch with barriers in its cases."""
        lines = [f"switch ({self.uniform(place)} & 3u) {{"]
        for label in ("case 1u", "default"):
            lines += [f"{label}: {{", *self.statements(place.inside(), 2), "}", "break;"]
        return [*lines, "}"], place

    def make_kept_lambda(self, place: Place) -> Written:
        """A lambda that is called again behind a barrier."""
        name, target = self.name("l"), self.random.choice(place.names)
        body = self.statements(place.inside(), 2)
        return [
            "{", f"auto {name} = [&](unsigned x) {{ {target} ^= x; return x + t; }};", f"r[3] += {name}(5u);", *body,
            "__syncthreads();", f"r[2] ^= {name}(t);", "}",
        ], place  # fmt: skip
