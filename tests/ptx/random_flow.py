"""Random PTX kernels: nested loops and branches, or blocks that jump anywhere; joint operations where threads meet.

A kernel `k<seed>(in, common, out)` runs with any number of blocks of 64 threads: `in` has 64 words, `common` 64 bytes
that all threads change, `out` has `WORDS` words for each thread.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.ptx.forms import Form
from tests.ptx.random_code import POOLS, SIZES, Code, declarations, usable

__all__ = ["WORDS", "module"]

WORDS = 64
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b32 table[64] = {%s};\n"
_COMPARED = ("lt", "ge", "eq", "ne", "gt", "le")


def module(seeds: Sequence[int], forms: Sequence[Form]) -> str:
    """Return a module with the kernels of some seeds."""
    usable_forms = [form for form in forms if usable(form)]
    words = ", ".join(str(random.Random(number).randrange(1 << 32)) for number in range(64))  # noqa: S311
    return HEAD % words + "\n".join(_Kernel(seed, usable_forms).text() for seed in seeds)


class _Kernel:
    def __init__(self, seed: int, forms: Sequence[Form]) -> None:
        self._seed = seed
        self._chance = random.Random(f"PTX {seed}")  # noqa: S311
        # The forms of one kernel: its share of the table.
        self._forms = self._chance.sample(list(forms), 60)
        self._functions = [f"f{seed}_{number}" for number in range(self._chance.choice((0, 0, 1, 2)))]
        self._barriers = self._chance.random() < 0.5
        self._labels = 0
        self._counters = 0
        self._tables: list[str] = []

    def text(self) -> str:
        functions = [self._function(name) for name in self._functions]
        code = Code(self._chance, self._forms, self._functions)
        if self._chance.random() < 0.55:
            self._nested(code, 3, self._chance.randint(3, 6), together=True, loop=None)
        else:
            self._jumps(code)
        counters = f"\t.reg .b32 %k<{self._counters + 1}>;" if self._counters else ""
        return "\n".join((
            *functions, f".visible .entry k{self._seed}(.param .u64 in, .param .u64 common, .param .u64 out)", "{",
            declarations(self._chance, self._forms), "\t.reg .b32 %u<4>, %fuel; .reg .pred %c;", counters,
            "\t.shared .align 16 .b8 mine[4096];\n\t.shared .align 16 .b8 all[256];\n\t.local .align 16 .b8 own[64];",
            *self._tables, _begin(self._chance), *code.lines, "END:", _end(), "\tret;", "}",
        ))  # fmt: skip

    def _function(self, name: str) -> str:
        """A function that computes a b32 of a b32, with a branch in it."""
        code = Code(
            self._chance,
            [form for form in self._forms if set(form.operands) <= {"b32", "u32", "s32", "pred"}][:8] or self._forms,
        )
        lines = code.lines
        for number in range(POOLS["32"][1]):
            lines.append(
                f"\tmad.lo.u32 %r{number}, %r7, {2 * number + 3}, {self._chance.randrange(1 << 16)};"
                if number < 7
                else ""
            )
        lines[:0] = [
            "\tld.param.b32 %r7, [given];",
            *(f"\tsetp.lt.s32 %p{number}, %r7, {number * 1000};" for number in range(POOLS["pred"][1])),
        ]
        for _ in range(3):
            code.logic()
        lines.append(f"\tsetp.{self._chance.choice(_COMPARED)}.u32 %c, %r0, %r1;\n\t@%c bra OTHER;")
        for _ in range(2):
            code.logic()
        lines.append("OTHER:")
        code.logic()
        return "\n".join((f".func (.param .b32 made) {name}(.param .b32 given)", "{", declarations(self._chance, self._forms), "\t.reg .pred %c;",
                          *lines, "\txor.b32 %r0, %r0, %r3;\n\tst.param.b32 [made], %r0;\n\tret;", "}"))  # fmt: skip

    def _label(self, what: str) -> str:
        self._labels += 1
        return f"{what}{self._labels}"

    def _condition(self, code: Code, *, together: bool) -> None:
        """Set %c: alike in all threads of a block where they have to stay together."""
        chance = self._chance
        compared = chance.choice(_COMPARED)
        if together:
            self._step(code)
            code.lines.append(
                f"\tand.b32 %t9, %u0, {chance.choice((0x700, 0x3000, 0x10))};\n\tsetp.{compared}.u32 %c, %t9, {chance.choice((0, 0x200, 0x1000))};"
            )
            return
        kind = chance.randrange(4)
        if kind == 0:
            code.lines.append(
                f"\tand.b32 %t9, {code.register('32')}, {chance.choice((1, 3, 6))};\n\tsetp.{compared}.u32 %c, %t9, {chance.randrange(3)};"
            )
        elif kind == 1:
            code.lines.append(f"\tsetp.{compared}.s32 %c, {code.register('32')}, {code.operand('s32')};")
        elif kind == 2:
            code.lines.append(
                f"\tsetp.{compared}{chance.choice(('', 'u'))}.f32 %c, {code.register('f32')}, {code.operand('f32')};".replace(
                    "equ", "equ"
                )
            )
        else:
            code.lines.append(f"\txor.pred %c, {code.register('pred')}, {code.register('pred')};")

    def _step(self, code: Code) -> None:
        code.lines.append("\tmad.lo.u32 %u0, %u0, 1664525, 1013904223;")

    def _some(self, code: Code, together: bool) -> None:
        code.straight(self._chance.randint(1, 5))
        if together and self._barriers and self._chance.random() < 0.5:
            code.together()

    # Nested.

    def _nested(
        self, code: Code, depth: int, count: int, *, together: bool, loop: tuple[str, str, bool] | None
    ) -> None:
        """Statements; `loop` has the labels to leave and to go on with the loop around, and whether its threads stay together."""
        chance = self._chance
        for _ in range(count):
            self._some(code, together)
            kind = chance.random()
            if depth == 0 or kind < 0.15:
                continue
            if kind < 0.45:
                self._if(code, depth, together, loop)
            elif kind < 0.7:
                self._loop(code, depth, together)
            elif kind < 0.8:
                self._switch(code, depth, together, loop)
            elif kind < 0.93 and loop is not None and (together or not loop[2]):
                self._condition(code, together=loop[2])
                code.lines.append(f"\t@{chance.choice(('', '!'))}%c bra {chance.choice(loop[:2])};")
            elif kind > 0.97 and (together or not self._barriers):
                self._condition(code, together=together)
                code.lines.append(f"\t@%c {chance.choice(('bra END', 'ret', 'exit'))};")

    def _if(self, code: Code, depth: int, together: bool, loop: tuple[str, str, bool] | None) -> None:
        chance = self._chance
        stays = together and chance.random() < 0.5
        other, end = self._label("ELSE"), self._label("END")
        self._condition(code, together=stays)
        code.lines.append(f"\t@{chance.choice(('', '!'))}%c bra {other};")
        self._nested(code, depth - 1, chance.randint(1, 2), together=stays, loop=loop)
        if chance.random() < 0.5:
            code.lines.append(f"\tbra{chance.choice(('', '.uni')) if stays else ''} {end};\n{other}:")
            self._nested(code, depth - 1, chance.randint(1, 2), together=stays, loop=loop)
            code.lines.append(f"{end}:")
        else:
            code.lines.append(f"{other}:")

    def _loop(self, code: Code, depth: int, together: bool) -> None:
        chance = self._chance
        stays = together and chance.random() < 0.5
        head, end, again = self._label("LOOP"), self._label("END"), self._label("NEXT")
        counter = f"%k{self._counters}"
        self._counters += 1
        if stays:
            code.lines.append(f"\tmov.u32 {counter}, {chance.randint(1, 4)};")
        else:
            code.lines.append(f"\tand.b32 {counter}, {code.register('32')}, 3;\n\tadd.u32 {counter}, {counter}, 1;")
        first = chance.random() < 0.5
        code.lines.append(f"{head}:")
        if first:
            code.lines.append(f"\tsetp.eq.u32 %c, {counter}, 0;\n\t@%c bra {end};")
        self._nested(code, depth - 1, chance.randint(1, 2), together=stays, loop=(end, again, stays))
        code.lines.append(f"{again}:\n\tsub.u32 {counter}, {counter}, 1;")
        if first:
            code.lines.append(f"\tbra {head};")
        else:
            code.lines.append(f"\tsetp.ne.u32 %c, {counter}, 0;\n\t@%c bra {head};")
        code.lines.append(f"{end}:")

    def _switch(self, code: Code, depth: int, together: bool, loop: tuple[str, str, bool] | None) -> None:
        chance = self._chance
        stays = together and chance.random() < 0.5
        arms = [self._label("ARM") for _ in range(chance.randint(2, 4))]
        end = self._label("END")
        index = self._index(code, [chance.choice((*arms, end)) for _ in range(4)], stays)
        code.lines.append(index)
        for arm in arms:
            code.lines.append(f"{arm}:")
            self._nested(code, depth - 1, 1, together=stays, loop=loop)
            if chance.random() < 0.7:  # else it falls into the next
                code.lines.append(f"\tbra {end};")
        code.lines.append(f"{end}:")

    def _index(self, code: Code, targets: Sequence[str], together: bool) -> str:
        name = self._label("TABLE")
        self._tables.append(f"{name}: .branchtargets {', '.join(targets)};")
        if together:
            self._step(code)
        source = "%u0" if together else code.register("32")
        code.lines.append(f"\tshr.u32 %t9, {source}, {8 if together else 0};\n\tand.b32 %t9, %t9, {len(targets) - 1};")
        return f"\tbrx.idx{'.uni' if together else ''} %t9, {name};"

    # Blocks that jump.

    def _jumps(self, code: Code) -> None:
        """Blocks with any branches between them; the counter `%fuel` ends every loop."""
        chance = self._chance
        count = chance.randint(3, 9)
        together = self._barriers
        for number in range(count):
            code.lines.append(f"BLOCK{number}:")
            self._some(code, together)
            kind = chance.random()
            target = chance.randrange(count)
            if kind < 0.15:
                continue
            if kind < 0.7:
                self._condition(code, together=together)
                self._to(code, number, target, f"@{chance.choice(('', '!'))}%c ")
            elif kind < 0.8:
                targets = [chance.randrange(count) for _ in range(4)]
                if min(targets) <= number:
                    self._burn(code)
                code.lines.append(self._index(code, [f"BLOCK{blocks}" for blocks in targets], together))
            elif kind < 0.95:
                self._to(code, number, target, "")
            elif not together:
                code.lines.append("\texit;")
        code.lines.append("\tbra END;")

    def _burn(self, code: Code) -> None:
        code.lines.append("\tsub.u32 %fuel, %fuel, 1;\n\tsetp.eq.u32 %q6, %fuel, 0;\n\t@%q6 bra END;")

    def _to(self, code: Code, number: int, target: int, guard: str) -> None:
        if target <= number:
            self._burn(code)
        code.lines.append(f"\t{guard}bra BLOCK{target};")


def _begin(chance: random.Random) -> str:
    """Give every register a value, from the input and the thread's index."""
    lines = [
        "ld.param.u64 %a1, [in]", "cvta.to.global.u64 %a1, %a1", "ld.param.u64 %a5, [common]", "cvta.to.global.u64 %a5, %a5",
        "mov.u32 %t0, %tid.x", "mov.u32 %t8, %ctaid.x", "mov.u32 %t1, mine", "mad.lo.u32 %t1, %t0, 64, %t1",
        "mov.u32 %t4, all", "shl.b32 %t3, %t0, 2", "add.u32 %t2, %t3, %t4", "mov.u64 %a4, own", "mov.u64 %a2, table",
        "cvt.u64.u32 %a3, %t1", "cvta.shared.u64 %a3, %a3", f"mov.u32 %u0, {chance.randrange(1 << 32)}",
        "mad.lo.u32 %u0, %t8, 2654435761, %u0", f"mov.u32 %fuel, {chance.choice((5, 12, 24))}",
        "mad.lo.u32 %t9, %t8, 64, %t0",
    ]  # fmt: skip
    for offset in range(0, 64, 16):
        lines.append(f"st.local.v4.u32 [own+{offset}], {{%t0, %t8, %t1, {offset}}}".replace("%t1,", "%t9,"))
        lines.append(f"st.shared.v2.u64 [%t1+{offset}], {{{offset}, -1}}")
    place = 0
    for pool, (letter, count, _) in POOLS.items():
        for number in range(count):
            name, size = f"%{letter}{number}", SIZES[pool]
            # Each thread begins at another place of the input.
            lines.append(f"mad.lo.u32 %t10, %t9, {2 * place + 1}, {place}")
            lines.append("and.b32 %t10, %t10, 31")
            lines.append("mul.wide.u32 %a10, %t10, 8")
            lines.append("add.s64 %a10, %a10, %a1")
            place += 1
            if pool == "pred":
                lines += ["ld.global.u32 %t10, [%a10]", "and.b32 %t10, %t10, 64", f"setp.ne.u32 {name}, %t10, 0"]
            else:
                lines.append(f"ld.global.b{size} {name}, [%a10]")
    lines.append("bar.sync 0")
    return "\n".join(f"\t{line};" for line in lines)


