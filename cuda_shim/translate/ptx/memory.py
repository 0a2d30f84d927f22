"""Loads, stores and addresses of every space as C++."""

from __future__ import annotations

from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.instructions import Form
from cuda_shim.translate.ptx.module import (
    SINK,
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    Sink,
    Symbol,
    Vector,
)
from cuda_shim.translate.ptx.orders import access_function
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type
from cuda_shim.translate.ptx.values import Expression

__all__ = [
    "address_of",
    "box_of",
    "convert_address",
    "items_of",
    "load",
    "pointer_to",
    "shared_place",
    "store",
    "touch",
]

_OF_CLUSTER = "shared::cluster"


def address_of(ctx: EmitContext, operand: Operand, space: str) -> str:
    """Return an address as `char*`."""
    if not isinstance(operand, Address) or operand.coordinates:
        raise PtxError("an address is wanted here")
    base = ctx.resolved(operand.base)
    if isinstance(base, Symbol):
        _check_space(ctx, base, space)
        return ctx.symbol(Symbol(base.name, base.offset + operand.offset))
    if isinstance(base, Immediate):
        text = ctx.value(Immediate(base.value + operand.offset, "int"), "u64")
        return f"((char*){text})"
    expression = ctx.expression(base)
    if expression.type is POINTER:
        text = expression.primary
    elif space == "shared":
        text = shared_pointer(ctx, expression)
    elif space == _OF_CLUSTER:
        text = f"cuda_shim_ptx::shared_place({expression.text}, 0)"
    elif space == "local" and expression.type.bits == 32 and ctx.narrow_local_base:
        text = f"cuda_shim_ptx::near_pointer({expression.primary}, {ctx.narrow_local_base})"
    else:
        if expression.type.bits != 64:
            raise PtxError("an address of 32 bits in a space of 64")
        text = f"((char*){expression.primary})"
    if operand.offset:
        return f"({text} {'-' if operand.offset < 0 else '+'} {abs(operand.offset)})"
    return text


def _check_space(ctx: EmitContext, base: Symbol, space: str) -> None:
    variable = ctx.function.variables.get(base.name) or ctx.module.variables.get(base.name)
    if base.name in ctx.in_memory:
        declared_space = "param"
    elif variable is not None:
        declared_space = variable.space
    elif base.name in ctx.module.functions:
        raise PtxError(f"'{base.name}' is a function")
    else:
        raise PtxError(f"Unknown symbol '{base.name}'")
    space = space.partition("::")[0]
    if space and declared_space != space and not (space == "global" and declared_space == "const"):
        raise PtxError(f"State space mismatch: '{base.name}' is in .{declared_space}")


def shared_pointer(ctx: EmitContext, number: Expression) -> str:
    """Return the pointer for an address of shared memory, a number of which only the low 32 bits are valid."""
    low = f"(unsigned){number.primary}"
    bases = ctx.shared_bases()
    return f"cuda_shim_ptx::shared_pointer({low}, {', '.join(bases)})"


def shared_place(ctx: EmitContext, operand: Operand) -> str:
    """Return shared memory, of any block of the cluster, as `char*`; its address may be an operand itself."""
    return address_of(ctx, operand if isinstance(operand, Address) else _as_address(operand), _OF_CLUSTER)


def _as_address(operand: Operand) -> Address:
    if not isinstance(operand, (Register, Symbol, Immediate)):
        raise PtxError("an address is wanted here")
    return Address(operand, 0, ())


def box_of(ctx: EmitContext, operand: Operand, dimensions: int) -> str:
    """Return the arguments for `[map, {coordinates}]`: the map's address, and the position of a box."""
    if not isinstance(operand, Address) or len(operand.coordinates) != 1:
        raise PtxError("a tensor map with coordinates is wanted here")
    position = operand.coordinates[0]
    if not isinstance(position, Vector) or len(position.items) != dimensions:
        raise PtxError(f"{dimensions} coordinates are wanted here")
    tensor_map = address_of(ctx, Address(operand.base, operand.offset, ()), "")
    return f"{tensor_map}, {items_of(ctx, position, 's32', in_box=True)}"


def items_of(ctx: EmitContext, operand: Operand, type_name: str, *, in_box: bool = False) -> str:
    """Return the registers of a vector, or a single one, as arguments; as one position with `in_box`."""
    items = operand.items if isinstance(operand, Vector) else (operand,)
    text = ", ".join(ctx.value(item, type_name) for item in items)
    return f"cuda_shim_ptx::box_at({text})" if in_box else text


