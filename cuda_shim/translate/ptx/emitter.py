"""One instruction after the other as C++ statements."""

from __future__ import annotations

import re
from collections.abc import Callable

from cuda_shim.translate.ptx import barriers, calls, fragments, images, matrices, memory
from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.instructions import Form, Operands, Unknown, form_of, widened
from cuda_shim.translate.ptx.module import (
    SINK,
    Call,
    Immediate,
    Instruction,
    Operand,
    Register,
    ResultPair,
    Sink,
    Special,
    Vector,
)
from cuda_shim.translate.ptx.type_inference import pointer_operand
from cuda_shim.translate.ptx.types import POINTER, TYPES, wider
from cuda_shim.translate.ptx.values import Expression, is_cast

__all__ = ["emit"]

# Instructions that must not be moved although they only give a value: they involve other threads, a carry or the stack.
_TOGETHER = (
    "atom", "red", "shfl", "vote", "match", "activemask", "redux", "bar", "barrier", "elect", "addc", "subc", "madc",
    "alloca",
)  # fmt: skip
# Instructions that compute indices and addresses.
_INDEXING = ("add", "sub", "mul", "mad", "shl", "cvt", "cvta", "and", "or")
_NARROWEST = 32


def emit(around: EmitContext, item: Instruction) -> None:
    """Write an instruction. Raises PtxError with its place."""
    around.place = item.place
    try:
        if item.guard is not None:
            _guarded(around, item, item.guard)
        else:
            _instruction(around, item)
    except PtxError as wrong:
        if wrong.line:
            raise
        make = around.unsupported_at if isinstance(wrong, UnsupportedPtx) else around.error_at
        raise make(wrong.reason, item.place) from None
    except Unknown as unknown:
        raise around.unsupported_at(str(unknown), item.place) from None


def _guarded(around: EmitContext, item: Instruction, guard: Register) -> None:
    condition = around.value(guard, "pred")
    names = frozenset(around.names)
    around.names = set()
    for name in writes_of(item):
        around.settle(name)
    for name in writes_of(item):
        around.settle_one(name)
    with around.scope(f"if ({'!' if item.guard_negated else ''}{condition})", names):
        _instruction(around, item, guarded=True)


def _instruction(around: EmitContext, item: Instruction, *, guarded: bool = False) -> None:
    name = item.opcode.partition(".")[0]
    if isinstance(item, Call):
        calls.call(around, item)
        return
    special = _SPECIAL.get(name)
    if special is not None:
        special(around, item)
        return
    form = form_of(item.opcode)
    handler = _MEMORY.get(form.memory)
    if handler is not None:
        _count(item, {"touch": 1}.get(form.memory, 2), exactly=True)
        handler(around, item, form)
    elif form.do:
        _check_operands(item, form)
        if form.operands is None:
            _check_count(item, form)
        around.add(f"{_filled(around, item, form, form.do)};")
    else:
        _value(around, item, form, may_wait=not guarded)


_MEMORY: dict[str, Callable[[EmitContext, Instruction, Form], None]] = {
    "load": memory.load,
    "store": memory.store,
    "touch": memory.touch,
    "cvta": memory.convert_address,
}


def _count(item: Instruction, count: int, *, exactly: bool = False) -> None:
    if len(item.operands) < count or (exactly and len(item.operands) > count):
        raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _check_count(item: Instruction, form: Form) -> None:
    """Check that the form has a place for each operand; the result is one, and barriers count their threads."""
    template = form.value + form.second + form.do
    if "{last" in template:
        return
    most = max((int(number) for number in re.findall(r"\{(\d)", template)), default=-1 if form.do else 0)
    if len(item.operands) != most + 1:
        raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _check_operands(item: Instruction, form: Form) -> None:
    if form.operands is None:
        return
    given = [str(operand.value) if isinstance(operand, Immediate) else "?" for operand in item.operands]
    if given != [form.operands]:
        raise UnsupportedPtx(f"'{item.opcode}' is translated with the operand {form.operands} alone")


def _filled(around: EmitContext, item: Instruction, form: Form, template: str) -> str:
    operands = _Operands(around, item, form)
    return Operands(operands.value, operands.address, operands.word).fill(form, template)


