"""One instruction after the other as C++ statements."""

from __future__ import annotations

import re
from collections.abc import Callable

from cuda_shim.translate.ptx import barriers, calls, fragments, images, matrices, memory, warpgroups
from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.instructions import Form, Invalid, Operands, Unknown, form_of, widened
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
_IMMOVABLE = (
    "atom", "red", "shfl", "vote", "match", "activemask", "redux", "bar", "barrier", "elect", "addc", "subc", "madc",
    "alloca", "mbarrier",
)  # fmt: skip
# Instructions that are rows of the table, although others of their name are not.
_OF_THE_TABLE = ("cp.async.bulk", "cp.async.mbarrier", "cp.reduce")
_POLICY = ".L2::cache_hint"  # an operand more, which has no effect
# Instructions that compute indices and addresses.
_INDEXING = ("add", "sub", "mul", "mad", "shl", "cvt", "cvta", "and", "or")
_NARROWEST = 32
# Advice about memory of a size, the second operand.
_SIZED = ("applypriority", "discard")


def emit(ctx: EmitContext, item: Instruction) -> None:
    """Write an instruction. Raises PtxError with its place."""
    ctx.position = item.position
    try:
        if item.guard is not None:
            _guarded(ctx, item, item.guard)
        else:
            _instruction(ctx, item)
    except PtxError as error:
        if error.line:
            raise
        with_position = ctx.unsupported_at if isinstance(error, UnsupportedPtx) else ctx.error_at
        raise with_position(error.reason, item.position) from None
    except Invalid as invalid:
        raise ctx.error_at(str(invalid), item.position) from None
    except Unknown as unknown:
        raise ctx.unsupported_at(str(unknown), item.position) from None


def _guarded(ctx: EmitContext, item: Instruction, guard: Register) -> None:
    condition = ctx.value(guard, "pred")
    names = frozenset(ctx.names)
    ctx.names = set()
    for name in writes_of(item):
        ctx.materialize_readers(name)
    for name in writes_of(item):
        ctx.materialize(name)
    with ctx.scope(f"if ({'!' if item.guard_negated else ''}{condition})", names):
        _instruction(ctx, item, guarded=True)


def _instruction(ctx: EmitContext, item: Instruction, *, guarded: bool = False) -> None:
    name = item.opcode.partition(".")[0]
    if isinstance(item, Call):
        calls.call(ctx, item)
        return
    special = _SPECIAL_HANDLERS.get(name)
    if special is not None and not item.opcode.startswith(_OF_THE_TABLE):
        special(ctx, item)
        return
    form = form_of(item.opcode)
    _record_hosts(ctx, item, form)
    handler = _MEMORY_HANDLERS.get(form.memory)
    if handler is not None:
        _require_count(item, 1 if form.memory == "touch" and name not in _SIZED else 2, exactly=True)
        handler(ctx, item, form)
    elif form.do:
        _check_operands(item, form)
        if form.operands is None:
            _check_count(item, form)
        ctx.add(f"{_fill(ctx, item, form, form.do)};")
    else:
        _value(ctx, item, form, may_defer=not guarded)