def pointer_to(ctx: EmitContext, operand: Operand, space: str, type_: Type) -> str:
    """Return an address as a pointer to a type."""
    return f"({type_.cxx}*){address_of(ctx, operand, space)}"


def _loaded(ctx: EmitContext, operand: Operand, form: Form, type_: Type) -> str:
    """Return the value at an address, read as the form's order and cache operator say."""
    pointer, function = pointer_to(ctx, operand, form.space, type_), access_function(form)
    return f"{function}({pointer})" if function else f"*{pointer}"


def load(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """ld, ldu: each register of a vector separately."""
    target, address = item.operands
    targets = target.items if isinstance(target, Vector) else (target,)
    if len(targets) != form.vector:
        raise PtxError(f"{len(targets)} registers for a vector of {form.vector}")
    if len(targets) > 1:
        _load_vector(ctx, targets, address, form)
    else:
        type_ = _load_type(ctx, targets[0], TYPES[form.kind])
        ctx.assign(targets[0], Expression(_loaded(ctx, address, form, type_), type_))


def _load_vector(ctx: EmitContext, targets: tuple[Operand, ...], address: Operand, form: Form) -> None:
    if not isinstance(address, Address):
        raise PtxError("an address is wanted here")
    base = ctx.resolved(address.base)
    order = list(enumerate(targets))
    if isinstance(base, Register):
        ctx.materialize(base.name)
        # The register of the address is loaded last.
        order.sort(key=lambda pair: isinstance(pair[1], Register) and pair[1].name == base.name)
    for number, target in order:
        if isinstance(target, Sink):
            continue
        type_ = _load_type(ctx, target, TYPES[form.kind])
        element = Address(address.base, address.offset + number * type_.size)
        ctx.assign(target, Expression(_loaded(ctx, element, form, type_), type_))


def _load_type(ctx: EmitContext, target: Operand, type_: Type) -> Type:
    """Return the type to load: the register's own if that has the same width."""
    if isinstance(target, Register):
        register_type = ctx.cxx_types[target.name]
        if register_type.bits == type_.bits and (type_.kind == "bits" or register_type.kind != "predicate"):
            return register_type
    return type_


def store(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """st: each register of a vector separately."""
    address, source = item.operands
    sources = source.items if isinstance(source, Vector) else (source,)
    if len(sources) != form.vector:
        raise PtxError(f"{len(sources)} registers for a vector of {form.vector}")
    function = access_function(form)
    if not isinstance(address, Address):
        raise PtxError("an address is wanted here")
    base = ctx.resolved(address.base)
    if len(sources) > 1 and isinstance(base, Register):
        ctx.materialize(base.name)
    for number, register in enumerate(sources):
        if isinstance(register, Sink):
            continue
        type_ = _store_type(ctx, ctx.resolved(register), TYPES[form.kind])
        element = Address(address.base, address.offset + number * type_.size)
        value = ctx.value(register, "pointer" if type_ is POINTER else type_.name)
        pointer = pointer_to(ctx, element, form.space, type_)
        ctx.add(f"{function}({pointer}, {value});" if function else f"*{pointer} = {value};")


def _store_type(ctx: EmitContext, source: Operand, type_: Type) -> Type:
    if isinstance(source, Register):
        register_type = ctx.cxx_types[source.name]
        if register_type.bits == type_.bits and type_.kind != "predicate":
            return register_type
    return type_


def touch(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """prefetch and its like have no effect, but their operand must still be an address."""
    ctx.add(f"(void){address_of(ctx, item.operands[0], form.space)};")


def convert_address(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """cvta: pointers are generic everywhere; numbers that are the low 32 bits of an address become pointers."""
    target, source = item.operands
    source = ctx.resolved(source)
    if not isinstance(target, Register):
        if target is SINK:
            return
        raise PtxError("expected a register")
    pointer = ctx.expression(source)
    if form.space == "shared" and not form.to:
        if pointer.type is not POINTER:
            pointer = Expression(shared_pointer(ctx, pointer), POINTER)
        elif isinstance(source, Register):  # a register of pointer type may still hold a 32-bit number
            arguments = ", ".join((pointer.text, *ctx.shared_bases()))
            pointer = Expression(f"cuda_shim_ptx::shared_generic({arguments})", POINTER)
    elif form.space in ("local", "param") and not form.to and isinstance(source, Register):
        base = ctx.narrow_local_base if form.space == "local" else ctx.narrow_param_base
        if base:
            low = f"(unsigned long long){pointer.primary}"
            pointer = Expression(f"cuda_shim_ptx::local_generic({low}, {base})", POINTER)
    ctx.assign(target, pointer)