class _Operands:
    """The operands of an instruction for the places of its form."""

    def __init__(self, around: EmitContext, item: Instruction, form: Form) -> None:
        self._around, self._item, self._form = around, item, form
        self._known: dict[tuple[int, str], str] = {}

    def operand(self, number: int) -> Operand:
        try:
            return self._item.operands[number]
        except IndexError:
            raise PtxError(f"Arguments mismatch for instruction '{self._item.opcode}'") from None

    def value(self, number: int, wanted: str) -> str:
        # A postponed value is taken once, even if it is read twice.
        key = (number, wanted)
        if key not in self._known:
            operand = self.operand(number)
            if isinstance(operand, Register) and any(place == number for place, _ in self._known):
                self._around.settle_one(operand.name)
            self._known[key] = self._around.value(operand, wanted)
        return self._known[key]

    def address(self, number: int) -> str:
        return memory.pointer_to(self._around, self.operand(number), self._form.space, TYPES[self._form.kind])

    def word(self, name: str) -> str:
        around = self._around
        if name == "carry":
            around.function.registers.setdefault("carry flag", TYPES["u32"])
            around.kinds.setdefault("carry flag", TYPES["u32"])
            around.names.add("carry flag")
            return around.variable("carry flag")
        if name == "second":
            target = self.operand(0)
            if isinstance(target, ResultPair) and isinstance(target.second, Register):
                around.names.add(target.second.name)
                return around.variable(target.second.name)
        return "cuda_shim_ptx::nobody()"


def _settle_repeated(around: EmitContext, item: Instruction, form: Form) -> None:
    """Operands that a form reads more than once get variables, since a postponed value is written where it is read."""
    for number, operand in enumerate(item.operands):
        if not isinstance(operand, Register) or operand.name not in around.pending:
            continue
        mark = "{" + str(number)
        count = form.value.count(mark) + form.second.count(mark)
        if count > 1 or form.packed:
            around.settle_one(operand.name)


def _value(around: EmitContext, item: Instruction, form: Form, *, may_wait: bool) -> None:
    """Write an instruction that gives a register a value."""
    _count(item, 1)
    name = item.opcode.partition(".")[0]
    if name == "mov" and any(isinstance(operand, Vector) for operand in item.operands):
        _packed(around, item, form)
        return
    _check_count(item, form)
    _settle_repeated(around, item, form)
    target = item.operands[0]
    if not isinstance(target, (Register, ResultPair, Sink)):
        raise PtxError(f"'{item.opcode}' needs a register for its result")
    if form.packed and form.result == "pred" and not isinstance(target, ResultPair):
        target = ResultPair(target, SINK)  # the predicate of the first half alone
    if isinstance(target, ResultPair):
        _two_results(around, item, form, target)
        return
    if name in ("atom",) and form.order in ("release", "acq_rel"):
        around.add("__threadfence();")
    expression = _sum_of_address(around, item, target)
    if expression is None:
        expression = _expression(around, item, form)
    again = may_wait and _is_computed_again(around, item, target)
    waits = may_wait and name not in _TOGETHER and "carry" not in form.value and not _is_clock(item)
    if again and isinstance(target, Register) and around.kinds[target.name].bits == 64:
        around.postpone(target, expression, again=True)
    elif waits and isinstance(target, Register) and _is_read_once(around, target.name):
        around.postpone(target, expression)
    else:
        around.assign(target, expression)
        if again and isinstance(target, Register):
            around.steady.add(target.name)
    if name in ("atom",) and form.order in ("acquire", "acq_rel"):
        around.add("__threadfence();")


def _is_computed_again(around: EmitContext, item: Instruction, target: Operand) -> bool:
    """Return whether an address is recomputed wherever it is read.

    Then no thread has to keep it across barriers, and compilers see how it depends on the thread's index. Its register
    must be written once, before every read.
    """
    if not isinstance(target, Register) or item.opcode.partition(".")[0] not in _INDEXING:
        return False
    name = target.name
    kind = around.kinds[name]
    whole = kind is POINTER or (kind.is_number and kind.bits in (32, 64)) or kind.kind in ("signed", "unsigned")
    written_first = name in around.uses.writer and name not in around.early
    return whole and written_first and all(around.is_stable(operand) for operand in item.operands[1:])


