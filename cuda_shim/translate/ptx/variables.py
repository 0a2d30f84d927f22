"""The variables of a module, and of its functions, as C++ declarations."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Module, Symbol, Variable
from cuda_shim.translate.ptx.types import Type
from cuda_shim.translate.ptx.values import literal, name_of_symbol

__all__ = ["declared_variables", "variables_inside"]

_QUALIFIERS = {"global": "__device__", "const": "__constant__", "shared": "__shared__", "local": ""}


def declared_variables(module: Module, requirements: set[str], *, relocatable: bool) -> list[str]:
    """Return the declarations of all variables, those of functions under names of their own.

    Functions whose addresses they hold are added to `requirements`. In a module that is loaded alone the host may look
    up each by its name, including those that other modules cannot be linked with.
    """
    variables = list(_variables(module))
    declared = [_declaration(name, variable) for name, variable in variables if variable.initial is not None]
    return [text for text in declared if text] + [
        _definition(module, name, variable, requirements, hidden=relocatable and variable.linkage == "")
        for name, variable in variables
    ]


def _variables(module: Module) -> Iterator[tuple[str, Variable]]:
    for variable in module.variables.values():
        yield variable.name, variable
    for function in module.functions.values():
        for variable in function.variables.values():
            if variable.space in ("global", "const") or (variable.space == "shared" and not variable.size):
                yield f"{function.name}_{variable.name}", variable


def variables_inside(function: Function) -> str:
    """Return the declarations inside a function: a thread's own memory, and the block's shared memory.

    NVIDIA's assembler reserves memory for every shared variable of a function, for the local variables of functions
    that kernels call, and for those with generic addresses. The text uses the addresses of these variables, so that the
    compiler for host cores counts that memory as well. This use leaves no code.
    """
    text = ""
    keeps_locals = not function.entry or any(
        isinstance(item, Instruction) and item.opcode.startswith("cvta.local") for item in function.body or ()
    )
    for variable in function.variables.values():
        name, count = name_of_symbol(f"{function.name}_{variable.name}"), max(variable.count, 1)
        declaration = f"__align__({variable.align}) {variable.type.cxx} {name}[{count}];"
        address = f" (void)(unsigned long long){name};"
        if variable.space == "local":
            text += f"    {declaration}{address if keeps_locals else ''}\n"
        elif variable.space == "shared" and variable.size:
            text += f"    __shared__ {declaration}{address}\n"
    return text


def _is_local(variable: Variable) -> bool:
    return variable.linkage == ""


def _declaration(name: str, variable: Variable) -> str:
    """Before its definition, for others whose initialisers have its address; one that is static cannot be."""
    if _is_local(variable) or variable.linkage in ("weak", "common"):
        return ""
    declarator = f"{name_of_symbol(name)}[{max(variable.count, 1)}]"
    return f'extern "C" {_QUALIFIERS[variable.space]} {variable.type.cxx} {declarator};\n'


def _definition(module: Module, name: str, variable: Variable, requirements: set[str], *, hidden: bool) -> str:
    declarator = name_of_symbol(name)
    qualifier, cxx = _QUALIFIERS[variable.space], variable.type.cxx
    if variable.space == "shared":
        if variable.linkage == "extern" or not variable.size:
            return f"extern __shared__ {cxx} {declarator}[];\n"
        return f"__shared__ __align__({variable.align}) {cxx} {declarator}[{variable.count}];\n"
    if variable.linkage == "extern":
        return f'extern "C" {qualifier} {cxx} {declarator}[];\n'
    weak = "__attribute__((weak)) " if variable.linkage in ("weak", "common") else ""
    linkage = "static {}\n" if hidden else 'extern "C" {{ {} }}\n'
    if variable.initial is not None and any(isinstance(item, Symbol) for item in variable.initial):
        if variable.type.bits != 64:
            raise UnsupportedPtx(f"'{name}': addresses in variables of other types than .u64 have no counterpart")
        cxx = "char*"
    values = _initialiser(module, variable, requirements)
    text = f"{qualifier} {weak}__align__({variable.align}) {cxx} {declarator}[{max(variable.count, 1)}]{values};"
    return linkage.format(text)


def _initialiser(module: Module, variable: Variable, requirements: set[str]) -> str:
    if not variable.initial:
        return ""
    if len(variable.initial) > variable.count:
        raise PtxError(f"'{variable.name}' has more values than elements")
    pointers = any(isinstance(item, Symbol) for item in variable.initial)
    values = []
    for item in variable.initial:
        if isinstance(item, Symbol):
            values.append(_address(module, item, requirements))
        elif isinstance(item, Immediate):
            text = _value(item, variable.type)
            values.append(f"(char*){text}" if pointers else text)
    return f" = {{{', '.join(values)}}}"


def _value(item: Immediate, type_: Type) -> str:
    if type_.kind == "floating":
        if type_.bits == 16:
            raise UnsupportedPtx("initialised variables of half precision have no counterpart")
        return literal(item, type_)
    value = item.value
    if item.kind == "f64" and type_.bits == 32:
        value = int.from_bytes(struct.pack("<f", struct.unpack("<d", struct.pack("<Q", value))[0]), "little")
    value &= (1 << type_.bits) - 1
    if type_.kind == "signed" and value >> (type_.bits - 1):
        value -= 1 << type_.bits
        return f"({value + 1}{'ll' if type_.bits == 64 else ''} - 1)"
    end = ("" if type_.kind == "signed" else "u") + ("ll" if type_.bits == 64 else "")
    return f"{value}{end}"


def _address(module: Module, item: Symbol, requirements: set[str]) -> str:
    if item.name in module.functions:
        requirements.add(item.name)
        base = f"(char*)(void*)&{name_of_symbol(item.name)}"
    elif item.name in module.variables:
        base = f"(char*){name_of_symbol(item.name)}"
    else:
        raise PtxError(f"Unknown symbol '{item.name}'")
    return f"{base} + {item.offset}" if item.offset else base
