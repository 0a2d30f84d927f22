"""What stands in front of a call that no HIP function serves: cuda-python's errors for wrong arguments.

A program that passes nonsense is told so, in the same words, whether or not HIP has the call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cuda_shim.binding import lists
from cuda_shim.binding.arguments import c_string, handle_pointer, require, require_type
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.handles import handle_number
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.kernel_parameters import pack
from cuda_shim.binding.translation import enum_number
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, Parameter, StructRow

__all__ = ["checks"]

_Check = Callable[[Any], Any]


def checks(row: FunctionRow, table: str, catalogue: Any) -> Callable[..., None]:
    """The function that takes the arguments of a row's call and raises for the first wrong one.

    The order is cuda-python's: C's numbers, which are part of its signatures, then the types of all lists, the
    last one first, then each argument in turn.
    """
    numbers: list[tuple[int, _Check]] = []
    lists_of: list[tuple[int, _Check]] = []
    others: list[tuple[int, _Check]] = []
    for at, parameter in enumerate(row.inputs):
        if _is_number(parameter):
            numbers.append((at, C_INTEGERS[parameter.base].check if parameter.base in C_INTEGERS else math.fabs))
        elif parameter.suffix.endswith("[]"):
            check = lists.type_check(parameter, table, catalogue)
            if check is None:
                others.append((at, _addresses))
            else:
                lists_of.insert(0, (at, check))
        else:
            others.append((at, _check(parameter, table, catalogue)))
    ordered = [*numbers, *lists_of, *others]
    lengths = _lengths(row)

    def check_all(*arguments: Any) -> None:
        for at, check in ordered:
            check(arguments[at])
        for at, count in lengths:
            lists.check_length(arguments[at] or (), arguments[count])

    return check_all


def _is_number(parameter: Parameter) -> bool:
    return not parameter.suffix and (parameter.base in C_INTEGERS or parameter.base in ("float", "double"))


def _addresses(values: Any) -> None:
    for value in () if values is None else values:
        memory_address(value)


def _lengths(row: FunctionRow) -> list[tuple[int, int]]:
    """The places of the lists whose entries are counted by another argument, and of that one."""
    places = {parameter.name: at for at, parameter in enumerate(row.inputs)}
    found = []
    for parameter in row.inputs:
        count = lists.count_of(parameter, row) if parameter.suffix.endswith("[]") else None
        if count is not None:
            found.append((places[parameter.name], places[count.name]))
    return found


def _check(parameter: Parameter, table: str, catalogue: Any) -> _Check:
    """The check of one argument that is no number and no list."""
    name, base, suffix = parameter.name, parameter.base, parameter.suffix
    if base == "char" and suffix == "*":
        return c_string
    if name == "kernelParams":
        return pack
    _, kind = catalogue.base_row(base, table)
    if isinstance(kind, EnumRow) and not suffix:
        return _constant(name, catalogue.class_of(base, table))
    if isinstance(kind, HandleRow):
        cls = catalogue.class_of(base, table)
        if parameter.mode == "inout":
            return _object(name, cls, optional=True)
        return handle_pointer(name, cls) if suffix else handle_number(cls.__handle__)
    if isinstance(kind, StructRow):
        return _object(name, catalogue.class_of(base, table), optional=bool(suffix))
    return memory_address


def _constant(name: str, cls: type[Any]) -> _Check:
    def check(value: Any) -> None:
        require(**{name: value})
        enum_number(cls, value)

    return check


def _object(name: str, cls: type[Any], optional: bool) -> _Check:
    def check(value: Any) -> None:
        if value is not None or not optional:
            require_type(name, cls, value)

    return check