def _is_read_once(around: EmitContext, name: str) -> bool:
    kind = around.kinds[name]
    wide = kind.bits >= _NARROWEST or kind.kind == "predicate"
    return wide and kind.bits <= 64 and around.uses.reads.get(name, 0) == 1 and name in around.uses.writer


def _is_clock(item: Instruction) -> bool:
    return any(
        isinstance(operand, Special) and operand.name.startswith(("clock", "globaltimer")) for operand in item.operands
    )


def _expression(around: EmitContext, item: Instruction, form: Form) -> Expression:
    name = item.opcode.partition(".")[0]
    if name in ("mov", "selp"):
        return _choice(around, item, form)
    last = around.resolved(item.operands[-1])
    short = form.constant and isinstance(last, Immediate) and 0 <= last.value < TYPES[form.kind].bits
    text = _filled(around, item, form, form.constant if short else form.value)
    # Numbers of either sign are mixed in sums and products, and short ones are widened by C++.
    result = TYPES[form.result]
    exact = result.kind in ("floating", "predicate") or is_cast(text, result)
    return Expression(text, result, exact)


def _choice(around: EmitContext, item: Instruction, form: Form) -> Expression:
    """mov and selp: the type is that of the register, not that of the opcode."""
    target = item.operands[0]
    _count(item, 2 if item.opcode.startswith("mov") else 4)
    _check_width(around, item, form, item.operands[:3])
    type_ = around.kinds[target.name] if isinstance(target, Register) else TYPES[form.kind]
    if type_ is not POINTER and type_.bits != TYPES[form.kind].bits and type_.kind != "predicate":
        type_ = TYPES[form.kind]
    wanted = "pointer" if type_ is POINTER else type_.name
    if item.opcode.startswith("mov"):
        return Expression(around.value(item.operands[1], wanted), type_)
    first, second = (around.value(operand, wanted) for operand in item.operands[1:3])
    return Expression(f"{around.value(item.operands[3], 'pred')} ? {first} : {second}", type_)


def _check_width(around: EmitContext, item: Instruction, form: Form, operands: tuple[Operand, ...]) -> None:
    """Refuse registers that are not as wide as the opcode says; calls' parameters of 8 bits are in wider ones."""
    for operand in operands:
        bits = around.function.registers[operand.name].bits if isinstance(operand, Register) else 0
        if bits > 8 and bits != TYPES[form.kind].bits:
            raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _sum_of_address(around: EmitContext, item: Instruction, target: Operand) -> Expression | None:
    """Return a sum that gives a pointer, as pointer arithmetic on its base."""
    if not isinstance(target, Register) or around.kinds[target.name] is not POINTER:
        return None
    kinds = {name: kind for name, kind in around.kinds.items() if kind is POINTER}
    resolved = tuple(around.resolved(operand) for operand in item.operands)
    name, _, rest = item.opcode.partition(".")
    place = pointer_operand(item, kinds)
    if place == 0:
        return None
    wide = around.function.registers[target.name].bits == 64
    base = around.value(resolved[place], "pointer")
    number = "*s64" if wide else "s32"
    if name == "mad":
        if rest.startswith("wide"):
            narrow = rest.removeprefix("wide.")
            if narrow not in ("s32", "u32"):
                return None
            first, second = (widened(around.value(operand, narrow), wider(narrow)) for operand in item.operands[1:3])
            return Expression(f"{base} + {first} * {second}", POINTER)
        first, second = (around.value(operand, number) for operand in item.operands[1:3])
        return Expression(f"{base} + {first} * {second}", POINTER)
    other = around.resolved(item.operands[3 - place])
    if isinstance(other, Immediate):
        value = other.value if wide else (other.value + (1 << 31)) % (1 << 32) - (1 << 31)
        value = value if value < 1 << 63 else value - (1 << 64)
        value = -value if name == "sub" else value
        return Expression(f"{base} {'-' if value < 0 else '+'} {abs(value)}{'ll' if abs(value) >> 31 else ''}", POINTER)
    return Expression(f"{base} {'-' if name == 'sub' else '+'} {around.value(other, number)}", POINTER)


