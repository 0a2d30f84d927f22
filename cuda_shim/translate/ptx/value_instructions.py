"""Instructions that give a register a value, as assignments or as expressions where the register is read."""

from __future__ import annotations

from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.form_operands import fill, half_result
from cuda_shim.translate.ptx.instructions import Form, widened
from cuda_shim.translate.ptx.module import (
    SINK,
    Immediate,
    Instruction,
    Operand,
    Register,
    ResultPair,
    Sink,
    Special,
    Vector,
)
from cuda_shim.translate.ptx.orders import fence_after, fence_before
from cuda_shim.translate.ptx.type_inference import pointer_operand
from cuda_shim.translate.ptx.types import POINTER, TYPES, wider
from cuda_shim.translate.ptx.values import Expression, is_cast

__all__ = ["give_value"]

# Instructions that must not be moved although they only give a value: they involve other threads, a carry or the stack.
_IMMOVABLE = (
    "atom", "red", "shfl", "vote", "match", "activemask", "redux", "bar", "barrier", "elect", "addc", "subc", "madc",
    "alloca", "mbarrier",
)  # fmt: skip
# Instructions that compute indices and addresses.
_INDEXING = ("add", "sub", "mul", "mad", "shl", "cvt", "cvta", "and", "or")
_NARROWEST = 32


def _materialize_repeated(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """Operands that a form reads more than once get variables, since a deferred value is emitted where it is read."""
    for number, operand in enumerate(item.operands):
        if not isinstance(operand, Register) or operand.name not in ctx.deferred:
            continue
        mark = "{" + str(number)
        count = form.value.count(mark) + form.second.count(mark)
        if count > 1 or form.packed:
            ctx.materialize(operand.name)


def give_value(ctx: EmitContext, item: Instruction, form: Form, *, may_defer: bool) -> None:
    """Write an instruction that gives a register a value, or keep its expression until the register is read.

    Raises PtxError for operands that do not fit the form.
    """
    name = item.opcode.partition(".")[0]
    if name == "mov" and any(isinstance(operand, Vector) for operand in item.operands):
        _pack_or_unpack(ctx, item, form)
        return
    _materialize_repeated(ctx, item, form)
    target = item.operands[0]
    if not isinstance(target, (Register, ResultPair, Sink)):
        raise PtxError(f"'{item.opcode}' needs a register for its result")
    if form.packed and form.result == "pred" and not isinstance(target, ResultPair):
        target = ResultPair(target, SINK)  # the predicate of the first half alone
    if isinstance(target, ResultPair):
        _result_pair(ctx, item, form, target)
        return
    if before := fence_before(form):
        ctx.add(f"{before};")
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
    if after := fence_after(form):
        ctx.add(f"{after};")


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
    text = fill(ctx, item, form, form.constant if is_constant_shift else form.value)
    # Numbers of either sign are mixed in sums and products, and short ones are widened by C++.
    result = TYPES[form.result]
    exact = result.kind in ("floating", "predicate") or is_cast(text, result)
    return Expression(text, result, exact)


def _copy_or_select(ctx: EmitContext, item: Instruction, form: Form) -> Expression:
    """mov and selp: the type is that of the register, not that of the opcode."""
    target = item.operands[0]
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
            raise Mismatch(item.opcode)


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
        second = half_result(ctx, item, form, 1) if halves else fill(ctx, item, form, form.second)
        ctx.add(f"const bool cuda_shim_second = {second};")
        first = Expression(half_result(ctx, item, form, 0), TYPES["pred"]) if halves else _expression(ctx, item, form)
        ctx.assign(target.first, first)
        ctx.assign(target.second, Expression("cuda_shim_second", TYPES["pred"]))


def _pack_or_unpack(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """mov between a register and several that are pieces of it."""
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