def _record_hosts(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """Record the reason why AMD GPUs cannot run an instruction, if there is one."""
    reason = form.hosts or ("thread block clusters have no counterpart in HIP" if "cluster" in form.space else "")
    if reason:
        ctx.only_on_hosts(f"'{item.opcode}': {reason}", item.position)


_MEMORY_HANDLERS: dict[str, Callable[[EmitContext, Instruction, Form], None]] = {
    "load": memory.load,
    "store": memory.store,
    "touch": memory.touch,
    "cvta": memory.convert_address,
}


def _require_count(item: Instruction, count: int, *, exactly: bool = False) -> None:
    if len(item.operands) < count or (exactly and len(item.operands) > count):
        raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _check_count(item: Instruction, form: Form) -> None:
    """Check that the form has a place for each operand; the result is one, and barriers count their threads."""
    template = form.value + form.second + form.do
    if "{last" in template:
        return
    places = [(int(number), optional) for number, optional in re.findall(r"\{(\d)(\??)", template)]
    results = 0 if form.do else 1
    max_count = max((number + 1 for number, _ in places), default=results)
    min_count = max((number + 1 for number, optional in places if not optional), default=results)
    count = len(item.operands) - item.opcode.count(_POLICY)
    if not max(min_count, results) <= count <= max(max_count, results):
        raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _check_operands(item: Instruction, form: Form) -> None:
    if form.operands is None:
        return
    operands = [str(operand.value) if isinstance(operand, Immediate) else "?" for operand in item.operands]
    if operands != [form.operands]:
        raise UnsupportedPtx(f"'{item.opcode}' is translated with the operand {form.operands} alone")


def _fill(ctx: EmitContext, item: Instruction, form: Form, template: str) -> str:
    operands = _Operands(ctx, item, form)
    return Operands(operands.value, operands.address, operands.word, len(item.operands)).fill(form, template)


class _Operands:
    """The operands of an instruction for the places of its form."""

    def __init__(self, ctx: EmitContext, item: Instruction, form: Form) -> None:
        self._ctx, self._item, self._form = ctx, item, form
        self._values: dict[tuple[int, str], str] = {}

    def operand(self, number: int) -> Operand:
        try:
            return self._item.operands[number]
        except IndexError:
            raise PtxError(f"Arguments mismatch for instruction '{self._item.opcode}'") from None

    def value(self, number: int, type_name: str) -> str:
        # A deferred value is emitted once, even if it is read twice.
        key = (number, type_name)
        if key not in self._values:
            operand = self.operand(number)
            if isinstance(operand, Register) and any(other_number == number for other_number, _ in self._values):
                self._ctx.materialize(operand.name)
            self._values[key] = self._ctx.value(operand, type_name)
        return self._values[key]

    def address(self, number: int, kind: str) -> str:
        ctx, operand = self._ctx, self.operand(number)
        if kind == "address":
            return memory.pointer_to(ctx, operand, self._form.space, TYPES[self._form.kind])
        if kind == "shared":
            return memory.shared_place(ctx, operand)
        if kind == "generic":
            return memory.address_of(ctx, operand, "")
        if kind == "box":
            return memory.box_of(ctx, operand, self._form.dimensions)
        return memory.items_of(ctx, operand, self._form.kind if kind == "items" else "u16", in_box=kind == "filter")

    def word(self, name: str) -> str:
        ctx = self._ctx
        if name == "carry":
            ctx.function.registers.setdefault("carry flag", TYPES["u32"])
            ctx.cxx_types.setdefault("carry flag", TYPES["u32"])
            ctx.names.add("carry flag")
            return ctx.variable("carry flag")
        if name == "second":
            target = self.operand(0)
            if isinstance(target, ResultPair) and isinstance(target.second, Register):
                ctx.names.add(target.second.name)
                return ctx.variable(target.second.name)
        return "cuda_shim_ptx::nobody()"


def _materialize_repeated(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """Operands that a form reads more than once get variables, since a deferred value is emitted where it is read."""
    for number, operand in enumerate(item.operands):
        if not isinstance(operand, Register) or operand.name not in ctx.deferred:
            continue
        mark = "{" + str(number)
        count = form.value.count(mark) + form.second.count(mark)
        if count > 1 or form.packed:
            ctx.materialize(operand.name)


def _value(ctx: EmitContext, item: Instruction, form: Form, *, may_defer: bool) -> None:
    """Write an instruction that gives a register a value."""
    _require_count(item, 1)
    name = item.opcode.partition(".")[0]
    if name == "mov" and any(isinstance(operand, Vector) for operand in item.operands):
        _pack_or_unpack(ctx, item, form)
        return
    _check_count(item, form)
    _materialize_repeated(ctx, item, form)
    target = item.operands[0]
    if not isinstance(target, (Register, ResultPair, Sink)):
        raise PtxError(f"'{item.opcode}' needs a register for its result")
    if form.packed and form.result == "pred" and not isinstance(target, ResultPair):
        target = ResultPair(target, SINK)  # the predicate of the first half alone
    if isinstance(target, ResultPair):
        _result_pair(ctx, item, form, target)
        return
    if name in ("atom",) and form.order in ("release", "acq_rel"):
        ctx.add("__threadfence();")
    expression = _pointer_arithmetic(ctx, item, target)
    if expression is None:
        expression = _expression(ctx, item, form)
    rematerialize = may_defer and _is_rematerialized(ctx, item, target)
    defer = may_defer and name not in _IMMOVABLE and "carry" not in form.value and not _is_clock(item)
    if rematerialize and isinstance(target, Register) and ctx.cxx_types[target.name].bits == 64:
        ctx.defer(target, expression, rematerialize=True)
    elif defer and isinstance(target, Register) and _is_read_once(ctx, target.name):
        ctx.defer(target, expression)
    else:
        ctx.assign(target, expression)
        if rematerialize and isinstance(target, Register):
            ctx.invariant.add(target.name)
    if name in ("atom",) and form.order in ("acquire", "acq_rel"):
        ctx.add("__threadfence();")


def _is_rematerialized(ctx: EmitContext, item: Instruction, target: Operand) -> bool:
    """Return whether an address is recomputed wherever it is read.

    Then no thread has to keep it across barriers, and compilers see how it depends on the thread's index. Its register
    must be written once, before every read.
    """
    if not isinstance(target, Register) or item.opcode.partition(".")[0] not in _INDEXING:
        return False
    name = target.name
    type_ = ctx.cxx_types[name]
    has_whole_type = (
        type_ is POINTER or (type_.is_number and type_.bits in (32, 64)) or type_.kind in ("signed", "unsigned")
    )
    defined_before_reads = name in ctx.uses.writer and name not in ctx.maybe_uninitialized
    return has_whole_type and defined_before_reads and all(ctx.is_invariant(operand) for operand in item.operands[1:])


def _is_read_once(ctx: EmitContext, name: str) -> bool:
    type_ = ctx.cxx_types[name]
    is_wide = type_.bits >= _NARROWEST or type_.kind == "predicate"
    return is_wide and type_.bits <= 64 and ctx.uses.reads.get(name, 0) == 1 and name in ctx.uses.writer


def _is_clock(item: Instruction) -> bool:
    return any(
        isinstance(operand, Special) and operand.name.startswith(("clock", "globaltimer")) for operand in item.operands
    )


def _expression(ctx: EmitContext, item: Instruction, form: Form) -> Expression:
    name = item.opcode.partition(".")[0]
    if name in ("mov", "selp"):
        return _copy_or_select(ctx, item, form)
    last_operand = ctx.resolved(item.operands[-1])
    is_constant_shift = (
        form.constant and isinstance(last_operand, Immediate) and 0 <= last_operand.value < TYPES[form.kind].bits
    )
    text = _fill(ctx, item, form, form.constant if is_constant_shift else form.value)
    # Numbers of either sign are mixed in sums and products, and short ones are widened by C++.
    result = TYPES[form.result]
    exact = result.kind in ("floating", "predicate") or is_cast(text, result)
    return Expression(text, result, exact)


def _copy_or_select(ctx: EmitContext, item: Instruction, form: Form) -> Expression:
    """mov and selp: the type is that of the register, not that of the opcode."""
    target = item.operands[0]
    _require_count(item, 2 if item.opcode.startswith("mov") else 4)
    _check_width(ctx, item, form, item.operands[:3])
    type_ = ctx.cxx_types[target.name] if isinstance(target, Register) else TYPES[form.kind]
    if type_ is not POINTER and type_.bits != TYPES[form.kind].bits and type_.kind != "predicate":
        type_ = TYPES[form.kind]
    type_name = "pointer" if type_ is POINTER else type_.name
    if item.opcode.startswith("mov"):
        return Expression(ctx.value(item.operands[1], type_name), type_)
    first, second = (ctx.value(operand, type_name) for operand in item.operands[1:3])
    return Expression(f"{ctx.value(item.operands[3], 'pred')} ? {first} : {second}", type_)


def _check_width(ctx: EmitContext, item: Instruction, form: Form, operands: tuple[Operand, ...]) -> None:
    """Refuse registers that are not as wide as the opcode says; calls' parameters of 8 bits are in wider ones."""
    for operand in operands:
        bits = ctx.function.registers[operand.name].bits if isinstance(operand, Register) else 0
        if bits > 8 and bits != TYPES[form.kind].bits:
            raise PtxError(f"Arguments mismatch for instruction '{item.opcode}'")


def _pointer_arithmetic(ctx: EmitContext, item: Instruction, target: Operand) -> Expression | None:
    """Return a sum that gives a pointer, as pointer arithmetic on its base."""
    if not isinstance(target, Register) or ctx.cxx_types[target.name] is not POINTER:
        return None
    pointers = {name: type_ for name, type_ in ctx.cxx_types.items() if type_ is POINTER}
    resolved = tuple(ctx.resolved(operand) for operand in item.operands)
    name, _, modifiers = item.opcode.partition(".")
    base_index = pointer_operand(item, pointers)
    if base_index == 0:
        return None
    is_64_bits = ctx.function.registers[target.name].bits == 64
    base = ctx.value(resolved[base_index], "pointer")
    number = "*s64" if is_64_bits else "s32"
    if name == "mad":
        if modifiers.startswith("wide"):
            factor_type = modifiers.removeprefix("wide.")
            if factor_type not in ("s32", "u32"):
                return None
            first, second = (
                widened(ctx.value(operand, factor_type), wider(factor_type)) for operand in item.operands[1:3]
            )
            return Expression(f"{base} + {first} * {second}", POINTER)
        first, second = (ctx.value(operand, number) for operand in item.operands[1:3])
        return Expression(f"{base} + {first} * {second}", POINTER)
    other = ctx.resolved(item.operands[3 - base_index])
    if isinstance(other, Immediate):
        value = other.value if is_64_bits else (other.value + (1 << 31)) % (1 << 32) - (1 << 31)
        value = value if value < 1 << 63 else value - (1 << 64)
        value = -value if name == "sub" else value
        return Expression(f"{base} {'-' if value < 0 else '+'} {abs(value)}{'ll' if abs(value) >> 31 else ''}", POINTER)
    return Expression(f"{base} {'-' if name == 'sub' else '+'} {ctx.value(other, number)}", POINTER)


def _result_pair(ctx: EmitContext, item: Instruction, form: Form, target: ResultPair) -> None:
    """`p|q`: the second result first, since the first may be one of the operands."""
    if "{second}" in form.value:
        ctx.assign(target.first, _expression(ctx, item, form))
        return
    halves = form.packed and not form.second
    if not form.second and not halves:
        raise PtxError(f"'{item.opcode}' has one result")
    for operand in item.operands[1:]:
        if isinstance(operand, Register):
            ctx.materialize(operand.name)
    with ctx.scope():
        second = _half_result(ctx, item, form, 1) if halves else _fill(ctx, item, form, form.second)
        ctx.add(f"const bool cuda_shim_second = {second};")
        first = Expression(_half_result(ctx, item, form, 0), TYPES["pred"]) if halves else _expression(ctx, item, form)
        ctx.assign(target.first, first)
        ctx.assign(target.second, Expression("cuda_shim_second", TYPES["pred"]))


def _half_result(ctx: EmitContext, item: Instruction, form: Form, half: int) -> str:
    operands = _Operands(ctx, item, form)
    return Operands(operands.value, operands.address, operands.word, len(item.operands)).half(form, form.value, half)


def _pack_or_unpack(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """mov between a register and several that are pieces of it."""
    _require_count(item, 2, exactly=True)
    target, source = item.operands
    whole_type = TYPES[form.kind]
    if isinstance(target, Vector):
        piece = _piece(whole_type.bits, len(target.items))
        if isinstance(source, Register):
            ctx.materialize(source.name)
        number = f"b{whole_type.bits}"
        with ctx.scope():
            ctx.add(f"const {TYPES[number].cxx} cuda_shim_whole = {ctx.value(source, number)};")
            for index, operand in enumerate(target.items):
                if not isinstance(operand, Sink):
                    text = f"cuda_shim_whole >> {index * piece}" if index else "cuda_shim_whole"
                    ctx.assign(operand, Expression(f"({TYPES[f'u{piece}'].cxx})({text})", TYPES[f"u{piece}"]))
        return
    if not isinstance(source, Vector):
        raise PtxError("a vector is wanted here")
    piece = _piece(whole_type.bits, len(source.items))
    cxx = TYPES[f"b{whole_type.bits}"].cxx
    parts = []
    for index, operand in enumerate(source.items):
        value = f"({cxx}){ctx.value(operand, f'u{piece}')}"
        parts.append(f"{value} << {index * piece}" if index else value)
    text = " | ".join(f"({part})" for part in parts)
    ctx.assign(target, Expression(text, TYPES[f"b{whole_type.bits}"]))


def _piece(bits: int, count: int) -> int:
    if count not in (2, 4, 8) or bits // count not in (8, 16, 32, 64):
        raise PtxError("such a vector does not fit a register")
    return bits // count


def _async_copy(ctx: EmitContext, item: Instruction) -> None:
    """cp.async: the copy is done at once, so that waiting for it is a no-op."""
    parts = item.opcode.split(".")
    if parts[2] in ("commit_group", "wait_group", "wait_all"):
        return
    if parts[2] not in ("ca", "cg") or len(item.operands) not in (3, 4):
        raise Unknown(f"'{item.opcode}': only copies of up to 16 bytes have a counterpart")
    target = memory.address_of(ctx, item.operands[0], "shared")
    source = memory.address_of(ctx, item.operands[1], "global")
    size = ctx.value(item.operands[2], "u32")
    valid_size = ctx.value(item.operands[3], "u32") if len(item.operands) == 4 else size
    ctx.add(f"cuda_shim_ptx::copy({target}, {source}, {size}, {valid_size});")


def _cache_policy(ctx: EmitContext, item: Instruction) -> None:
    """createpolicy: its operands advise the cache alone."""
    form = form_of(item.opcode)
    _require_count(item, 1)
    ctx.assign(item.operands[0], Expression(form.value, TYPES["u64"]))


def _barrier(ctx: EmitContext, item: Instruction) -> None:
    """bar.red takes the barrier's number as well."""
    if barriers.named_barrier(ctx, item):
        return
    form = form_of(item.opcode)
    _record_hosts(ctx, item, form)
    if not form.do:
        _value(ctx, item, form, may_defer=False)
    elif form.operands is None:
        ctx.add(f"{_fill(ctx, item, form, form.do)};")
    else:
        _check_operands(item, form)
        ctx.add("__syncthreads();")


_SPECIAL_HANDLERS: dict[str, Callable[[EmitContext, Instruction], None]] = {
    "bar": _barrier,
    "barrier": _barrier,
    "cp": _async_copy,
    "createpolicy": _cache_policy,
    "mma": matrices.multiply,
    "ldmatrix": matrices.load_matrices,
    "stmatrix": matrices.store_matrices,
    "wgmma": warpgroups.with_warpgroup,
    "wmma": fragments.with_fragments,
    "tex": images.texture,
    "tld4": images.gather,
    "txq": images.query,
    "suq": images.query,
    "suld": images.surface_load,
    "sust": images.surface_store,
}
