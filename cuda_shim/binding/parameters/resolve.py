"""The choice of each parameter's kind: no other code looks at mode, type and suffix together."""

from __future__ import annotations

from functools import cache

from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.parameters.bound import Bound
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, Parameter, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["resolve", "resolved"]


def resolved(row: FunctionRow, scope: Scope) -> dict[str, Bound]:
    """Return the parameters of a row by name, in C's order."""
    return {parameter.name: resolve(parameter, row, scope) for parameter in row.parameters}


def resolve(parameter: Parameter, row: FunctionRow, scope: Scope) -> Bound:
    """Return a parameter as its kind."""
    return _class(_kind(parameter, scope))(parameter, row, scope)


def _kind(parameter: Parameter, scope: Scope) -> str:
    """Return the kind's name, which is that of its file."""
    base, suffix = parameter.base, parameter.suffix
    if suffix.endswith("[]"):
        return "array" if parameter.mode == "out" else "list_of"
    if parameter.name == "kernelParams":
        return "kernel_arguments"
    if parameter.name == "extra":
        return "launch_extra"
    if not suffix and base in C_INTEGERS:
        return "count" if parameter.mode == "inout" else "integer"
    if not suffix and base in C_REALS:
        return "real"
    if base == "char":
        return "text"
    row = scope.kind(base)
    if isinstance(row, StructRow):
        return "address" if suffix and parameter.mode == "out" else "struct"
    if isinstance(row, HandleRow):
        if parameter.mode == "inout" or not suffix:
            return "handle"
        return "address" if parameter.mode == "out" else "handle_pointer"
    return "enum" if isinstance(row, EnumRow) and not suffix else "address"


@cache
def _class(kind: str) -> type[Bound]:
    """Return the class of a kind; most programs meet few of them, so a file is imported when it is needed."""
    from importlib import import_module

    cls: type[Bound] = import_module(f"cuda_shim.binding.parameters.{kind}").KIND
    return cls
