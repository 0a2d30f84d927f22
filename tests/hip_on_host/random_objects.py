"""Random classes whose objects hold their own address, and kernels that keep such objects across barriers.

The number of a program is its seed. Integers alone are computed, each thread's by itself, so every form of a kernel must
leave the same bits.
"""

from __future__ import annotations

import dataclasses
import random

import numpy as np

from tests.hip_on_host.program_outcomes import Launch, Program

GRID, BLOCK, N = 2, 64, 3
KERNELS, CLASSES = 6, 6


@dataclasses.dataclass(frozen=True)
class Class:
    """A class of the program, and uses of its objects; `{o}` stands for an object, `{x}` for a first value."""

    name: str
    definition: str
    declarations: tuple[str, ...]  # `T {o}(…);` in the forms that the class has
    maker: str  # an expression of its type, which an array's list or a member's first value may hold
    numbers: tuple[str, ...]  # integers of an object, by their names or through pointers and references


def program(seed: int) -> Program:
    """Some kernels over some classes."""
    draw = random.Random(seed)  # noqa: S311 - repeatable on purpose
    classes: list[Class] = []
    for number in range(CLASSES):
        classes.append(_class(draw, f"C{number}", classes))
    names = [f"objects_{seed}_{number}" for number in range(KERNELS)]
    text = "".join(one.definition for one in classes) + "".join(_kernel(draw, name, classes) for name in names)
    out = np.arange(GRID * BLOCK, dtype=np.int32)
    launches = tuple(Launch(name, (out, np.int32(N)), (GRID, 1, 1), (BLOCK, 1, 1)) for name in names)
    return Program(text, launches, ("-std=c++17",))


def _class(draw: random.Random, name: str, others: list[Class]) -> Class:
    members, firsts, body = [("int v;", "v")], ["v(x)"], []
    numbers = ["{o}.v"]
    if others and draw.random() < 0.6:
        inner = draw.choice(others)
        members.append((f"{inner.name} m;", "m"))
        firsts.append(f"m({inner.maker.format(x='x + 1')})")
        numbers += [number.format(o="{o}.m") for number in inner.numbers]
    if draw.random() < 0.4:
        members.append(("int a[3];", "a"))
        firsts.append("a{x, x * 2, x + 3}")
        numbers.append("{o}.a[1]")
    base = draw.choice(others) if others and draw.random() < 0.4 else None
    if base:
        firsts.insert(0, base.maker.format(x="x - 1"))  # not of a temporary: that would be a copy
        numbers += [number.format(o=f"static_cast<{base.name}&>({{o}})") for number in base.numbers]
    targets = [number.format(o="(*this)") for number in numbers]
    aggregate = not base and len(members) == 1 and draw.random() < 0.5
    for place in range(draw.randrange(1, 4)):
        kind, part = draw.choice(("pointer", "self", "reference", "late", "method")), f"k{place}"
        target = draw.choice(targets)
        if kind == "self":
            members.append((f"{name}* {part} = this;", part))
            numbers.append("{o}." + part + "->v")
        elif kind == "reference" and not aggregate:
            members.append((f"int& {part};", part))
            firsts.append(f"{part}({target})")
            numbers.append("{o}." + part)
        else:
            first = f" = &{target}" if aggregate or kind == "pointer" else ""
            members.append((f"int* {part}{first};", part))
            numbers.append("*{o}." + part)
            if not first:
                body.append(f"{part} = &{target};" if kind == "late" else f"point({part}, {target});")
    lines = [f"struct {name}{f' : {base.name}' if base else ''} {{", *("    " + text for text, _ in members)]
    if aggregate:
        declarations: tuple[str, ...] = (
            f"{name} {{o}}{{{{{{x}}}}}};",
            f"{name} {{o}} = {{{{{{x}}}}}};",
            f"auto {{o}} = {name}{{{{{{x}}}}}};",
        )
        maker = f"{name}{{{{{{x}}}}}}"
    else:
        explicit = draw.choice(("", "explicit "))
        lines.append("    __device__ void point(int*& where, int& what) { where = &what; }")
        lines.append(f"    __device__ {explicit}{name}(int x) : {', '.join(firsts)} {{ {' '.join(body)} }}")
        declarations = (f"{name} {{o}}({{x}});", f"{name} {{o}}{{{{{{x}}}}}};", f"{name} {{o}} = {name}({{x}});", f"auto {{o}} = {name}({{x}});")  # fmt: skip
        if not explicit:
            declarations += (f"{name} {{o}} = {{x}};", f"{name} {{o}} = {{{{{{x}}}}}};")
        maker = f"{name}({{x}})"
    return Class(name, "\n".join(lines) + "\n};\n", declarations, maker, tuple(numbers))


def _kernel(draw: random.Random, name: str, classes: list[Class]) -> str:
    lines = [f'extern "C" __global__ void {name}(int* out, int n) {{', "int sum = threadIdx.x;"]
    depth = 0
    known: list[tuple[int, str, Class]] = []
    for step in range(draw.randrange(8, 16)):
        choice = draw.random()
        if choice < 0.35 or not known:
            lines.append(_declaration(draw, depth, f"o{step}", draw.choice(classes), known))
        elif choice < 0.55:
            lines.append("__syncthreads();")
        elif choice < 0.65 and depth < 2:
            lines.append(draw.choice((f"for (int i{step} = 0; i{step} < n; ++i{step}) {{", "if (n > 2) {", "{")))
            depth += 1
        elif choice < 0.72 and depth:
            depth -= 1
            known = [one for one in known if one[0] <= depth]
            lines.append("}")
        else:
            _, place, kind = draw.choice(known)
            number = draw.choice(kind.numbers).format(o=place)
            lines.append(draw.choice((f"{number} += sum % 7 + n;", f"sum = sum * 3 % 1009 + {number};", f"if (sum & 1) {number} ^= 5;")))  # fmt: skip
        if draw.random() < 0.3:
            lines.append("__syncthreads();")
    lines += ["}"] * depth + ["__syncthreads();"]
    for level, place, kind in known:
        if level == 0:
            lines += [f"sum = sum * 3 % 1009 + {number.format(o=place)};" for number in kind.numbers]
    return "\n".join([*lines, f"out[blockIdx.x * {BLOCK} + threadIdx.x] = sum;", "}\n"])


def _declaration(draw: random.Random, depth: int, name: str, kind: Class, known: list[tuple[int, str, Class]]) -> str:
    first = draw.choice(("sum % 50", "(int)threadIdx.x + 1", "n"))
    if draw.random() < 0.25:
        known += [(depth, f"{name}[0]", kind), (depth, f"{name}[1]", kind)]
        return f"{kind.name} {name}[2] = {{{', '.join(kind.maker.format(x=first) for _ in range(2))}}};"
    known.append((depth, name, kind))
    return draw.choice(kind.declarations).format(o=name, x=first)
