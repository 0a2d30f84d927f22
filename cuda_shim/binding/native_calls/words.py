"""The words of a call: what its C arguments are, as `call.c` reads them."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.parameters.address import Address
from cuda_shim.binding.parameters.enum import Enum
from cuda_shim.binding.parameters.handle import Handle
from cuda_shim.binding.parameters.integer import Integer
from cuda_shim.binding.parameters.kernel_arguments import KernelArguments
from cuda_shim.binding.parameters.launch_extra import LaunchExtra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cuda_shim.binding.functions.binding import Binding
    from cuda_shim.binding.integers import CInteger
    from cuda_shim.binding.parameters.bound import Bound

__all__ = ["Word", "words"]

_MOST_WORDS = 12

_NUMBER, _HANDLE, _ADDRESS, _ENUM, _RESULT = range(5)
_POINTER = C_INTEGERS["unsigned long long"]
_CONSTANTS = -(1 << 31), (1 << 32) - 1  # of any C enum


class Word(ctypes.Structure):
    """A C argument.

    `at` is the place of the Python argument, or of the result in the tuple (-1: nobody wants it). A number lies between
    `low` and `high`; `cls` is the class of a handle or of an enum (none: any handle), `table` HIP's number of each
    constant.
    """

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("at", ctypes.c_int32),
        ("bytes", ctypes.c_int32),
        ("is_signed", ctypes.c_int32),
        ("low", ctypes.c_int64),
        ("high", ctypes.c_uint64),
        ("cls", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
    )


def words(binding: Binding) -> list[Word] | None:
    """Return the words of a function that its row describes; None where one of its parameters is more than a word.

    What a word refers to lives as long as the binding's catalogue; the C side keeps it as well.
    """
    if binding.row.call is not None:
        return None
    inputs = [bound.name for bound in binding.inputs]
    outputs = [parameter.name for parameter in binding.row.outputs]
    found = []
    for name, bound in binding.parameters.items():
        mode = bound.parameter.mode
        if mode == "in":
            word = _argument(bound, inputs.index(name))
        elif mode in ("out", "spare"):
            word = _result(bound, outputs.index(name) + 1 if mode == "out" else -1)
        else:
            word = None
        if word is None:
            return None
        found.append(word)
    return found if len(found) <= _MOST_WORDS else None


def _argument(bound: Bound, at: int) -> Word | None:
    if type(bound) is Integer:
        return _number(_NUMBER, at, C_INTEGERS[bound.base])
    if type(bound) is Handle:
        integer = bound.scope.handle_integer(bound.base)
        # Where a pointer is due, a handle of any class gives its number, as `handles.address` has it.
        cls = None if integer.words == _POINTER.words else bound.scope.class_of(bound.base)
        return _number(_HANDLE, at, integer, cls)
    if type(bound) is Address and bound.parameter.suffix:
        return _number(_ADDRESS, at, _POINTER)
    if type(bound) is KernelArguments:
        return _number(_NUMBER, at, _POINTER)  # an address; the other forms are packed in Python
    if type(bound) is LaunchExtra:
        return Word(_NUMBER, at, 8, 0, 0, 0)  # none
    if type(bound) is Enum:
        low, high = _CONSTANTS
        enums = bound.scope.enums(bound.base)
        return Word(_ENUM, at, 4, 1, low, high, id(bound.scope.class_of(bound.base)), id(enums.numbers))
    return None


def _result(bound: Bound, at: int) -> Word | None:
    if type(bound) is Integer:
        return _number(_RESULT, at, C_INTEGERS[bound.base])
    if type(bound) is Handle:
        return _number(_RESULT, at, bound.scope.handle_integer(bound.base), bound.scope.class_of(bound.base))
    if type(bound) is Address:
        return _number(_RESULT, at, _POINTER)
    return None


def _number(kind: int, at: int, integer: CInteger, cls: Any = None) -> Word:
    return Word(kind, at, ctypes.sizeof(integer.ctype), integer.low < 0, integer.low, integer.high,
                None if cls is None else id(cls))  # fmt: skip
