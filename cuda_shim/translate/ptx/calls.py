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
        return _link_type(parameter.type).cxx
    key = (parameter.size, parameter.align)
    return structs.setdefault(key, f"cuda_shim_ptx_bytes_{parameter.size}_{parameter.align}")


def _link_type(type_: Type) -> Type:
    """Return the type for linking: the width of a parameter decides, so bits and signed numbers are unsigned ones."""
    return TYPES[f"u{type_.bits}"] if type_.kind in ("bits", "signed") and type_.bits <= 64 else type_


def signature_of(function: Function, structs: dict[tuple[int, int], str]) -> tuple[str, list[str]]:
    """Return the type of a function's result and those of its parameters."""
    if len(function.results) > 1:
        raise UnsupportedPtx(f"the function '{function.name}' has more than one result")
    result = passed_type(function.results[0], structs) if function.results else "void"
    return result, [passed_type(parameter, structs) for parameter in function.parameters]


def call(ctx: EmitContext, item: Call) -> None:
    """Write a call."""
    target = item.target
    if isinstance(target, Symbol) and target.name in ctx.module.functions:
        callee = ctx.module.functions[target.name]
        runtime_function = PROVIDED.get(callee.name) if callee.body is None else None
        text = name_of_symbol(callee.name)
        if runtime_function is not None:
            text = runtime_function[0]
            ctx.requirements.add(runtime_function[1])
        else:
            ctx.requirements.add(callee.name)
    elif isinstance(target, Register):
        if item.prototype not in ctx.function.prototypes:
            raise PtxError(f"a call by address needs a prototype, and '{item.prototype}' is not one")
        callee = ctx.function.prototypes[item.prototype]
        result, types = signature_of(callee, ctx.structs)
        text = f"(({result} (*)({', '.join(types)})){ctx.value(target, 'u64')})"
    else:
        raise PtxError(f"Unknown symbol '{getattr(target, 'name', target)}'")
    if len(item.arguments) != len(callee.parameters) or len(item.results) != len(callee.results):
        raise PtxError(f"the call of '{callee.name or item.prototype}' does not fit its declaration")
    arguments = [_argument(ctx, *pair) for pair in zip(item.arguments, callee.parameters, strict=True)]
    call_text = f"{text}({', '.join(arguments)})"
    if not item.results:
        ctx.add(f"{call_text};")
        return
    result_operand = item.results[0]
    if callee.results[0].count is None:
        ctx.assign(result_operand, Expression(call_text, _link_type(callee.results[0].type)))
    elif isinstance(result_operand, Symbol) and result_operand.name in ctx.in_memory:
        ctx.names.add(result_operand.name)
        ctx.add(f"{ctx.variable(result_operand.name)} = {call_text};")
    else:
        raise PtxError("the result of a call does not fit its declaration")


def _argument(ctx: EmitContext, operand: Operand, parameter: Parameter) -> str:
    if isinstance(operand, Symbol) and operand.name in ctx.in_memory:
        ctx.names.add(operand.name)
        variable = ctx.variable(operand.name)
        if parameter.count is None:
            return f"*({_link_type(parameter.type).cxx}*)&{variable}"
        variable_parameter = ctx.in_memory[operand.name]
        if (variable_parameter.size, variable_parameter.align) == (parameter.size, parameter.align):
            return variable
        return f"*({passed_type(parameter, ctx.structs)}*)&{variable}"
    if parameter.count is not None:
        raise PtxError("an argument does not fit its declaration")
    return ctx.value(operand, _link_type(parameter.type).name)
