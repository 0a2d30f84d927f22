"""Statements to which whole warps come: shuffles, votes, warp barriers, and control flow by warps."""

from __future__ import annotations

from tests.hip_on_host.random_kernels.own_statements import OwnStatements
from tests.hip_on_host.random_kernels.place import Place, Written

ALL = "0xffffffffu"


class WarpStatements(OwnStatements):
    """Statements that may hold warp operations."""

    def shuffle(self, value: str) -> str:
        """A call that exchanges a value of 32 bits among lanes that are all active."""
        return self.random.choice(
            [
                f"__shfl_sync({ALL}, {value}, {self.random.randrange(32)})",
                f"__shfl_up_sync({ALL}, {value}, {self.random.randrange(1, 9)})",
                f"__shfl_down_sync({ALL}, {value}, {self.random.randrange(1, 20)}, 16)",
                f"__shfl_xor_sync({ALL}, {value}, {self.random.randrange(1, 32)})",
                f"__shfl_sync({ALL}, {value}, t + 5u, 8)",
            ]
        )

    def make_shuffle(self, place: Place) -> Written:
        target, value = self.random.choice(place.names), self.expression(place)
        call = self.shuffle(value)
        pick = self.random.randrange(10)
        if pick == 0:
            call = f"__reduce_{self.random.choice(['add', 'max', 'xor'])}_sync({ALL}, {value})"
        elif pick == 1:
            call = f"(unsigned){self.shuffle(f'(unsigned long long)({value}) << 9')}"
        elif pick == 2:
            call = f"({call} ^ {self.shuffle(self.leaf(place))})"  # two in one expression
        elif pick == 3:
            call = self.shuffle(call)  # one in the other
        if self.chance(0.3):
            name = self.name("y")
            return [f"unsigned {name} = {call};", f"if (t & 1u) {target} += {name};"], place.with_names(name)
        return [f"{target} {self.random.choice(['=', '+=', '^='])} {call} + {self.leaf(place)};"], place

    def make_number_shuffle(self, place: Place) -> Written:
        name = self.name("f")
        return [f"float {name} = {self.shuffle(self.number(place))};"], place.with_numbers(name)

    def make_vote(self, place: Place) -> Written:
        target = self.random.choice(place.names)
        if self.chance(0.3) and place.depth < 2:
            body = self.statements(place.inside(block=False), self.random.randint(1, 2))
            return [
                f"if ({self.random.choice(['__any_sync', '__all_sync'])}({ALL}, {self.condition(place)})) {{",
                *body,
                "}",
            ], place
        if self.chance(0.3):
            return [f"{target} ^= __match_any_sync({ALL}, {self.expression(place)} & 3u);"], place
        call = self.random.choice(["__ballot_sync", "__any_sync", "__all_sync"])
        return [f"{target} += {call}({ALL}, {self.condition(place)});"], place

    def make_warp_total(self, place: Place) -> Written:
        return [f"{self.random.choice(place.names)} += warp_total({self.expression(place)});"], place

    def make_warp_exchange(self, place: Place) -> Written:
        """Through shared memory, within the warp."""
        return [
            f"s[t] = {self.expression(place)};", "__syncwarp();",
            f"{self.random.choice(place.names)} ^= s[t ^ {self.random.randrange(1, 32)}u];", "__syncwarp();",
        ], place  # fmt: skip

    def make_half_warp(self, place: Place) -> Written:
        """A shuffle among some lanes, while the others are elsewhere."""
        lanes, mask = self.random.choice([("(t & 31u) < 16u", "0x0000ffffu"), ("(t & 16u) != 0u", "0xffff0000u")])
        call = f"__shfl_xor_sync({mask}, {self.expression(place)}, {self.random.randrange(1, 16)})"
        return [f"if ({lanes}) {{", f"{self.random.choice(place.names)} += {call};", "}"], place

    def make_warp_branch(self, place: Place) -> Written:
        condition = self.random.choice(
            ["t < 32u", "(t / 32u) % 2u == 0u", f"((t >> 5) + {self.uniform(place)}) % 3u != 0u"]
        )
        return [
            f"if ({condition}) {{",
            *self.statements(place.inside(block=False), self.random.randint(1, 3)),
            "}",
        ], place

    def make_warp_loop(self, place: Place) -> Written:
        """A loop whose trip count differs from warp to warp."""
        counter = self.name("q")
        inside = place.inside(10, block=False, constants=(*place.constants, counter))
        jump = f"if ((t / 32u + {counter}) % 3u == 1u) {self.random.choice(['break', 'continue'])};"
        body = self.around(jump if self.chance(0.5) else "", inside, self.random.randint(1, 3))
        return [f"for (unsigned {counter} = 0; {counter} < t / 32u + 2u; ++{counter}) {{", *body, "}"], place

    def make_voted_loop(self, place: Place) -> Written:
        """A warp goes on until its last lane is done."""
        left = self.name("e")
        body = self.statements(place.inside(8, block=False), self.random.randint(1, 2))
        return [
            f"unsigned {left} = {self.expression(place)} & 7u;", f"while (__any_sync({ALL}, {left} != 0u)) {{", *body,
            f"if ({left}) {left}--;", "}",
        ], place  # fmt: skip
