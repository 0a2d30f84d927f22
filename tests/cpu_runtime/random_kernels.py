"""Random kernels without races, for comparing the forms in which they can be run.

Everything is unsigned arithmetic, so that every form must agree bit for bit. A kernel exchanges values through shared
memory between two barriers, through shuffles, votes and device functions; it has uniform and divergent control flow,
arrays, references, variables that live across barriers and ones that do not. What CUDA leaves undefined is left out:
barriers that only some threads reach, shuffles from lanes that are not there, reads of what was never written.
"""

from __future__ import annotations

import dataclasses
import random

HELPERS = """
__device__ unsigned mix(unsigned a, unsigned b) { a ^= b >> 3; return a * 2654435761u + b; }
__device__ void bump(unsigned& a, const unsigned& b) { a += b * 7u; }
__device__ unsigned own_index(unsigned a) { return a + threadIdx.x * 3u + blockIdx.x; }
__device__ unsigned table(unsigned i) { unsigned t[4] = {i, i + 1u, 3u, 9u}; t[i & 3u] += 5u; return t[(i >> 2) & 3u]; }
template <class T> __device__ T warp_total(T value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return __shfl_sync(0xffffffffu, value, 0);
}
template <int N> __device__ unsigned turned(unsigned* s, unsigned t, unsigned size, unsigned value) {
    s[t] = value;
    __syncthreads();
    unsigned other = s[(t + N) % size];
    __syncthreads();
    return other;
}
"""


@dataclasses.dataclass
class Place:
    """Where a statement stands: which threads come there together."""

    block: bool = True  # all threads of the block: barriers are allowed
    warp: bool = True  # whole warps: warp operations are allowed
    depth: int = 0
    uniforms: tuple[str, ...] = ("n", "m")
    names: tuple[str, ...] = ()  # variables of the thread that may be assigned
    constants: tuple[str, ...] = ("t", "g")

    def inside(self, **changes: object) -> Place:
        return dataclasses.replace(self, depth=self.depth + 1, **changes)  # type: ignore[arg-type]