def _end() -> str:
    """Write the values of the registers; every NaN is the same."""
    lines = [
        "mov.u32 %t10, %nctaid.x",
        f"mul.wide.u32 %a10, %t9, {4 * WORDS}",
        "ld.param.u64 %a11, [out]",
        "add.s64 %a10, %a10, %a11",
    ]
    lines[1:1] = ["mov.u32 %t8, %ctaid.x", "mov.u32 %t0, %tid.x", "mad.lo.u32 %t9, %t8, 64, %t0"]
    place = 0
    for pool, (letter, count, _) in POOLS.items():
        size = SIZES[pool]
        for number in range(count):
            name = f"%{letter}{number}"
            if pool == "pred":
                lines += [f"selp.u32 %t7, 1, 0, {name}", f"st.global.u32 [%a10+{place}], %t7"]
            elif pool in ("f16x2", "bf16x2"):
                lines.append(f"mov.b32 {{%s0, %s1}}, {name}")
                for half in (0, 1):
                    lines += [f"setp.nan.{pool[:-2]} %q7, %s{half}, %s{half}", f"@%q7 mov.b16 %s{half}, 0x7FFF"]
                lines += ["mov.b32 %t7, {%s0, %s1}", f"st.global.b32 [%a10+{place}], %t7"]
            elif pool in ("f32", "f64", "f16", "bf16"):
                spare = {16: "%s0", 32: "%t7", 64: "%a7"}[size]
                lines += [
                    f"setp.nan.{pool} %q7, {name}, {name}",
                    f"mov.b{size} {spare}, {name}",
                    f"@%q7 mov.b{size} {spare}, 0x7FFF",
                ]
                lines.append(f"st.global.b{size} [%a10+{place}], {spare}")
            else:
                lines.append(f"st.global.b{size} [%a10+{place}], {name}")
            place += 8 if size == 64 else 4
            assert place <= 4 * WORDS - 8
        place += place % 8
    lines += [
        "ld.shared.u32 %t7, [%t1+20]",
        f"st.global.u32 [%a10+{4 * WORDS - 8}], %t7",
        "ld.local.u32 %t7, [own+36]",
        f"st.global.u32 [%a10+{4 * WORDS - 4}], %t7",
    ]
    return "\n".join(f"\t{line};" for line in lines)
