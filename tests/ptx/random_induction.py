"""Random PTX kernels of loops that count: at the edges of their types, upwards and down, with and without a branch
around them, with registers that move along, and with limits that all threads have in common or each has for itself.

A kernel `k<seed>(in, common, out)` takes the same parameters as those of random_flow.py. Every loop ends: its trip
count is computed here, for every first value and limit that it may get.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["module"]

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
WORDS, MAX_ITERATIONS = 64, 14
NARROW, WIDE = 8, 6
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def module(seeds: Sequence[int]) -> str:
    """Return a module with the kernels of some seeds."""
    return HEAD + "\n".join(_Kernel(seed).text() for seed in seeds)


@dataclass
class _Number:
    """An operand, and all that it may be."""

    text: str
    values: tuple[int, ...]


class _Kernel:
    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._chance = random.Random(f"counting {seed}")  # noqa: S311
        self._lines: list[str] = []
        self._declared: list[str] = []
        self._names = 0
        self._barriers = self._chance.random() < 0.5

    def text(self) -> str:
        self._begin()
        for _ in range(self._chance.randint(1, 3)):
            self._loop(2, together=True)
        self._end()
        return "\n".join((
            f".visible .entry k{self._seed}(.param .u64 in, .param .u64 common, .param .u64 out)", "{",
            f"\t.reg .b32 %x<{NARROW}>, %t<4>; .reg .b64 %y<{WIDE}>, %a<6>; .reg .pred %p<4>;",
            *(f"\t.reg .{type_} {name};" for type_, name in (declaration.split() for declaration in self._declared)),
            "\t.shared .align 8 .b8 tile[1024];", *self._lines, "\tret;", "}",
        ))  # fmt: skip

    def _add(self, *lines: str) -> None:
        self._lines += [line if line.endswith(":") else f"\t{line};" for line in lines]

    def _new(self, type_: str, letter: str) -> str:
        self._names += 1
        self._declared.append(f"{type_} %{letter}{self._names}")
        return f"%{letter}{self._names}"

    def _label(self, what: str) -> str:
        self._names += 1
        return f"{what}{self._names}"

    def _begin(self) -> None:
        self._add(
            "ld.param.u64 %a1, [in]", "cvta.to.global.u64 %a1, %a1", "mov.u32 %t0, %tid.x", "mov.u32 %t1, %ctaid.x",
            "mov.u64 %a2, tile", "mul.wide.u32 %a3, %t0, 16", "add.s64 %a3, %a2, %a3",
            "st.shared.v4.u32 [%a3], {%t0, %t1, 7, 9}", "bar.sync 0",
        )  # fmt: skip
        for number in range(NARROW):
            self._add(f"mad.lo.s32 %x{number}, %t0, {2 * number + 1}, {number * 77}")
        for number in range(WIDE):
            self._add(f"ld.global.u64 %y{number}, [%a1+{8 * number}]")

    def _end(self) -> None:
        self._add("ld.param.u64 %a4, [out]", "mad.lo.s32 %t2, %t1, 64, %t0", f"mul.wide.u32 %a5, %t2, {4 * WORDS}")
        self._add("add.s64 %a4, %a4, %a5", "bar.sync 0", "ld.shared.u64 %y0, [%a3+8]")
        for number in range(NARROW):
            self._add(f"st.global.u32 [%a4+{4 * number}], %x{number}")
        for number in range(WIDE):
            self._add(f"st.global.u64 [%a4+{64 + 8 * number}], %y{number}")

    # Numbers.

    def _number(self, type_: str, value: int, spread: int, *, together: bool) -> _Number:
        """An operand near to a value: a literal, or a register that is a little more than it."""
        bits, how = int(type_[1:]), self._chance.random()
        if how < 0.5 or spread == 0:
            return _Number(str(_of(type_, value)), (_of(type_, value),))
        name = self._new(f"b{bits}", "n")
        if how < 0.6:
            self._add(f"mov.u{bits} {name}, {value & ((1 << bits) - 1)}")
            return _Number(name, (_of(type_, value),))
        source = self._new("b32", "n")
        if together:
            self._add(f"ld.global.u32 {source}, [%a1+{4 * self._chance.randrange(32)}]")
        else:
            self._add(f"add.s32 {source}, %t0, {self._chance.randrange(9)}")
        self._add(f"and.b32 {source}, {source}, {spread}")
        if bits == 64:
            self._add(f"cvt.u64.u32 {name}, {source}")
        else:
            self._add(f"mov.u32 {name}, {source}")
        self._add(f"add.s{bits} {name}, {name}, {_of('s' + type_[1:], value)}")
        low = [part for part in range(spread + 1) if part & spread == part]
        return _Number(name, tuple(_of(type_, value + part) for part in low))

    def _bounds(self, type_: str, together: bool) -> tuple[str, int, _Number, _Number]:
        """A comparison, a step, a first value and a limit with which the loop ends soon."""
        chance = self._chance
        while True:
            compared = chance.choice(("lt", "lt", "le", "gt", "ge", "ne", "ne", "eq"))
            step = chance.choice((1, 1, 1, 2, 3, 4, 8, -1, -1, -2, -4))
            bits = int(type_[1:])
            base = chance.choice((0, 0, 0, 1, 5, -3, (1 << (bits - 1)) - 6, (1 << (bits - 1)) + 3, (1 << bits) - 7))
            away = chance.choice((-1, 0, 1, 2, 3, 5, 8)) * step + chance.choice((0, 0, 0, 1))
            spreads = [chance.choice((0, 1, 3, 4)) for _ in range(2)]
            bounds = len(self._lines), len(self._declared)
            first = self._number(type_, base, spreads[0], together=together)
            limit = self._number(type_, base + away, spreads[1], together=together)
            if all(_rounds(type_, compared, step, begin, end) for begin in first.values for end in limit.values):
                return compared, step, first, limit
            del self._lines[bounds[0] :], self._declared[bounds[1] :]

    # Statements.

    def _loop(self, depth: int, together: bool) -> None:
        chance = self._chance
        stays = together and chance.random() < 0.6
        if chance.random() < 0.3:
            self._remaining(depth, stays)
            return
        type_ = chance.choice(("s32", "s32", "u32", "s64", "u64"))
        bits = int(type_[1:])
        compared, step, first, limit = self._bounds(type_, stays)
        counter, head, end = self._new(f"b{bits}", "k"), self._label("LOOP"), self._label("END")
        along = [self._moving(step, type_) for _ in range(chance.randint(0, 3))]
        self._add(f"mov.b{bits} {counter}, {first.text}")
        guard = chance.random()
        if (guard < 0.6 and first.text.startswith("%")) or guard < 0.3:
            source = chance.choice((counter, first.text if first.text.startswith("%") else counter))
            self._add(f"setp.{_OPPOSITE[compared]}.{type_} %p0, {source}, {limit.text}", f"@%p0 bra {end}")
        elif guard < 0.8 and limit.text.startswith("%"):
            near = _of(type_, limit.values[0] + chance.randint(0, 1))
            self._add(
                f"setp.{chance.choice(('lt', 'gt', 'le', 'eq'))}.{type_} %p0, {limit.text}, {near}", f"@%p0 bra {end}"
            )
        self._add(f"{head}:")
        moved: set[str] = set()
        for _ in range(chance.randint(1, 4)):
            self._use(counter, bits)
            for name, width, by in along:
                if chance.random() < 0.7:
                    self._use(name, width)
                if name not in moved and chance.random() < 0.3:
                    self._add(f"add.s{width} {name}, {name}, {by}")
                    moved.add(name)
            self._some(depth, stays, end)
        for name, width, by in along:
            if name not in moved:
                self._add(f"add.s{width} {name}, {name}, {by}")
        self._again(type_, compared, step, counter, limit, head)
        self._add(f"{end}:")
        for name, width in ((counter, bits), *((name, width) for name, width, _ in along)):
            if chance.random() < 0.2:
                self._use(name, width)

    def _remaining(self, depth: int, together: bool) -> None:
        """Add a loop as Numba makes it from range: the next number, the remaining count, and the test of the latter."""
        chance, bits = self._chance, self._chance.choice((32, 64, 64))
        number, sign = f"s{bits}", self._chance.choice(("gt", "gt", "ne"))
        base = chance.choice((0, 1, 3, 7) if sign == "ne" else (-9, -1, 0, 1, 3, 7))
        remain, ahead, now = (self._new(f"b{bits}", "q") for _ in range(3))
        head, end = self._label("LOOP"), self._label("END")
        step, first = chance.choice((1, 1, 3, -2, 128)), chance.choice((0, 0, 5, -4))
        behind = first + step + chance.choice((0, 0, 0, 0, 1))  # not where a compiler has it
        value = self._number(number, base, chance.choice((0, 1, 3, 4)), together=together)
        self._add(
            f"mov.b{bits} {remain}, {value.text}", f"mov.b{bits} {now}, {first}", f"mov.b{bits} {ahead}, {behind}"
        )
        if chance.random() < 0.5:
            self._add(f"setp.lt.{number} %p0, {remain}, {chance.choice((0, 1))}", f"@%p0 bra {end}")
        copies, asks_late = chance.choice((1, 1, 1, 2, 4)), chance.random() < 0.2
        if copies > 1 and sign == "ne":
            remain_first = copies * chance.randint(1, 3) - chance.choice((1, 1, 1, 0))
            self._add(f"mov.b{bits} {remain}, {remain_first}")
            sign = "ne" if (remain_first + 1) % copies == 0 else "gt"
        self._add(f"{head}:")
        counted, following, current, predicate = remain, ahead, now, "%p1"
        for copy in range(copies):
            kept, one, two = (self._new(f"b{bits}", "q") for _ in range(3))
            predicate, last = self._new("pred", "o"), copy == copies - 1
            self._add(f"mov.b{bits} {kept}, {following}")
            self._use(current, bits)
            if chance.random() < 0.3:
                self._use(chance.choice((following, kept, counted)), bits)
            if copy == 0:
                self._some(depth, together, end)
            question = f"setp.{sign}.{number} {predicate}, {counted}, 0"
            more = (ahead, remain) if last else (self._new(f"b{bits}", "q"), self._new(f"b{bits}", "q"))
            if asks_late:
                self._add(f"add.s{bits} {more[0]}, {kept}, {step}", question)
            else:
                self._add(
                    question, f"selp.b{bits} {one}, {step}, 0, {predicate}", f"add.s{bits} {more[0]}, {kept}, {one}"
                )
            least = chance.choice((0, 0, 0, 1)) if last else 0
            self._add(f"selp.b{bits} {two}, -1, {least}, {predicate}")
            self._add(f"add.s{bits} {more[1]}, {counted}, {two}")
            if last:
                self._add(f"mov.b{bits} {now}, {kept}")
                break
            current = self._new(f"b{bits}", "q")
            self._add(f"selp.b{bits} {current}, {kept}, 0, {predicate}")
            following, counted = more
        self._add(f"@{predicate} bra {head}", f"{end}:")
        for name in (remain, ahead, now):
            if chance.random() < 0.15:
                self._use(name, bits)

    def _again(self, type_: str, compared: str, step: int, counter: str, limit: _Number, head: str) -> None:
        """The end of a round: the step and the test, in the ways that compilers write them."""
        chance, bits = self._chance, int(type_[1:])
        step_type = f"{chance.choice('su')}{bits}"
        moved = f"add.{step_type} {counter}, {counter}, {_of(step_type, step)}"
        if chance.random() < 0.2:
            moved = f"sub.s{bits} {counter}, {counter}, {-step}"
        self._add(moved)
        if chance.random() < 0.1:
            self._use(counter, bits)
        turned = chance.random() < 0.3
        sign = _OPPOSITE[compared] if turned else compared
        sides = (counter, limit.text)
        if chance.random() < 0.2 and limit.text.startswith("%"):
            sign, sides = _MIRRORED[sign], (limit.text, counter)
        self._add(f"setp.{sign}.{type_} %p1, {sides[0]}, {sides[1]}", f"@{'!' if turned else ''}%p1 bra {head}")

    def _moving(self, step: int, type_: str) -> tuple[str, int, str]:
        """A register that moves along with a loop: its name, its width, and by how much."""
        chance = self._chance
        width = chance.choice((32, 64))
        name = self._new(f"b{width}", "m")
        if width == 64 and chance.random() < 0.4:
            self._add("and.b32 %t3, %t0, 7", "mul.wide.u32 %a4, %t3, 4", f"add.s64 {name}, %a1, %a4")
        else:
            own = f"%x{chance.randrange(NARROW)}" if width == 32 else f"%y{chance.randrange(WIDE)}"
            self._add(f"mov.b{width} {name}, {chance.choice((own, '0', str((1 << (width - 1)) - 3)))}")
        if chance.random() < 0.2 and int(type_[1:]) == width:
            by = self._new(f"b{width}", "d")
            self._add(f"mov.b{width} {by}, {'%t1' if width == 32 else '%y5'}")
            return name, width, by
        return name, width, str(step * chance.choice((1, 2, 4, 4, 16, -4)) + chance.choice((0, 0, 0, 1)))

    def _use(self, name: str, bits: int) -> None:
        chance = self._chance
        number = chance.randrange(NARROW) if bits == 32 else chance.randrange(WIDE - 1)
        kind = chance.random()
        if kind < 0.5:
            own = f"%x{number}" if bits == 32 else f"%y{number}"
            self._add(f"mad.lo.s{bits} {own}, {own}, 31, {name}")
        elif bits == 32:
            self._add(f"and.b32 %t3, {name}, 31", "mul.wide.u32 %a4, %t3, 4", "add.s64 %a4, %a1, %a4")
            self._add("ld.global.u32 %t3, [%a4]", f"xor.b32 %x{number}, %x{number}, %t3")
        elif kind < 0.8:
            self._add(f"and.b64 %a4, {name}, 1008", "add.s64 %a4, %a2, %a4", "ld.shared.u32 %t3, [%a4]")
            self._add(f"add.s32 %x{number}, %x{number}, %t3")
        else:
            self._add(f"cvt.u32.u64 %t3, {name}", f"mad.lo.s32 %x{number}, %t3, 5, %x{number}")

    def _some(self, depth: int, together: bool, end: str) -> None:
        chance = self._chance
        kind = chance.random()
        if kind < 0.15 and together and self._barriers:
            number = chance.randrange(NARROW)
            self._add("bar.sync 0", f"st.shared.u32 [%a3+8], %x{number}", "bar.sync 0")
        elif kind < 0.35 and depth:
            self._loop(depth - 1, together)
        elif kind < 0.45 and not (self._barriers and together):
            self._add(f"setp.gt.u32 %p2, %x{chance.randrange(NARROW)}, {chance.randrange(1 << 32)}", f"@%p2 bra {end}")
        elif kind < 0.6:
            other = self._label("OTHER")
            self._add(f"setp.gt.s32 %p3, %x{chance.randrange(NARROW)}, {chance.randrange(99)}", f"@%p3 bra {other}")
            self._add(f"add.s32 %x{chance.randrange(NARROW)}, %x0, {chance.randrange(99)}", f"{other}:")


def _of(type_: str, value: int) -> int:
    bits = int(type_[1:])
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value


def _rounds(type_: str, compared: str, step: int, first: int, limit: int) -> int:
    """Return the trip count of a loop that is tested last, 0 where it is too large."""
    value = first
    for count in range(1, MAX_ITERATIONS + 1):
        value = _of(type_, value + step)
        goes_on = {
            "lt": value < limit, "le": value <= limit, "gt": value > limit, "ge": value >= limit,
            "eq": value == limit, "ne": value != limit,
        }[compared]  # fmt: skip
        if not goes_on:
            return count
    return 0
