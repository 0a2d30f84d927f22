"""Attributes that CUDA reads and writes through a `void*`: C memory of the type that each one has.

cuda-python gives a Python value of that type and takes one: an int, a bool, or a handle or struct whose memory
is used in place. The attribute itself must be a constant of its enum class there, no plain int.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.handles import handle_maker, is_handle_class
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs.hip import by_value, from_hip, hip_size

__all__ = ["Attributes", "Cell", "get_launch_value", "set_launch_value"]

# HIP may write more bytes than CUDA's type has (an int for a bool), so every cell has this size.
_ROOM = 8


class Cell:
    """Zeroed memory for one attribute's value, or the memory of the object that was given for it."""

    def __init__(self, address: int, value: Callable[[], Any], memory: Any) -> None:
        self.address = address
        self.value = value
        self._memory = memory


class Attributes:
    """The attributes of one enum, and the types of their values by the constants' names.

    `types` gives a C integer type ("int", "unsigned long long"), "bool", or the name of a handle or struct
    class; all the names in it begin with `prefix`. Attributes that it does not list are unknown to cuda-python, too.
    """

    def __init__(self, binding: Binding, enum: str, prefix: str, types: Mapping[str, str]) -> None:
        self._binding = binding
        self.enum = binding.class_of(enum)
        self._to_hip = binding.enums(enum).to_hip
        self._types = {prefix + name: kind for name, kind in types.items()}
        self._numbers: dict[int, str] = {
            member.value: member.name for member in binding.enums(enum).row.members if member.name in self._types
        }

    def name(self, attribute: Any) -> str:
        """Return the constant's name.

        Raises AttributeError if it is not an enum constant, TypeError for unknown ones.
        """
        constant = self._numbers.get(attribute.value)
        if constant is None:
            raise TypeError(f"Unsupported attribute: {attribute.name}")
        return constant

    def hip(self, attribute: Any) -> Any:
        """Return HIP's constant. Raises Refused where HIP has none."""
        return self._to_hip[attribute]

    def plain(self) -> dict[int, tuple[int, Any, Callable[[Any], Any]]]:
        """Return HIP's number, the cell's type and the wrapper of its value, for each attribute with all three.

        The cell is an array, of which HIP fills the first. Left out are structs, and attributes that HIP lacks.
        """
        attributes = {}
        for number, name in self._numbers.items():
            hip_number = dict.get(self._to_hip, number)
            plain = _plain_type(self._types[name], self._binding)
            if hip_number is not None and plain is not None:
                attributes[number] = int(hip_number), *plain
        return attributes

    def cell(self, attribute: Any) -> Cell:
        """Return memory for the value that HIP is to write."""
        kind = self._types[self.name(attribute)]
        if kind == "bool":
            memory = (ctypes.c_char * _ROOM)()
            return Cell(ctypes.addressof(memory), lambda: memory[0] != b"\0", memory)
        if kind in C_INTEGERS:
            return _integer_cell(C_INTEGERS[kind].ctype)
        value = self._binding.class_of(kind)()
        return Cell(value.getPtr(), lambda: value, value)

    def filled_cell(self, attribute: Any, value: Any) -> Cell:
        """Return memory that holds a value for HIP to read.

        Raises AttributeError where a handle is due and the value is none, TypeError and OverflowError for
        numbers that do not fit, with cuda-python's texts.
        """
        kind = self._types[self.name(attribute)]
        if kind == "bool":
            memory = ctypes.c_int(bool(value))
        elif kind in C_INTEGERS:
            integer = C_INTEGERS[kind]
            memory = integer.ctype(integer.check(value))
        else:
            return Cell(value.getPtr(), lambda: value, value)
        return Cell(ctypes.addressof(memory), lambda: memory.value, memory)


def _plain_type(kind: str, binding: Binding) -> tuple[Any, Callable[[Any], Any]] | None:
    """Return the type of a cell, and the conversion of its value to cuda-python's; None for a struct."""
    if kind == "bool":
        return ctypes.c_ubyte * _ROOM, bool
    if kind in C_INTEGERS:
        return _cells(C_INTEGERS[kind].ctype), _unchanged
    cls = binding.class_of(kind)
    return (_cells(cls.__handle__.ctype), handle_maker(cls)) if is_handle_class(cls) else None


def _cells(ctype: Any) -> Any:
    return ctype * (_ROOM // ctypes.sizeof(ctype))


def _unchanged(number: Any) -> Any:
    return number


def _integer_cell(ctype: Any) -> Cell:
    memory = (ctypes.c_char * _ROOM)()
    number = ctype.from_buffer(memory)
    return Cell(ctypes.addressof(memory), lambda: number.value, memory)


# Bytes of the union that holds the value of any launch attribute, in CUDA and in HIP.
_LAUNCH_VALUE_BYTES = 64


class _Window:
    """The access policy window among launch attributes: the one value whose members HIP has in another order."""

    def __init__(self, binding: Binding) -> None:
        runtime = binding.api == "runtime"
        self.cls = binding.class_of("cudaAccessPolicyWindow" if runtime else "CUaccessPolicyWindow")
        name = "cudaLaunchAttributeAccessPolicyWindow" if runtime else "CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW"
        parameter = next(one for one in binding.row.parameters if one.name == "attr")
        self._attribute = binding.enums(parameter.base)
        self._number = next(one.value for one in self._attribute.row.members if one.name == name)
        self.native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)

    def is_attribute(self, attribute: Any) -> bool:
        """Return whether this is the attribute."""
        return attribute is not None and int(attribute) == self._number

    def call(self, handle: Any, attribute: Any, memory: Any) -> int:
        """Return HIP's status."""
        return self.native(address(handle), int(self._attribute.to_hip[attribute]), memory)


def set_launch_value(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamSetAttribute, cuGraphKernelNodeSetAttribute and the runtime's."""
    outcome, generated, window = binding.outcome, generated_call(binding), _Window(binding)
    union = binding.class_of(binding.row.inputs[-1].base)

    def assign(handle: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if not window.is_attribute(attr) or not isinstance(value, union):
            return generated(handle, attr, value)
        memory, policy = (ctypes.c_char * _LAUNCH_VALUE_BYTES)(), value.accessPolicyWindow
        ctypes.memmove(memory, by_value(policy), hip_size(window.cls))
        status = window.call(handle, attr, memory)
        return outcome.failed(status) if status else (outcome.success,)

    return assign


def get_launch_value(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuStreamGetAttribute, cuGraphKernelNodeGetAttribute and the runtime's."""
    outcome, generated, window = binding.outcome, generated_call(binding), _Window(binding)
    union = binding.class_of(binding.row.outputs[0].base)

    def get(handle: Any, attr: Any) -> tuple[Any, ...]:
        if not window.is_attribute(attr):
            return generated(handle, attr)
        memory = (ctypes.c_char * _LAUNCH_VALUE_BYTES)()
        status = window.call(handle, attr, memory)
        if status:
            return outcome.failed(status)
        value: Any = union()
        value.accessPolicyWindow = from_hip(window.cls, ctypes.addressof(memory))
        return outcome.success, value

    return get
