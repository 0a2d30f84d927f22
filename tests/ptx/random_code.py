"""Instructions of random PTX kernels: valid by construction, with one answer in every order of threads.

Registers are kept apart by the kind of value in them. Bits of a NaN differ between processors, so floating numbers
become whole ones only behind a check that makes every NaN the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.ptx.forms import Form

__all__ = ["POOLS", "SIZES", "Code", "declarations"]

# Kinds of values in registers: the letter of their names, the number of registers, and the types of their declarations.
POOLS = {
    "pred": ("p", 4, ("pred",)),
    "16": ("h", 4, ("b16", "u16", "s16")),
    "32": ("r", 8, ("b32", "u32", "s32")),
    "64": ("l", 4, ("b64", "u64", "s64")),
    "f32": ("f", 5, ("f32", "b32")),
    "f64": ("d", 4, ("f64", "b64")),
    "f16": ("x", 3, ("b16",)),
    "bf16": ("y", 3, ("b16",)),
    "f16x2": ("v", 2, ("b32",)),
    "bf16x2": ("w", 2, ("b32",)),
}
SIZES = {
    "pred": 1,
    "16": 16,
    "32": 32,
    "64": 64,
    "f32": 32,
    "f64": 64,
    "f16": 16,
    "bf16": 16,
    "f16x2": 32,
    "bf16x2": 32,
}
_FLOATS = ("f32", "f64", "f16", "bf16")
_NAN = {"f32": "0f7FC00000", "f64": "0d7FF8000000000000", "f16": "0x7FFF", "bf16": "0x7FFF"}
_EDGES = (0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, -1, -2)  # fmt: skip
_SINGLES = ("0f00000000", "0f80000000", "0f3F800000", "0fBFC00000", "0f7F800000", "0f00000001", "0f4B000001", "0f7F7FFFFF", "0fCF000000")  # fmt: skip
_DOUBLES = (
    "0d0000000000000000",
    "0d3FF0000000000000",
    "0dC00C000000000000",
    "0d7FF0000000000000",
    "0d0000000000000001",
)
# Instructions that may not be drawn: they pass bits of NaNs on, or an operand has to be a number.
_LEFT_OUT = ("copysign", "lop3", "fns", "slct")
# Instructions whose operands may be numbers: others want registers, or numbers of some range.
_NUMBERS = (
    "add",
    "sub",
    "mul",
    "mad",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "shl",
    "shr",
    "setp",
    "set",
    "div",
    "rem",
    "fma",
    "sad",
)


def pool_of(kind: str) -> str:
    """Return which registers hold values of a type."""
    if kind in POOLS:
        return kind
    bits = {"s16x2": 32, "u16x2": 32, "tf32": 32}.get(kind) or int(kind[1:])
    return str(max(bits, 32) if bits != 16 else 16)


def declarations(chance: random.Random, forms: Sequence[Form]) -> str:
    """Return the directives that declare all registers that some forms may use."""
    # Pairs of numbers want registers of bits.
    pairs = any(kind.endswith("16x2") for form in forms for kind in form.operands)
    lines = [
        f".reg .{types[0] if pairs else chance.choice(types)} %{letter}<{count}>;"
        for letter, count, types in POOLS.values()
    ]
    return "\n".join((*lines, ".reg .pred %q<8>;", ".reg .b32 %t<12>;", ".reg .b64 %a<12>;", ".reg .b16 %s<8>;"))


def usable(form: Form) -> bool:
    """Return whether a form may be drawn for any operands."""
    return form.exact and form.name not in _LEFT_OUT and form.result != "tf32" and "tf32" not in form.opcode


@dataclass
class Code:
    """Statements of one kernel, as they are drawn.

    Attributes:
        forms: the forms to draw from.
        lines: the statements until now.
        functions: the names of functions that may be called; each takes and gives a b32.
    """

    chance: random.Random
    forms: Sequence[Form]
    functions: Sequence[str] = ()
    lines: list[str] = field(default_factory=list)

    def add(self, text: str, *, guarded: bool = True) -> None:
        """Add a statement, some of them behind a guard."""
        guard = (
            f"@{self.chance.choice(('', '!'))}{self.register('pred')} "
            if guarded and self.chance.random() < 0.12
            else ""
        )
        self.lines.append(f"\t{guard}{text};")

    def register(self, pool: str) -> str:
        letter, count, _ = POOLS[pool]
        return f"%{letter}{self.chance.randrange(count)}"

    def operand(self, kind: str) -> str:
        """Return a register, or now and then a number, of a type."""
        pool, chance = pool_of(kind), self.chance
        if pool in ("16", "32", "64") and chance.random() < 0.2:
            value = chance.choice(_EDGES)
            return str(value if pool != "16" or value < 0 else value & 0xFFFF)
        if pool == "f32" and kind == "f32" and chance.random() < 0.1:
            return chance.choice(_SINGLES)
        if pool == "f64" and kind == "f64" and chance.random() < 0.1:
            return chance.choice(_DOUBLES)
        return self.register(pool)

    def straight(self, count: int) -> None:
        """Add `count` pieces that any thread may run by itself."""
        pieces = (
            (self.form, 30), (self.move, 4), (self.bits, 5), (self.pieces, 3), (self.load, 5), (self.store, 4),
            (self.atomic, 3), (self.chain, 2), (self.logic, 1), (self.select, 2), (self.call, 2 if self.functions else 0),
        )  # fmt: skip
        chosen = self.chance.choices([piece for piece, _ in pieces], [weight for _, weight in pieces], k=count)
        for piece in chosen:
            piece()

    def form(self) -> None:
        """An instruction of the table."""
        # Conversions are half of the table: others come as often.
        form = self.chance.choice(self.forms)
        while form.name in ("cvt", "setp", "set") and self.chance.random() < 0.6:
            form = self.chance.choice(self.forms)
        numbers = form.name in _NUMBERS and not form.operands[0].endswith("16x2")
        operands = [self.operand(kind) if numbers else self.register(pool_of(kind)) for kind in form.operands]
        if form.name in ("div", "rem") and form.operands[0][0] in "us":
            operands[1] = self._divisor(form.operands[1])
        if form.name == "setp" and len(operands) == 3 and self.chance.random() < 0.3:
            operands[2] = "!" + operands[2]
        result = self.register(pool_of(form.result))
        kind = form.operands[0]
        if form.name == "setp" and (kind.endswith("x2") or ("f16" not in kind and self.chance.random() < 0.2)):
            first = self.chance.randrange(POOLS["pred"][1])
            result = f"%p{first}|%p{(first + 1) % POOLS['pred'][1]}"
        self.add(f"{form.opcode} {', '.join((result, *operands))}")

    def _divisor(self, kind: str) -> str:
        """Return a divisor above zero: PTX leaves division by zero open, and the least number by minus one."""
        size = pool_of(kind)
        name = {"16": "%s7", "32": "%t11", "64": "%a11"}[size]
        source = self.register(size)
        self.add(f"and.b{size} {name}, {source}, {(1 << (int(size) - 1)) - 1}", guarded=False)
        self.add(f"or.b{size} {name}, {name}, {self.chance.choice((1, 5, 64))}", guarded=False)
        return name

    def move(self) -> None:
        chance = self.chance
        if chance.random() < 0.3:
            special = chance.choice(
                ("tid.x", "ctaid.x", "ntid.x", "nctaid.x", "laneid", "tid.y", "ntid.z", "lanemask_lt", "lanemask_ge")
            )
            self.add(f"mov.u32 {self.register('32')}, %{special}")
            return
        pool = chance.choice(("16", "32", "64", "f32", "f64"))
        kind = {"16": "u16", "32": "u32", "64": "u64"}.get(pool, pool)
        self.add(f"mov.{kind} {self.register(pool)}, {self.operand(kind)}")

    def canonical(self, pool: str, source: str, name: str) -> None:
        """Copy a floating number, of which every NaN is the same."""
        bits = SIZES[pool]
        kind = pool if pool in ("f32", "f64") else "b16"
        self.add(f"setp.nan.{pool} %q7, {source}, {source}", guarded=False)
        self.add(f"selp.{kind if bits > 16 else 'b16'} {name}, {_NAN[pool]}, {source}, %q7", guarded=False)

    def bits(self) -> None:
        """The bits of a floating number as a whole one, and the other way about."""
        pool = self.chance.choice(_FLOATS)
        size = str(SIZES[pool])
        if self.chance.random() < 0.5:
            self.add(f"mov.b{size} {self.register(pool)}, {self.register(size)}")
            return
        source = self.register(pool)
        self.add(f"setp.nan.{pool} %q7, {source}, {source}", guarded=False)
        target = self.register(size)
        self.add(f"mov.b{size} {target}, {source}", guarded=False)
        self.add(f"@%q7 mov.b{size} {target}, 0x7FFF", guarded=False)

    def pieces(self) -> None:
        """Registers as pieces of a wider one."""
        whole, part, count = self.chance.choice(
            (("64", "32", 2), ("64", "16", 4), ("32", "16", 2), ("f16x2", "f16", 2), ("bf16x2", "bf16", 2))
        )
        if self.chance.random() < 0.5:
            items = ", ".join(self.register(part) for _ in range(count))
            self.add(f"mov.b{SIZES[whole]} {self.register(whole)}, {{{items}}}")
            return
        names = self.chance.sample([f"%{POOLS[part][0]}{number}" for number in range(POOLS[part][1])], count)
        self.add(f"mov.b{SIZES[whole]} {{{', '.join(names)}}}, {self.register(whole)}")

    def select(self) -> None:
        pool = self.chance.choice(("16", "32", "64", "f32", "f64"))
        kind = {"16": "b16", "32": "s32", "64": "u64"}.get(pool, pool)
        self.add(
            f"selp.{kind} {self.register(pool)}, {self.operand(kind)}, {self.operand(kind)}, {self.register('pred')}"
        )

    def logic(self) -> None:
        operands = ", ".join(self.register("32") for _ in range(4))
        self.add(f"lop3.b32 {operands}, {self.chance.randrange(256):#x}")

    def chain(self) -> None:
        """Sums and differences that carry."""
        what, tail = self.chance.choice((("add", "addc"), ("sub", "subc")))
        kind = self.chance.choice(("u32", "s32", "b64")).replace("b64", "u64")
        pool = pool_of(kind)
        names = [self.register(pool) for _ in range(6)]
        self.add(f"{what}.cc.{kind} {names[0]}, {names[1]}, {names[2]}", guarded=False)
        self.add(f"{tail}.cc.{kind} {names[3]}, {names[4]}, {self.operand(kind)}", guarded=False)
        self.add(f"{tail}.{kind} {names[5]}, {names[0]}, {self.operand(kind)}", guarded=False)
        if pool == "32" and self.chance.random() < 0.5:
            self.add(f"mad.lo.cc.u32 {names[1]}, {names[2]}, {names[3]}, {names[4]}", guarded=False)
            self.add(f"madc.hi.u32 {names[2]}, {names[3]}, {names[4]}, {names[5]}", guarded=False)

    # Memory. `in` has 64 words; every thread has 64 bytes of shared and of local memory for itself.

    def _place(self, size: int, spaces: Sequence[str]) -> tuple[str, str]:
        """Return a space and an address in it that fits an access of `size` bytes."""
        chance = self.chance
        space = chance.choice(spaces)
        room = 256 if space in ("global", "const") else 64
        offset = chance.randrange(room // size) * size
        if chance.random() < 0.5:
            base = {"global": "%a1", "const": "table", "shared": "%t1", "local": "own", "": "%a3"}[space]
            return space, f"[{base}+{offset}]"
        self.add(f"and.b32 %t10, {self.register('32')}, {room - size}", guarded=False)
        self.add(f"and.b32 %t10, %t10, {-size}", guarded=False)
        if space == "shared":
            self.add("add.u32 %t10, %t10, %t1", guarded=False)
            return space, "[%t10]"
        base = {"global": "%a1", "const": "%a2", "local": "%a4", "": "%a3"}[space]
        self.add("cvt.u64.u32 %a10, %t10", guarded=False)
        self.add(f"add.s64 %a10, {base}, %a10", guarded=False)
        return space, "[%a10]"

    def load(self) -> None:
        chance = self.chance
        kind = chance.choice(
            ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64")
        )
        size = int(kind[1:]) // 8
        count = chance.choice([1, 1, 2, 4]) if size <= 4 else chance.choice([1, 2])
        space, place = self._place(size * count, ("global", "const", "shared", "local", ""))
        # A narrow value is extended to its register.
        wide = [bits for bits in ("16", "32", "64") if int(bits) >= size * 8]
        pool = kind if kind[0] == "f" else chance.choice(wide) if chance.random() < 0.4 else wide[0]
        names = [f"%{POOLS[pool][0]}{number}" for number in range(POOLS[pool][1])]
        targets = chance.sample(names, count)
        vector = f".v{count}" if count > 1 else ""
        items = f"{{{', '.join(targets)}}}" if count > 1 else targets[0]
        self.add(f"ld{'.' + space if space else ''}{vector}.{kind} {items}, {place}")

    def store(self) -> None:
        chance = self.chance
        kind = chance.choice(("u8", "b8", "u16", "b16", "s32", "b32", "f32", "u64", "f64"))
        size = int(kind[1:]) // 8
        count = chance.choice([1, 1, 2, 4]) if size <= 4 else chance.choice([1, 2])
        space, place = self._place(size * count, ("shared", "local", ""))
        items = []
        for number in range(count):
            if kind[0] == "f":
                name = f"%{'t' if kind == 'f32' else 'a'}{6 + number}"
                source = self.register(kind)
                self.add(f"setp.nan.{kind} %q7, {source}, {source}", guarded=False)
                self.add(f"mov.b{size * 8} {name}, {source}", guarded=False)
                self.add(f"@%q7 mov.b{size * 8} {name}, 1", guarded=False)
                items.append(name)
            else:
                items.append(self.register(pool_of(f"u{max(size * 8, 16)}")))
        kind = f"b{kind[1:]}" if kind[0] == "f" else kind
        vector = f".v{count}" if count > 1 else ""
        self.add(
            f"st{'.' + space if space else ''}{vector}.{kind} {place}, {f'{{{chr(44).join(items)}}}' if count > 1 else items[0]}"
        )

    def atomic(self) -> None:
        """Add an atomic operation on the thread's own address that returns a value, or on a shared one in any order."""
        chance = self.chance
        kind = chance.choice(
            (
                "add.u32",
                "add.s32",
                "and.b32",
                "or.b32",
                "xor.b32",
                "min.s32",
                "max.u32",
                "min.u64",
                "add.u64",
                "max.s64",
            )
        )
        pool = pool_of(kind.partition(".")[2])
        if chance.random() < 0.5:
            order = chance.choice(("", ".relaxed.gpu", ".acq_rel.cta"))
            what = chance.choice((kind, "exch.b" + pool, "cas.b" + pool, kind))
            extra = f", {self.register(pool)}" if what.startswith("cas") else ""
            space, place = self._place(int(pool) // 8, ("shared", ""))
            self.add(
                f"atom{order}{'.' + space if space else ''}.{what} {self.register(pool)}, {place}, {self.operand('u' + pool)}{extra}"
            )
            return
        slots = {"add.u32": 0, "add.s32": 0, "and.b32": 4, "or.b32": 8, "xor.b32": 12, "min.s32": 16, "max.u32": 20, "min.u64": 24, "add.u64": 32, "max.s64": 40}  # fmt: skip
        self.add(f"red.global.{kind} [%a5+{slots[kind]}], {self.operand('u' + pool)}")

    def call(self) -> None:
        name = self.chance.choice(self.functions)
        argument, result = self.register("32"), self.register("32")
        self.lines.append(
            f"\t{{ .param .b32 given; .param .b32 made; st.param.b32 [given], {argument}; "
            f"call (made), {name}, (given); ld.param.b32 {result}, [made]; }}"
        )

    # Pieces that all threads of a block run together.

    def together(self) -> None:
        chance = self.chance
        what = chance.randrange(7)
        target, source = self.register("32"), self.register("32")
        if what == 0:  # through memory that all share
            self.lines += [
                "\tbar.sync 0;", f"\tst.shared.u32 [%t2], {source};", "\tbar.sync 0;",
                f"\txor.b32 %t10, %t3, {4 * chance.randrange(1, 64)};", "\tadd.u32 %t10, %t10, %t4;",
                f"\tld.shared.u32 {target}, [%t10];", "\tbar.sync 0;",
            ]  # fmt: skip
        elif what == 1:
            how, clamp = chance.choice(
                (("up", 0), ("down", 31), ("bfly", 31), ("idx", 31), ("idx", 0x181F), ("up", 0x1C00))
            )
            second = f"|{self.register('pred')}" if chance.random() < 0.5 else ""
            self.lines.append(f"\tshfl.sync.{how}.b32 {target}{second}, {source}, {chance.randrange(32)}, {clamp}, -1;")
        elif what == 2:
            how = chance.choice(("all.pred", "any.pred", "uni.pred", "ballot.b32"))
            result = target if how.startswith("ballot") else self.register("pred")
            self.lines.append(f"\tvote.sync.{how} {result}, {self.register('pred')}, -1;")
        elif what == 3:
            how = chance.choice(("popc.u32", "and.pred", "or.pred"))
            result = target if how.startswith("popc") else self.register("pred")
            self.lines.append(f"\tbarrier.cta.red.{how} {result}, 0, {self.register('pred')};")
        elif what == 4:
            how = chance.choice(("add.s32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32"))
            self.lines.append(f"\tredux.sync.{how} {target}, {source}, 0xffffffff;")
        elif what == 5:
            self.lines.append(f"\tand.b32 %t10, {source}, 3;")
            self.lines.append(f"\tmatch.any.sync.b32 {target}, %t10, -1;")
        else:
            self.lines.append("\tbar.warp.sync -1;")