def _two_results(around: EmitContext, item: Instruction, form: Form, target: ResultPair) -> None:
    """`p|q`: the second result first, since the first may be one of the operands."""
    if "{second}" in form.value:
        around.assign(target.first, _expression(around, item, form))
        return
    halves = form.packed and not form.second
    if not form.second and not halves:
        raise PtxError(f"'{item.opcode}' has one result")
    for operand in item.operands[1:]:
        if isinstance(operand, Register):
            around.settle_one(operand.name)
    with around.scope():
        second = _half(around, item, form, 1) if halves else _filled(around, item, form, form.second)
        around.add(f"const bool cuda_shim_second = {second};")
        first = Expression(_half(around, item, form, 0), TYPES["pred"]) if halves else _expression(around, item, form)
        around.assign(target.first, first)
        around.assign(target.second, Expression("cuda_shim_second", TYPES["pred"]))


def _half(around: EmitContext, item: Instruction, form: Form, half: int) -> str:
    operands = _Operands(around, item, form)
    return Operands(operands.value, operands.address, operands.word).half(form, form.value, half)


def _packed(around: EmitContext, item: Instruction, form: Form) -> None:
    """mov between a register and several that are pieces of it."""
    _count(item, 2, exactly=True)
    target, source = item.operands
    whole = TYPES[form.kind]
    if isinstance(target, Vector):
        piece = _piece(whole.bits, len(target.items))
        if isinstance(source, Register):
            around.settle_one(source.name)
        number = f"b{whole.bits}"
        with around.scope():
            around.add(f"const {TYPES[number].cxx} cuda_shim_whole = {around.value(source, number)};")
            for place, found in enumerate(target.items):
                if not isinstance(found, Sink):
                    text = f"cuda_shim_whole >> {place * piece}" if place else "cuda_shim_whole"
                    around.assign(found, Expression(f"({TYPES[f'u{piece}'].cxx})({text})", TYPES[f"u{piece}"]))
        return
    if not isinstance(source, Vector):
        raise PtxError("a vector is wanted here")
    piece = _piece(whole.bits, len(source.items))
    cxx = TYPES[f"b{whole.bits}"].cxx
    parts = []
    for place, found in enumerate(source.items):
        value = f"({cxx}){around.value(found, f'u{piece}')}"
        parts.append(f"{value} << {place * piece}" if place else value)
    text = " | ".join(f"({part})" for part in parts)
    around.assign(target, Expression(text, TYPES[f"b{whole.bits}"]))


def _piece(bits: int, count: int) -> int:
    if count not in (2, 4, 8) or bits // count not in (8, 16, 32, 64):
        raise PtxError("such a vector does not fit a register")
    return bits // count


def _copy(around: EmitContext, item: Instruction) -> None:
    """cp.async: the copy is done at once, so that waiting for it is a no-op."""
    parts = item.opcode.split(".")
    if parts[2] in ("commit_group", "wait_group", "wait_all"):
        return
    if parts[2] not in ("ca", "cg") or len(item.operands) not in (3, 4):
        raise Unknown(f"'{item.opcode}': only copies of up to 16 bytes have a counterpart")
    to = memory.address_of(around, item.operands[0], "shared")
    source = memory.address_of(around, item.operands[1], "global")
    size = around.value(item.operands[2], "u32")
    given = around.value(item.operands[3], "u32") if len(item.operands) == 4 else size
    around.add(f"cuda_shim_ptx::copy({to}, {source}, {size}, {given});")


def _barrier(around: EmitContext, item: Instruction) -> None:
    """bar.red takes the barrier's number as well."""
    if barriers.named_barrier(around, item):
        return
    form = form_of(item.opcode)
    if not form.do:
        _value(around, item, form, may_wait=False)
    elif form.operands is None:
        around.add(f"{_filled(around, item, form, form.do)};")
    else:
        _check_operands(item, form)
        around.add("__syncthreads();")


_SPECIAL: dict[str, Callable[[EmitContext, Instruction], None]] = {
    "bar": _barrier,
    "barrier": _barrier,
    "cp": _copy,
    "mma": matrices.multiply,
    "ldmatrix": matrices.load_matrices,
    "wmma": fragments.with_fragments,
    "tex": images.texture,
    "tld4": images.gather,
    "txq": images.query,
    "suq": images.query,
    "suld": images.surface_load,
    "sust": images.surface_store,
}
