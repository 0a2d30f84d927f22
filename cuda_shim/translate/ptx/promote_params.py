"""Promotion of parameters to registers: a call's parameters and results need no memory.

Problem: PTX passes arguments through variables in the .param space. As C++ variables whose address is taken they would
keep compilers from passing them in registers.

    ld.param.u32 %r1, [f_param_0];    // before
    mov.b32 %r1, f_param_0;           // after; f_param_0 is a register

What must hold: every access to the parameter is a load or store of the whole, of its width, or the parameter's place in
a call. A value that is narrower than its register is extended by its own sign.

Limits: scalars only. Others, mainly structures passed by value, stay memory of their own.
"""

from __future__ import annotations

from dataclasses import replace

from cuda_shim.translate.ptx.instructions import Form, Unknown, form_of
from cuda_shim.translate.ptx.module import (
    Address,
    Call,
    Function,
    Group,
    Instruction,
    Label,
    Operand,
    Register,
    Symbol,
    Vector,
)
from cuda_shim.translate.ptx.types import TYPES, Type

__all__ = ["promote_parameters"]


def promote_parameters(function: Function) -> set[str]:
    """Rewrites a function's body; the parameters, results and variables that became registers."""
    types = _candidates(function)
    for item in function.body or []:
        if isinstance(item, Instruction):
            for name in _in_memory(item, types):
                types.pop(name, None)
    function.registers.update(types)
    function.body = [_rewritten(item, function, types) for item in function.body or []]
    for name in types:
        function.variables.pop(name, None)
    return set(types)


def _candidates(function: Function) -> dict[str, Type]:
    found = {
        parameter.name: parameter.type
        for parameter in (*function.parameters, *function.results)
        if parameter.count is None and parameter.name and parameter.name not in function.registers
    }
    for variable in function.variables.values():
        if variable.space == "param" and not variable.dimensions and variable.vector == 1:
            found[variable.name] = variable.type
    return found


def _form(item: Instruction) -> Form | None:
    try:
        return form_of(item.opcode)
    except Unknown:
        return None


def _whole(item: Instruction, types: dict[str, Type]) -> str:
    """Return the parameter that an instruction loads or stores as a whole, "" for others."""
    form = _form(item) if item.opcode.startswith(("ld.param", "st.param")) else None
    if form is None or form.vector != 1 or len(item.operands) != 2:
        return ""
    place = item.operands[1 if form.memory == "load" else 0]
    if not isinstance(place, Address) or not isinstance(place.base, Symbol) or place.offset or place.coordinates:
        return ""
    known = types.get(place.base.name)
    return place.base.name if known is not None and TYPES[form.kind].bits == known.bits else ""


def _in_memory(item: Instruction, types: dict[str, Type]) -> set[str]:
    """Return the parameters that an instruction needs in memory."""
    if isinstance(item, Call):
        return set()
    whole = _whole(item, types)
    found: set[str] = set()
    waiting: list[Operand] = list(item.operands)
    while waiting:
        operand = waiting.pop()
        if isinstance(operand, Symbol) and operand.name in types:
            found.add(operand.name)
        elif isinstance(operand, Address):
            waiting += [operand.base, *operand.coordinates]
        elif isinstance(operand, (Vector, Group)):
            waiting += operand.items
    return found - {whole}


def _rewritten(item: Instruction | Label, function: Function, types: dict[str, Type]) -> Instruction | Label:
    if isinstance(item, Label):
        return item
    if isinstance(item, Call):
        return replace(
            item,
            results=tuple(_register(operand, types) for operand in item.results),
            arguments=tuple(_register(operand, types) for operand in item.arguments),
        )
    name = _whole(item, types)
    if not name:
        return item
    kind, register = form_of(item.opcode).kind, Register(name)
    if item.opcode.startswith("st"):
        return replace(item, opcode=f"mov.{_movable(kind, types[name])}", operands=(register, item.operands[1]))
    target = item.operands[0]
    wide = function.registers[target.name] if isinstance(target, Register) else types[name]
    if wide.bits == types[name].bits:
        return replace(item, opcode=f"mov.{_movable(kind, wide)}", operands=(target, register))
    # A value that is narrower than its register is extended by its own sign.
    kind = f"u{kind[1:]}" if kind[0] == "b" else kind
    return replace(item, opcode=f"cvt.{kind[0]}{wide.bits}.{kind}", operands=(target, register))


def _movable(kind: str, type_: Type) -> str:
    if type_.bits == 8:
        return "b16"
    return kind if kind[0] in "fb" and kind != "bf16" else f"b{type_.bits}"


def _register(operand: Operand, types: dict[str, Type]) -> Operand:
    return Register(operand.name) if isinstance(operand, Symbol) and operand.name in types else operand