class Generator:
    """Writes one kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self.size = self.random.choice([32, 64, 96, 128, 256])
        self.flat = self.random.random() < 0.6
        self.fresh = 0
        self.exited = False

    def kernel(self, name: str) -> str:
        count = self.random.randint(2, 4)
        names = tuple(f"v{i}" for i in range(count))
        lines = [f'extern "C" __global__ void {name}(const unsigned* in, unsigned* out, unsigned* sums, unsigned n, unsigned m) {{']
        lines.append(f"__shared__ unsigned s[{self.size}];")
        if self.flat:
            lines.append("const unsigned t = threadIdx.x;")
        else:
            lines.append("const unsigned t = threadIdx.x + threadIdx.y * blockDim.x;")
        lines.append(f"const unsigned g = blockIdx.x * {self.size}u + t;")
        lines.append("s[t] = t; __syncthreads();")
        for i, one in enumerate(names):
            lines.append(f"unsigned {one} = in[g] {self.random.choice('+^*')} {i + 1}u;")
        lines.append("unsigned r[4] = {1u, t, 3u, 4u};")
        lines += self.statements(Place(names=names), self.random.randint(5, 12))
        total = " + ".join([*names, "r[0] * 3u", "r[1] * 5u", "r[2] ^ r[3]"])
        lines += [f"out[g] = {total};", "}"]
        return "\n".join(lines)

    # Expressions

    def expression(self, place: Place, depth: int = 0) -> str:
        pick = self.random.randrange(12)
        if depth > 2 or pick < 4:
            return self.leaf(place)
        a, b = self.expression(place, depth + 1), self.expression(place, depth + 1)
        if pick < 9:
            return f"({a} {self.random.choice(['+', '-', '*', '^', '|', '&'])} {b})"
        if pick == 9:
            return f"({self.condition(place, depth + 1)} ? {a} : {b})"
        if pick == 10:
            return f"({a} {self.random.choice(['>>', '<<'])} ({b} & 7u))"
        return self.random.choice([f"mix({a}, {b})", f"own_index({a})", f"min({a}, {b})", f"table({a})", f"__popc({a})"])

    def leaf(self, place: Place) -> str:
        choices = [*place.names, *place.names, *place.constants, *place.uniforms]
        choices += [f"{self.random.randrange(40)}u", "threadIdx.x", "blockIdx.x", "blockDim.x", "r[t & 3u]"]
        return self.random.choice(choices)

    def condition(self, place: Place, depth: int = 0) -> str:
        operator = self.random.choice(["<", ">", "==", "!=", "<="])
        return f"({self.expression(place, depth + 1)} & 15u) {operator} ({self.expression(place, depth + 1)} & 15u)"

    def uniform(self, place: Place) -> str:
        a = self.random.choice([*place.uniforms, "blockIdx.x", "blockDim.x", "gridDim.x"])
        return self.random.choice([a, f"({a} + {self.random.randrange(5)}u)", f"({a} ^ {self.random.choice(place.uniforms)})"])

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    # Statements

    def statements(self, place: Place, count: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            kind = self.random.choice(self.kinds(place))
            written, place = getattr(self, f"make_{kind}")(place)
            lines += written
        return lines

    def around(self, jump: str, place: Place, count: int) -> list[str]:
        """Statements with a jump between two of them: inside one it would be for some threads only."""
        return [*self.statements(place, count // 2), jump, *self.statements(place, count - count // 2)]

    def kinds(self, place: Place) -> list[str]:
        kinds = ["assign"] * 5 + ["array", "variable", "constant", "helper", "sum"]
        if place.depth < 3:
            kinds += ["branch", "own_loop", "block", "strided_loop", "counted_loop"]
        if place.block:
            kinds += ["exchange"] * 3 + ["uniform"]
            if place.depth < 3:
                kinds += ["joint_loop", "joint_branch"] * 2
            if not self.exited:
                kinds += ["count", "turned"]
            if place.depth == 0:
                kinds += ["leave"]
        if place.warp and not self.exited:
            kinds += ["shuffle"] * 2 + ["vote", "warp_total"]
            if place.depth < 2:
                kinds += ["warp_branch", "warp_loop"]
        return kinds

    def make_assign(self, place: Place) -> tuple[list[str], Place]:
        target = self.random.choice(place.names)
        operator = self.random.choice(["=", "+=", "^=", "-=", "*="])
        return [f"{target} {operator} {self.expression(place)};"], place

    def make_array(self, place: Place) -> tuple[list[str], Place]:
        return [f"r[{self.expression(place)} & 3u] {self.random.choice(['=', '+=', '^='])} {self.expression(place)};"], place

    def make_variable(self, place: Place) -> tuple[list[str], Place]:
        name = self.name("w")
        kind = self.random.randrange(5)
        value = self.expression(place)
        if kind == 0:
            other = self.name("w")
            lines = [f"unsigned {name} = {value}, {other} = {name} + 1u;", f"{name} ^= {other};"]
        elif kind == 1:
            lines = [f"auto {name} = (unsigned)({value});"]
        elif kind == 2:
            lines = [f"unsigned {name};", f"{name} = {value};"]
        elif kind == 3:
            lines = [f"unsigned& {name} = {self.random.choice(place.names)};", f"{name} += {value};"]
        else:
            lines = [f"unsigned {name}{{(unsigned)({value})}};"]
        return lines, dataclasses.replace(place, names=(*place.names, name))

    def make_constant(self, place: Place) -> tuple[list[str], Place]:
        name = self.name("c")
        value = self.random.choice([self.expression(place), f"t % {self.random.randint(2, 9)}u", f"g * 3u + {self.uniform(place)}"])
        return [f"const unsigned {name} = {value};"], dataclasses.replace(place, constants=(*place.constants, name))

    def make_uniform(self, place: Place) -> tuple[list[str], Place]:
        name = self.name("u")
        lines = [f"unsigned {name} = {self.uniform(place)};"]
        if self.random.random() < 0.5:
            lines.append(f"{name} = {name} * 3u + {self.uniform(place)};")
        return lines, dataclasses.replace(place, uniforms=(*place.uniforms, name))

    def make_helper(self, place: Place) -> tuple[list[str], Place]:
        return [f"bump({self.random.choice(place.names)}, {self.expression(place)});"], place

    def make_sum(self, place: Place) -> tuple[list[str], Place]:
        return [f"atomicAdd(&sums[{self.expression(place)} & 7u], {self.expression(place)});"], place

    def make_block(self, place: Place) -> tuple[list[str], Place]:
        hiding = self.random.choice(place.names)
        inner = self.statements(place.inside(), self.random.randint(1, 4))
        return ["{", f"unsigned {hiding} = {self.random.randrange(9)}u + t;", *inner, f"r[1] += {hiding};", "}"], place

    def make_branch(self, place: Place) -> tuple[list[str], Place]:
        inside = place.inside(block=False, warp=False)
        lines = [f"if ({self.condition(place)}) {{", *self.statements(inside, self.random.randint(1, 3)), "}"]
        if self.random.random() < 0.4:
            lines += ["else {", *self.statements(inside, self.random.randint(1, 2)), "}"]
        return lines, place

    def make_own_loop(self, place: Place) -> tuple[list[str], Place]:
        """A loop whose rounds are the thread's own."""
        counter = self.name("j")
        inside = place.inside(block=False, warp=False, constants=(*place.constants, counter))
        jump = f"if ({self.condition(inside)}) {self.random.choice(['break', 'continue'])};" if self.random.random() < 0.4 else ""
        body = self.around(jump, inside, self.random.randint(1, 3))
        bound = f"({self.random.choice(place.names)} & 7u)"
        return [f"for (unsigned {counter} = 0; {counter} < {bound}; ++{counter}) {{", *body, "}"], place

    def make_strided_loop(self, place: Place) -> tuple[list[str], Place]:
        counter = self.name("i")
        start, stride = self.random.choice([("t", f"{self.size}u"), ("g", f"gridDim.x * {self.size}u"), ("t", "blockDim.x * 5u")])
        inside = place.inside(block=False, warp=False, constants=(*place.constants, counter))
        bound = self.random.choice(["n * 9u", f"{self.size * 3}u", "m + 700u"])
        body = self.statements(inside, self.random.randint(1, 3))
        return [f"for (unsigned {counter} = {start}; {counter} < {bound}; {counter} += {stride}) {{", *body, "}"], place

    def make_counted_loop(self, place: Place) -> tuple[list[str], Place]:
        """A loop that all threads go round alike, without barriers: it may be exchanged with the loop over threads."""
        counter = self.name("k")
        inside = place.inside(block=False, warp=False, constants=(*place.constants, counter))
        body = self.statements(inside, self.random.randint(1, 3))
        bound = self.random.choice(["n", "60u", "3u", "(m & 15u)"])
        return [f"for (unsigned {counter} = 0; {counter} < {bound}; {counter}++) {{", *body, "}"], place

    def make_joint_loop(self, place: Place) -> tuple[list[str], Place]:
        counter = self.name("k")
        header, bound = self.random.choice(
            [
                (f"for (unsigned {counter} = 0; {counter} < 3u; ++{counter})", ""),
                (f"for (unsigned {counter} = 1; {counter} < n; {counter} <<= 1)", ""),
                (f"for (int {counter} = 2; {counter} >= 0; --{counter})", ""),
                (f"while ({counter} < 3u)", f"unsigned {counter} = 0;"),
                ("do", f"unsigned {counter} = 0;"),
            ]
        )
        uniforms = place.uniforms if "int" in header.split()[1:2] else (*place.uniforms, f"(unsigned){counter}")
        jump = f"if (({self.uniform(place)} + {counter}) % 4u == 1u) break;" if self.random.random() < 0.3 else ""
        body = self.around(jump, place.inside(uniforms=uniforms), self.random.randint(2, 4))
        tail = [f"++{counter};"] if bound else []
        end = f"}} while ({counter} < 3u);" if header == "do" else "}"
        return [bound, header + " {", *tail, *body, end], place

    def make_joint_branch(self, place: Place) -> tuple[list[str], Place]:
        condition = f"({self.uniform(place)} & {self.random.choice(['1u', '3u', '6u'])}) {self.random.choice(['==', '!='])} 1u"
        lines = [f"if ({condition}) {{", *self.statements(place.inside(), self.random.randint(1, 3)), "}"]
        if self.random.random() < 0.5:
            lines += ["else {", *self.statements(place.inside(), self.random.randint(1, 3)), "}"]
        return lines, place

    def make_warp_branch(self, place: Place) -> tuple[list[str], Place]:
        inside = place.inside(block=False)
        condition = self.random.choice(["t < 32u", "(t / 32u) % 2u == 0u", f"((t >> 5) + {self.uniform(place)}) % 3u != 0u"])
        return [f"if ({condition}) {{", *self.statements(inside, self.random.randint(1, 3)), "}"], place

    def make_warp_loop(self, place: Place) -> tuple[list[str], Place]:
        """Each warp goes round as often as it likes."""
        counter = self.name("q")
        inside = place.inside(block=False, constants=(*place.constants, counter))
        jump = f"if ((t / 32u + {counter}) % 3u == 1u) {self.random.choice(['break', 'continue'])};" if self.random.random() < 0.5 else ""
        body = self.around(jump, inside, self.random.randint(1, 3))
        return [f"for (unsigned {counter} = 0; {counter} < t / 32u + 2u; ++{counter}) {{", *body, "}"], place

    def make_exchange(self, place: Place) -> tuple[list[str], Place]:
        target = self.random.choice(place.names)
        offset = self.random.choice(["1u", "7u", self.uniform(place), "n"])
        return [
            f"s[t] = {self.expression(place)};", "__syncthreads();",
            f"{target} {self.random.choice(['=', '+=', '^='])} s[(t + {offset}) % {self.size}u];", "__syncthreads();",
        ], place  # fmt: skip

    def make_count(self, place: Place) -> tuple[list[str], Place]:
        call = self.random.choice(["__syncthreads_count", "__syncthreads_or", "__syncthreads_and"])
        if self.random.random() < 0.3 and place.depth < 2:
            body = self.statements(place.inside(), self.random.randint(1, 2))
            return [f"if ({call}({self.condition(place)})) {{", *body, "}"], place
        return [f"{self.random.choice(place.names)} += {call}({self.condition(place)});"], place

    def make_turned(self, place: Place) -> tuple[list[str], Place]:
        target = self.random.choice(place.names)
        return [f"{target} ^= turned<{self.random.randint(1, 9)}>(s, t, {self.size}u, {self.expression(place)});"], place

    def make_leave(self, place: Place) -> tuple[list[str], Place]:
        if self.random.random() < 0.5:
            return [], place
        self.exited = True
        final = " + ".join(place.names)
        return [f"if ({self.condition(place)}) {{ out[g] = {final}; return; }}"], place

    def make_shuffle(self, place: Place) -> tuple[list[str], Place]:
        target, value = self.random.choice(place.names), self.expression(place)
        call = self.random.choice(
            [
                f"__shfl_sync(0xffffffffu, {value}, {self.random.randrange(32)})",
                f"__shfl_up_sync(0xffffffffu, {value}, {self.random.randrange(1, 9)})",
                f"__shfl_down_sync(0xffffffffu, {value}, {self.random.randrange(1, 20)}, 16)",
                f"__shfl_xor_sync(0xffffffffu, {value}, {self.random.randrange(1, 32)})",
                f"__shfl_sync(0xffffffffu, {value}, t + 5u, 8)",
                f"__reduce_{self.random.choice(['add', 'max', 'xor'])}_sync(0xffffffffu, {value})",
            ]
        )
        if self.random.random() < 0.3:
            name = self.name("y")
            return [f"unsigned {name} = {call};", f"if (t & 1u) {target} += {name};"], dataclasses.replace(
                place, names=(*place.names, name)
            )
        return [f"{target} {self.random.choice(['=', '+=', '^='])} {call} + {self.leaf(place)};"], place

    def make_vote(self, place: Place) -> tuple[list[str], Place]:
        call = self.random.choice(["__ballot_sync", "__any_sync", "__all_sync"])
        target = self.random.choice(place.names)
        if self.random.random() < 0.3 and place.depth < 2:
            body = self.statements(place.inside(block=False), self.random.randint(1, 2))
            return [f"if ({self.random.choice(['__any_sync', '__all_sync'])}(0xffffffffu, {self.condition(place)})) {{", *body, "}"], place
        if self.random.random() < 0.3:
            return [f"{target} ^= __match_any_sync(0xffffffffu, {self.expression(place)} & 3u);"], place
        return [f"{target} += {call}(0xffffffffu, {self.condition(place)});"], place

    def make_warp_total(self, place: Place) -> tuple[list[str], Place]:
        return [f"{self.random.choice(place.names)} += warp_total({self.expression(place)});"], place


def program(seeds: range) -> tuple[str, list[tuple[str, int, bool]]]:
    """A program of one kernel for each seed; and the kernels' names, block sizes, and whether blocks are flat."""
    texts, described = [HELPERS], []
    for seed in seeds:
        generator = Generator(seed)
        name = f"kernel_{seed}"
        texts.append(generator.kernel(name))
        described.append((name, generator.size, generator.flat))
    return "\n\n".join(texts), described
