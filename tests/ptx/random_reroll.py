"""Random PTX kernels of ranges that differ from thread to thread, unrolled as NVVM does it.

A kernel `k<seed>(in, common, out)` takes the same parameters as those of random_flow.py. Half of them are changed in
one place, so that the loops no longer behave as a range does, and have to stay as they are. Every loop ends: the
remaining count goes down to zero.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["module"]

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
WORDS = 64
FIRSTS = ("thread", "grid", "further")
RIGHT = -1
CHANGES = (
    "a range that is empty goes round", "nothing left is something", "the wrong rest", "one round too many", "entered too early",
    "left too early", "a number is left out", "the numbers fall behind", "another term", "another factor",
    "another address", "what remains is wanted",
)  # fmt: skip
KINDS = ("sum", "number", "square", "mixed", "store", "last")
STEPS = ("grid", "block", "1", "8", "128", "5")


def module(seeds: Sequence[int], change: int | None = None) -> str:
    """Return a module with the kernels of some seeds; `change` is the place of CHANGES where they are wrong, or RIGHT."""
    return HEAD + "\n".join(_Kernel(seed, change).text() for seed in seeds)


class _Kernel:
    def __init__(self, seed: int, change: int | None) -> None:
        self._seed = seed
        self._chance = chance = random.Random(f"unrolled {seed}")  # noqa: S311
        self._times = chance.choice((2, 4, 4, 4, 8))
        self._lines: list[str] = []
        self._names = 0
        self._declared: list[str] = []
        self._body = [chance.choice(KINDS) for _ in range(chance.randint(1, 3))]
        self._step = chance.choice(STEPS)
        self._wrong = chance.randrange(len(CHANGES)) if chance.random() < 0.5 else RIGHT
        if change is not None:
            self._wrong = change
        if change not in (None, RIGHT):
            # Every kind of loop body that a change may be in is there.
            self._body, self._step, self._times = list(KINDS), "grid", 4

    def text(self) -> str:
        self._begin()
        self._count()
        self._rest()
        self._main()
        self._add("DONE:")
        self._end()
        return "\n".join((
            f".visible .entry k{self._seed}(.param .u64 in, .param .u64 common, .param .u64 out)", "{",
            "\t.reg .b32 %t<6>, %x, %v, %w<4>; .reg .b64 %a<6>, %n, %i, %s, %c, %r, %y, %z; .reg .f32 %f, %g;",
            "\t.reg .pred %p<6>; .reg .b64 %d, %q, %m, %e, %now, %ahead, %next, %turn;",
            *(f"\t.reg .{declaration};" for declaration in self._declared), *self._lines, "\tret;", "}",
        ))  # fmt: skip

    def _add(self, *lines: str) -> None:
        self._lines += [line if line.endswith(":") else f"\t{line};" for line in lines]

    def _new(self, type_: str) -> str:
        self._names += 1
        self._declared.append(f"{type_} %n{self._names}")
        return f"%n{self._names}"

    def _or(self, place: int, right: str, wrong: str) -> str:
        return wrong if self._wrong == place else right

    def _begin(self) -> None:
        chance = self._chance
        self._add(
            "ld.param.u64 %a1, [in]", "ld.param.u64 %a2, [out]", "mov.u32 %t0, %tid.x", "mov.u32 %t1, %ctaid.x",
            "mov.u32 %t2, %ntid.x", "mov.u32 %t3, %nctaid.x", "mad.lo.s32 %t4, %t1, 64, %t0",
            f"mul.wide.u32 %a3, %t4, {4 * WORDS}", "add.s64 %a2, %a2, %a3", "mov.u32 %x, 7", "mov.u64 %y, 11",
            "mov.u32 %v, 3", "mov.f32 %f, 0f3F800000",
            f"ld.global.u32 %t5, [%a1+{4 * chance.randrange(32)}]", f"and.b32 %t5, %t5, {chance.choice((7, 63, 255, 1023))}",
            f"sub.s32 %t5, %t5, {chance.choice((0, 0, 0, 4, 90))}", "cvt.s64.s32 %n, %t5", "cvt.s64.s32 %a4, %t0",
        )  # fmt: skip
        first = chance.choice(FIRSTS)
        if first == "thread":
            self._add("mov.b64 %i, %a4")
        elif first == "grid":
            self._add("mul.wide.s32 %a5, %t2, %t1", "add.s64 %i, %a5, %a4")
        else:
            self._add(f"add.s64 %i, %a4, {chance.choice((1, 3, 70))}")
        if self._step == "grid":
            self._add("mul.wide.s32 %s, %t2, %t3")
        elif self._step == "block":
            self._add("cvt.s64.s32 %s, %t2")

    def _count(self) -> None:
        """Compute the trip count, %c, and the rounds behind the first, %r."""
        step = "%s" if self._step in ("grid", "block") else self._step
        sign = self._or(0, "gt", "ge")
        self._add("sub.s64 %d, %n, %i", f"setp.{sign}.s64 %p0, %d, 0", "mov.u64 %c, 0")
        if step == "1":
            self._add("selp.b64 %c, %d, 0, %p0")
        elif step in ("8", "128"):
            self._add(
                f"shr.u64 %q, %d, {int(step).bit_length() - 1}", f"and.b64 %m, %d, {int(step) - 1}",
                "setp.ne.s64 %p1, %m, 0", "selp.u64 %e, 1, 0, %p1", "add.s64 %q, %q, %e", "selp.b64 %c, %q, 0, %p0",
            )  # fmt: skip
        else:
            self._add("@!%p0 bra COUNTED")
            if step == "%s" and self._chance.random() < 0.7:
                self._add(
                    "or.b64 %m, %d, %s", "and.b64 %m, %m, -4294967296", "setp.eq.s64 %p1, %m, 0", "@%p1 bra SHORT"
                )
            self._add(f"div.s64 %q, %d, {step}", f"mul.lo.s64 %m, %q, {step}", "sub.s64 %m, %d, %m")
            if step == "%s":
                self._add(
                    "bra.uni DIVIDED", "SHORT:", "cvt.u32.u64 %w0, %s", "cvt.u32.u64 %w1, %d", "div.u32 %w2, %w1, %w0",
                    "mul.lo.s32 %w3, %w2, %w0", "sub.s32 %w3, %w1, %w3", "cvt.u64.u32 %q, %w2", "cvt.u64.u32 %m, %w3",
                    "DIVIDED:",
                )  # fmt: skip
            sign = self._or(1, "gt", "ge")
            self._add(f"setp.{sign}.s64 %p1, %m, 0", "selp.u64 %e, 1, 0, %p1", "add.s64 %c, %q, %e", "COUNTED:")
        self._add(
            "setp.gt.s64 %p1, %c, 0", "selp.b64 %e, -1, 0, %p1", "add.s64 %r, %c, %e", "setp.lt.s64 %p1, %c, 1",
            "@%p1 bra DONE",
        )  # fmt: skip

    def _rest(self) -> None:
        step = self._step_text()
        mask = self._times - 1
        self._add(
            f"and.b64 %m, %c, {self._or(2, str(mask), str(mask + 1))}", "mov.b64 %now, %i", f"add.s64 %next, %i, {step}",
            "setp.eq.s64 %p1, %m, 0", "@%p1 bra ASK", "neg.s64 %turn, %m", f"add.s64 %ahead, %i, {step}",
        )  # fmt: skip
        if self._wrong == 3:
            self._add("add.s64 %turn, %turn, -1")
        self._add("ONE:")
        self._round("%i", -1)
        self._add(
            "setp.gt.s64 %p2, %r, 0", "selp.b64 %e, -1, 0, %p2", "add.s64 %r, %r, %e", "selp.b64 %i, %ahead, 0, %p2",
            f"add.s64 %now, %now, {step}", f"add.s64 %ahead, %ahead, {step}", "add.s64 %turn, %turn, 1",
            "setp.ne.s64 %p2, %turn, 0", "@%p2 bra ONE", "ASK:",
        )  # fmt: skip
        self._add("sub.s64 %m, %c, 1", f"setp.lt.u64 %p1, %m, {self._or(4, str(mask), str(mask - 1))}", "@%p1 bra DONE")

    def _step_text(self) -> str:
        return "%s" if self._step in ("grid", "block") else self._step

    def _main(self) -> None:
        step = self._step_text()
        self._add("MANY:")
        current, number, remaining = "%i", "%now", "%r"
        for copy in range(self._times):
            self._round(current, copy)
            predicate, less, now, is_last = (
                self._new("pred"),
                self._new("b64"),
                self._new("b64"),
                copy == self._times - 1,
            )
            self._add(f"setp.gt.s64 {predicate}, {remaining}, {self._or(5, '0', str(self._times)) if is_last else '0'}")
            self._add(f"selp.b64 {less}, -1, 0, {predicate}")
            next_remaining = "%r" if is_last else self._new("b64")
            self._add(f"add.s64 {next_remaining}, {remaining}, {less}", f"add.s64 {now}, {number}, {step}")
            if copy == self._times - 2 and self._wrong == 6:
                self._add(f"add.s64 {now}, {now}, 1")
            if is_last:
                self._add(f"mov.b64 %i, {now}", f"mov.b64 %now, {self._or(7, now, number)}", f"@{predicate} bra MANY")
                return
            selected = self._new("b64")
            self._add(f"selp.b64 {selected}, {now}, 0, {predicate}")
            current, number, remaining = selected, now, next_remaining

    def _round(self, number: str, copy: int) -> None:
        """Add the body of a round with its number; `copy` is the place in the unrolled loop, -1 in the other one."""
        changed = copy == self._times - 1
        for kind in self._body:
            offset, place, value = self._new("b64"), self._new("b64"), self._new("b32")
            self._add(
                f"shr.s64 {offset}, {number}, 63",
                f"and.b64 {offset}, {offset}, %n",
                f"add.s64 {offset}, {offset}, {number}",
                f"and.b64 {offset}, {offset}, 31",
                f"shl.b64 {offset}, {offset}, 2",
                f"add.s64 {place}, %a1, {offset}",
            )
            self._add(f"ld.global.u32 {value}, [{place}]")
            if kind == "sum":
                self._add(
                    f"cvt.rn.f32.u32 %g, {value}", f"add.f32 %f, %f, {'%f' if changed and self._wrong == 8 else '%g'}"
                )
            elif kind == "number":
                self._add(f"mad.lo.s64 %y, %y, {'33' if changed and self._wrong == 9 else '31'}, {number}")
            elif kind == "square":
                self._add(f"mad.lo.s32 %x, {value}, {value}, %x")
            elif kind == "mixed":
                self._add(f"xor.b32 {value}, {value}, %x", f"mad.lo.s32 %x, {value}, 5, %x")
            elif kind == "store":
                to = self._new("b64")
                self._add(f"and.b64 {to}, {number}, 28", f"add.s64 {to}, %a2, {to}")
                self._add(f"st.global.u32 [{to}+{'132' if changed and self._wrong == 10 else '128'}], {value}")
            else:
                self._add(f"mov.u32 %v, {value}")

    def _end(self) -> None:
        self._add(
            "st.global.u32 [%a2], %x",
            "st.global.u64 [%a2+8], %y",
            "st.global.f32 [%a2+16], %f",
            "st.global.u32 [%a2+20], %v",
        )
        if self._wrong == 11:
            self._add("st.global.u64 [%a2+24], %r")
