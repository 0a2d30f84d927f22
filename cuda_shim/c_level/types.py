"""The C forms of a row's types, as far as a call's ABI asks: which registers or bytes a value takes."""

from __future__ import annotations

from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.structs.layout import layout_of
from cuda_shim.mapping.rows import EnumRow, HandleRow, Parameter, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["c_name", "c_type", "is_by_value", "value_bytes"]

_POINTER = "void *"
_TAKEN = ("typename", "call", "status", "arguments")
_WIDE = ("pointer", "callback")


def c_name(parameter: Parameter) -> str:
    """Return the parameter's name in C++, where some names are taken."""
    return f"{parameter.name}_" if parameter.name in _TAKEN else parameter.name


def c_type(parameter: Parameter, scope: Scope) -> str:
    """Return the C type of a parameter: a pointer is a pointer, an enum an int, a struct by value its bytes."""
    if parameter.suffix or parameter.mode != "in":
        return _POINTER
    base = parameter.base
    if base in C_INTEGERS or base in C_REALS:
        return base
    row = scope.kind(base)
    if isinstance(row, HandleRow):
        return _POINTER if row.storage in _WIDE else row.storage
    if isinstance(row, EnumRow):
        return "int"
    if isinstance(row, StructRow):
        return f"Bytes<{value_bytes(base, scope)}>"
    return _POINTER


def is_by_value(parameter: Parameter, scope: Scope) -> bool:
    """Return whether a parameter is a struct that is passed by value."""
    return c_type(parameter, scope).startswith("Bytes<")


def value_bytes(base: str, scope: Scope) -> int:
    """Return the bytes of a struct."""
    home, row = scope.base_row(base)
    if not isinstance(row, StructRow):
        raise KeyError(base)
    return layout_of(row, home).size
