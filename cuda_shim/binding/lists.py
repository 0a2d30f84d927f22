"""List arguments: checked with cuda-python's errors, and laid out as the C array that a call takes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import name_in_c
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.scope import Scope
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import EnumRow, ExtendsRow, HandleRow, StructRow

__all__ = ["Array", "check_length", "check_list", "converter", "type_check"]

Array = tuple[Any, int | None]
"""The objects that must live during the call, and the address that is passed: None for an empty list."""


# Without edge data every edge of a graph is an ordinary one.
_MAY_BE_LEFT_OUT = ("CUgraphEdgeData", "cudaGraphEdgeData")

# Entry types of lists that cuda-python iterates over without a test for None; for others None is an empty list.
_NEVER_NONE = ("size_t", "unsigned int", "unsigned long long")
_NUMBERS = ("cuuint32_t", "cuuint64_t")


def type_check(name: str, base: str, scope: Scope) -> Callable[[Any], None]:
    """Return the function that raises cuda-python's TypeError for a list `name` with entries not of type `base`."""
    if base == "char":  # a list of texts
        check = _entries(bytes, "bytes", scope)
    else:
        check = _entries(int, "int", scope) if base in C_INTEGERS else _typed(base, scope)
    if base in _NEVER_NONE:
        return lambda values: check(name, values)
    return lambda values: check(name, () if values is None else values)


def converter(name: str, spelling: str, scope: Scope) -> Callable[[Any, Any], Array]:
    """Return the function that turns a list and the number of its entries that count into a C array.

    `spelling` is the list's type in the table. The function raises RuntimeError for a list that is too short, and
    Refused for constants that HIP lacks. Raises UnsupportedAPI for a type of entries that has no C array here.
    """
    if spelling == "void*[]":
        return _converting(_addresses)
    base = spelling.rstrip("*[]")
    if base in C_INTEGERS:
        return _converting(_integers(C_INTEGERS[base]))
    row = scope.kind(base)
    if isinstance(row, HandleRow):
        return _converting(_handles)
    if isinstance(row, StructRow):
        return _converting(_structs, base in _MAY_BE_LEFT_OUT)
    raise UnsupportedAPI(f"argument {name}: lists of {base} need an adapter")


def check_list(name: str, base: str, scope: Scope) -> Callable[[Any, Any], list[Any]]:
    """Return the function that checks a list and its count, and gives its entries; None stands for an empty list.

    The function raises TypeError for entries that are not of type `base`, RuntimeError for a list that is too short.
    """
    check_type = _typed(base, scope)

    def check(values: Any, count: Any) -> list[Any]:
        entries = [] if values is None else values
        check_type(name, entries)
        check_length(entries, count)
        return list(entries)

    return check


_TypeCheck = Callable[[str, Any], None]


def _converting(convert: Callable[[Any], Array], may_be_empty: bool = False) -> Callable[[Any, Any], Array]:
    def array(values: object, count: object) -> Array:
        entries = [] if values is None else values
        converted = convert(entries)
        if entries or not may_be_empty:
            check_length(entries, count)
        return converted

    return array


def check_length(values: Any, count: Any) -> None:
    """Raise cuda-python's RuntimeError for a list with fewer entries than are to count."""
    if count > len(values):
        raise RuntimeError(f"List is too small: {len(values)} < {count}")


def _typed(base: str, scope: Scope) -> _TypeCheck:
    """Return the check that every entry is of a class, or of the driver's class that a typedef stands for."""
    if base in _NUMBERS:
        return _numbers(scope.class_of(base))
    home, row = scope.home(base), scope.own_row(base)
    expected = f"cy{home.api if home else scope.api}.{base}"
    if isinstance(row, ExtendsRow) and row.base.startswith("driver."):
        driver_class = row.base.partition(".")[2]
        both = f"{expected},driver.{driver_class}"
        return _entries(scope.catalogue.class_of(driver_class, "driver"), both, scope)
    if not isinstance(row, EnumRow):
        expected += ","
    return _entries(scope.class_of(base), expected, scope)


def _entries(cls: Any, entry: str, scope: Scope) -> _TypeCheck:
    words = scope.layout.list_words
    list_type = f"expected {words[0]}[{entry}] or {words[1]}[{entry}]"

    def check(name: str, values: Any) -> None:
        if not all(isinstance(value, cls) for value in values):
            raise TypeError(f"Argument '{name}' is not instance of type ({list_type}")

    return check


def _numbers(cls: type[Any]) -> _TypeCheck:
    """Return the check for lists of CUDA's own integer types, whose entries cuda-python casts one by one."""

    def check(name: str, values: Any) -> None:
        len(values)
        for value in values:
            if not isinstance(value, cls):
                raise TypeError(f"Cannot convert {name_in_c(type(value))} to {cls.__module__}.{cls.__name__}")

    return check


def _handles(values: Any) -> Array:
    return _pointers([int(value) for value in values])


def _addresses(values: Any) -> Array:
    pairs = [memory_address(value) for value in values]
    array, address = _pointers([number for _, number in pairs])
    return (array, pairs), address


def _pointers(numbers: list[int]) -> Array:
    if not numbers:
        return None, None
    array = (ctypes.c_void_p * len(numbers))(*numbers)
    return array, ctypes.addressof(array)


def _integers(integer: Any) -> Callable[[Any], Array]:
    def convert(values: Any) -> Array:
        if not values:
            return None, None
        array = (integer.ctype * len(values))(*map(integer.check, values))
        return array, ctypes.addressof(array)

    return convert


def _structs(values: Any) -> Array:
    from cuda_shim.binding.structs import array_to_hip  # most programs pass lists, and none of structs

    array = array_to_hip(values)
    return array, None if array is None else int(array)
