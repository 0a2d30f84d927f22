"""Promotion of parameters to registers: a call's parameters and results need no memory.

Problem: PTX passes arguments through variables in the .param space. As C++ variables whose address is taken they would
keep compilers from passing them in registers.

    ld.param.u32 %r1, [f_param_0];    // before
    mov.b32 %r1, f_param_0;           // after; f_param_0 is a register

Preconditions: every access to the parameter is a load or store of the whole, of its width, or the parameter's place in
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
            for name in _accessed_in_part(item, types):
                types.pop(name, None)
    function.registers.update(types)
    function.body = [_rewritten(item, function, types) for item in function.body or []]
    for name in types:
        function.variables.pop(name, None)
    return set(types)


def _candidates(function: Function) -> dict[str, Type]:
    candidates = {
        parameter.name: parameter.type
        for parameter in (*function.parameters, *function.results)
        if parameter.count is None and parameter.name and parameter.name not in function.registers
    }
    for variable in function.variables.values():
        if variable.space == "param" and not variable.dimensions and variable.vector == 1:
            candidates[variable.name] = variable.type
    return candidates


def _form(item: Instruction) -> Form | None:
    try:
        return form_of(item.opcode)
    except Unknown:
        return None


def _whole_access(item: Instruction, types: dict[str, Type]) -> str:
    """Return the parameter that an instruction loads or stores as a whole, "" for others."""
    form = _form(item) if item.opcode.startswith(("ld.param", "st.param")) else None
    if form is None or form.vector != 1 or len(item.operands) != 2:
        return ""
    address = item.operands[1 if form.memory == "load" else 0]
    if (
        not isinstance(address, Address)
        or not isinstance(address.base, Symbol)
        or address.offset
        or address.coordinates
    ):
        return ""
    type_ = types.get(address.base.name)
    return address.base.name if type_ is not None and TYPES[form.kind].bits == type_.bits else ""


def _accessed_in_part(item: Instruction, types: dict[str, Type]) -> set[str]:
    """Return the parameters that an instruction needs in memory."""
    if isinstance(item, Call):
        return set()
    whole_parameter = _whole_access(item, types)
    parameters: set[str] = set()
    worklist: list[Operand] = list(item.operands)
    while worklist:
        operand = worklist.pop()
        if isinstance(operand, Symbol) and operand.name in types:
            parameters.add(operand.name)
        elif isinstance(operand, Address):
            worklist += [operand.base, *operand.coordinates]
        elif isinstance(operand, (Vector, Group)):
            worklist += operand.items
    return parameters - {whole_parameter}


def _rewritten(item: Instruction | Label, function: Function, types: dict[str, Type]) -> Instruction | Label:
    if isinstance(item, Label):
        return item
    if isinstance(item, Call):
        return replace(
            item,
            results=tuple(_promoted(operand, types) for operand in item.results),
            arguments=tuple(_promoted(operand, types) for operand in item.arguments),
        )
    name = _whole_access(item, types)
    if not name:
        return item
    kind, register = form_of(item.opcode).kind, Register(name)
    if item.opcode.startswith("st"):
        return replace(item, opcode=f"mov.{_mov_type(kind, types[name])}", operands=(register, item.operands[1]))
    target = item.operands[0]
    target_type = function.registers[target.name] if isinstance(target, Register) else types[name]
    if target_type.bits == types[name].bits:
        return replace(item, opcode=f"mov.{_mov_type(kind, target_type)}", operands=(target, register))
    # A value that is narrower than its register is extended by its own sign.
    kind = f"u{kind[1:]}" if kind[0] == "b" else kind
    return replace(item, opcode=f"cvt.{kind[0]}{target_type.bits}.{kind}", operands=(target, register))


def _mov_type(kind: str, type_: Type) -> str:
    if type_.bits == 8:
        return "b16"
    return kind if kind[0] in "fb" and kind != "bf16" else f"b{type_.bits}"


def _promoted(operand: Operand, types: dict[str, Type]) -> Operand:
    return Register(operand.name) if isinstance(operand, Symbol) and operand.name in types else operand
