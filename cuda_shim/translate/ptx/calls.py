"""Calls of functions, by name and by address, and those that CUDA's runtime provides."""

from __future__ import annotations

from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.module import Call, Function, Operand, Parameter, Register, Symbol
from cuda_shim.translate.ptx.types import TYPES, Type
from cuda_shim.translate.ptx.values import Expression, name_of_symbol

__all__ = ["PROVIDED", "call", "passed_type", "signature_of"]

# Functions that every program may declare and call: the C++ function for each, and the requirement that it adds.
PROVIDED: dict[str, tuple[str, str]] = {
    "vprintf": ("cuda_shim_ptx::print", "the runtime"),
    "malloc": ("cuda_shim_ptx::allocate", "the runtime"),
    "free": ("cuda_shim_ptx::release", "the runtime"),
    "__assertfail": ("cuda_shim_ptx::assertion_failed", "the runtime"),
    "cudaCGGetIntrinsicHandle": ("cuda_shim_ptx::group_handle", "cooperative_groups"),
    "cudaCGSynchronize": ("cuda_shim_ptx::synchronize_group", "cooperative_groups"),
    "cudaCGGetSize": ("cuda_shim_ptx::group_size", "cooperative_groups"),
    "cudaCGGetRank": ("cuda_shim_ptx::group_rank", "cooperative_groups"),
}


def passed_type(parameter: Parameter, structs: dict[tuple[int, int], str]) -> str:
    """Return the C++ type that a parameter or result is passed as; arrays are passed as structures."""
    if parameter.count is None:
        return _plain(parameter.type).cxx
    key = (parameter.size, parameter.align)
    return structs.setdefault(key, f"cuda_shim_ptx_bytes_{parameter.size}_{parameter.align}")


def _plain(type_: Type) -> Type:
    """Return the type for linking: the width of a parameter decides, so bits and signed numbers are unsigned ones."""
    return TYPES[f"u{type_.bits}"] if type_.kind in ("bits", "signed") and type_.bits <= 64 else type_


def signature_of(function: Function, structs: dict[tuple[int, int], str]) -> tuple[str, list[str]]:
    """Return the type of a function's result and those of its parameters."""
    if len(function.results) > 1:
        raise UnsupportedPtx(f"the function '{function.name}' has more than one result")
    result = passed_type(function.results[0], structs) if function.results else "void"
    return result, [passed_type(parameter, structs) for parameter in function.parameters]


def call(around: EmitContext, item: Call) -> None:
    """Write a call."""
    target = item.target
    if isinstance(target, Symbol) and target.name in around.module.functions:
        callee = around.module.functions[target.name]
        provided = PROVIDED.get(callee.name) if callee.body is None else None
        text = name_of_symbol(callee.name)
        if provided is not None:
            text = provided[0]
            around.needs.add(provided[1])
        else:
            around.needs.add(callee.name)
    elif isinstance(target, Register):
        if item.prototype not in around.function.prototypes:
            raise PtxError(f"a call by address needs a prototype, and '{item.prototype}' is not one")
        callee = around.function.prototypes[item.prototype]
        result, types = signature_of(callee, around.structs)
        text = f"(({result} (*)({', '.join(types)})){around.value(target, 'u64')})"
    else:
        raise PtxError(f"Unknown symbol '{getattr(target, 'name', target)}'")
    if len(item.arguments) != len(callee.parameters) or len(item.results) != len(callee.results):
        raise PtxError(f"the call of '{callee.name or item.prototype}' does not fit its declaration")
    arguments = [_argument(around, *pair) for pair in zip(item.arguments, callee.parameters, strict=True)]
    whole = f"{text}({', '.join(arguments)})"
    if not item.results:
        around.add(f"{whole};")
        return
    result_operand = item.results[0]
    if callee.results[0].count is None:
        around.assign(result_operand, Expression(whole, _plain(callee.results[0].type)))
    elif isinstance(result_operand, Symbol) and result_operand.name in around.in_memory:
        around.names.add(result_operand.name)
        around.add(f"{around.variable(result_operand.name)} = {whole};")
    else:
        raise PtxError("the result of a call does not fit its declaration")


def _argument(around: EmitContext, operand: Operand, parameter: Parameter) -> str:
    if isinstance(operand, Symbol) and operand.name in around.in_memory:
        around.names.add(operand.name)
        variable = around.variable(operand.name)
        if parameter.count is None:
            return f"*({_plain(parameter.type).cxx}*)&{variable}"
        known = around.in_memory[operand.name]
        if (known.size, known.align) == (parameter.size, parameter.align):
            return variable
        return f"*({passed_type(parameter, around.structs)}*)&{variable}"
    if parameter.count is not None:
        raise PtxError("an argument does not fit its declaration")
    return around.value(operand, _plain(parameter.type).name)
