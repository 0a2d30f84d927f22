"""Loads, stores and addresses of every space as C++."""

from __future__ import annotations

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
from cuda_shim.translate.ptx.surroundings import Surroundings
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type
from cuda_shim.translate.ptx.values import Expression

__all__ = ["address_of", "convert_address", "load", "pointer_to", "store", "touch"]


def address_of(around: Surroundings, operand: Operand, space: str) -> str:
    """Return an address as `char*`."""
    if not isinstance(operand, Address) or operand.coordinates:
        raise PtxError("an address is wanted here")
    base = around.resolved(operand.base)
    if isinstance(base, Symbol):
        _check_space(around, base, space)
        return around.symbol(Symbol(base.name, base.offset + operand.offset))
    if isinstance(base, Immediate):
        text = around.value(Immediate(base.value + operand.offset, "int"), "u64")
        return f"((char*){text})"
    have = around.expression(base)
    if have.type is POINTER:
        text = have.primary
    elif space == "shared":
        text = shared_pointer(around, have)
    elif space == "local" and have.type.bits == 32 and around.narrow_local_base:
        text = f"cuda_shim_ptx::near_pointer({have.primary}, {around.narrow_local_base})"
    else:
        if have.type.bits != 64:
            raise PtxError("an address of 32 bits in a space of 64")
        text = f"((char*){have.primary})"
    if operand.offset:
        return f"({text} {'-' if operand.offset < 0 else '+'} {abs(operand.offset)})"
    return text


def _check_space(around: Surroundings, base: Symbol, space: str) -> None:
    variable = around.function.variables.get(base.name) or around.module.variables.get(base.name)
    if base.name in around.in_memory:
        found = "param"
    elif variable is not None:
        found = variable.space
    elif base.name in around.module.functions:
        raise PtxError(f"'{base.name}' is a function")
    else:
        raise PtxError(f"Unknown symbol '{base.name}'")
    if space and found != space and not (space == "global" and found == "const"):
        raise PtxError(f"State space mismatch: '{base.name}' lies in .{found}")


def shared_pointer(around: Surroundings, number: Expression) -> str:
    """Return the pointer for an address of shared memory, a number of which only the low 32 bits are valid."""
    low = f"(unsigned){number.primary}"
    bases = around.shared_bases()
    return f"cuda_shim_ptx::shared_pointer({low}, {', '.join(bases)})"


def pointer_to(around: Surroundings, operand: Operand, space: str, type_: Type, *, volatile: bool = False) -> str:
    """Return an address as a pointer to a type."""
    text = address_of(around, operand, space)
    return f"({'volatile ' if volatile else ''}{type_.cxx}*){text}"


def load(around: Surroundings, item: Instruction, form: Form) -> None:
    """ld, ldu: each register of a vector separately."""
    target, place = item.operands
    targets = target.items if isinstance(target, Vector) else (target,)
    if len(targets) != form.vector:
        raise PtxError(f"{len(targets)} registers for a vector of {form.vector}")
    if len(targets) > 1:
        _load_vector(around, targets, place, form)
    else:
        type_ = _loaded(around, targets[0], TYPES[form.kind])
        text = f"*{pointer_to(around, place, form.space, type_, volatile=_is_volatile(form))}"
        around.assign(targets[0], Expression(text, type_))
    if form.order in ("acquire", "acq_rel"):
        around.add("__threadfence();")


def _load_vector(around: Surroundings, targets: tuple[Operand, ...], place: Operand, form: Form) -> None:
    if not isinstance(place, Address):
        raise PtxError("an address is wanted here")
    base = around.resolved(place.base)
    order = list(enumerate(targets))
    if isinstance(base, Register):
        around.settle_one(base.name)
        # The register of the address is loaded last.
        order.sort(key=lambda pair: isinstance(pair[1], Register) and pair[1].name == base.name)
    for number, target in order:
        if isinstance(target, Sink):
            continue
        type_ = _loaded(around, target, TYPES[form.kind])
        moved = Address(place.base, place.offset + number * type_.size)
        pointer = pointer_to(around, moved, form.space, type_, volatile=_is_volatile(form))
        around.assign(target, Expression(f"*{pointer}", type_))


def _loaded(around: Surroundings, target: Operand, type_: Type) -> Type:
    """Return the type to load: the register's own if that has the same width."""
    if isinstance(target, Register):
        own = around.kinds[target.name]
        if own.bits == type_.bits and (type_.kind == "bits" or own.kind != "predicate"):
            return own
    return type_


def _is_volatile(form: Form) -> bool:
    return form.order in ("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio")


def store(around: Surroundings, item: Instruction, form: Form) -> None:
    """st: each register of a vector separately."""
    place, source = item.operands
    sources = source.items if isinstance(source, Vector) else (source,)
    if len(sources) != form.vector:
        raise PtxError(f"{len(sources)} registers for a vector of {form.vector}")
    if form.order in ("release", "acq_rel"):
        around.add("__threadfence();")
    if not isinstance(place, Address):
        raise PtxError("an address is wanted here")
    base = around.resolved(place.base)
    if len(sources) > 1 and isinstance(base, Register):
        around.settle_one(base.name)
    for number, found in enumerate(sources):
        if isinstance(found, Sink):
            continue
        type_ = _stored(around, around.resolved(found), TYPES[form.kind])
        moved = Address(place.base, place.offset + number * type_.size)
        value = around.value(found, "pointer" if type_ is POINTER else type_.name)
        pointer = pointer_to(around, moved, form.space, type_, volatile=_is_volatile(form))
        around.add(f"*{pointer} = {value};")


def _stored(around: Surroundings, source: Operand, type_: Type) -> Type:
    if isinstance(source, Register):
        own = around.kinds[source.name]
        if own.bits == type_.bits and type_.kind != "predicate":
            return own
    return type_


def touch(around: Surroundings, item: Instruction, form: Form) -> None:
    """prefetch and its like have no effect, but their operand must still be an address."""
    around.add(f"(void){address_of(around, item.operands[0], form.space)};")


def convert_address(around: Surroundings, item: Instruction, form: Form) -> None:
    """cvta: pointers are generic everywhere; numbers that are the low 32 bits of an address become pointers."""
    target, source = item.operands
    source = around.resolved(source)
    if not isinstance(target, Register):
        if target is SINK:
            return
        raise PtxError("a register is wanted here")
    have = around.expression(source)
    if form.space == "shared" and not form.to:
        if have.type is not POINTER:
            have = Expression(shared_pointer(around, have), POINTER)
        elif isinstance(source, Register):  # a register of pointer type may still hold a 32-bit number
            given = ", ".join((have.text, *around.shared_bases()))
            have = Expression(f"cuda_shim_ptx::shared_generic({given})", POINTER)
    elif form.space == "local" and not form.to and isinstance(source, Register) and around.narrow_local_base:
        given = f"(unsigned long long){have.primary}"
        have = Expression(f"cuda_shim_ptx::local_generic({given}, {around.narrow_local_base})", POINTER)
    around.assign(target, have)
