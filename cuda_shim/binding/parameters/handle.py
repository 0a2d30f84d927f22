"""Handles by value: opaque pointers, integers such as CUdevice, callbacks."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.arguments import require_type
from cuda_shim.binding.handles import address, handle_number
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND"]


class Handle(Bound):
    """A handle, given as one, as a number or as None."""

    def check(self) -> Check:
        """Return the check for a handle; one that is returned as well must be an object that can take it."""
        if self.parameter.mode == "inout":
            name, cls = self.name, self.scope.class_of(self.base)
            return lambda value: None if value is None else require_type(name, cls, value)
        return handle_number(self.scope.handle_integer(self.base))

    def ahead(self, code: Code) -> None:
        """Add its conversion, for the error that a wrong one raises."""
        code.arguments.append(self.converted(code))

    def c_type(self) -> CType:
        """Return the integer's type, or a pointer for all that is as wide as one."""
        integer = self.scope.handle_integer(self.base).ctype
        return ctypes.c_void_p if integer is ctypes.c_ulonglong else integer

    def converted(self, code: Code) -> str:
        """Return the expression of the number that the handle holds; an object of the very class costs no call."""
        name, convert = self.name, handle_number(self.scope.handle_integer(self.base))
        number = "address" if convert is address else f"number_of_{self.base}"
        code.name(number, convert)
        cls = code.name(f"class_{self.base}", self.scope.class_of(self.base))
        value = f"{name}.__value__ if {name}.__class__ is {cls} and {name}.__cell__ is None else {number}({name})"
        if convert is address:
            return f"({value})"
        integer = self.scope.handle_integer(self.base)  # a device, which programs give as a number
        return f"({name} if {name}.__class__ is int and {integer.low} <= {name} <= {integer.high} else {value})"

    def wrapped(self, code: Code, value: str) -> str:
        """Return the expression of a handle, made without its constructor: a number that HIP wrote needs no check."""
        cls, handle = code.name(f"class_{self.base}", self.scope.class_of(self.base)), f"handle_{self.name}"
        number = f"{value} or 0" if self.c_type() is ctypes.c_void_p else value
        new = code.name("new", object.__new__)
        code.results += [f"{handle} = {new}({cls})", f"{handle}.__cell__ = None", f"{handle}.__value__ = {number}"]
        return handle

    def zero(self) -> object:
        """Return a handle of 0."""
        return self.scope.class_of(self.base)()

    def argument_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return a handle. Where a pointer is due, one of any class gives its number, as `handles.address` has it."""
        integer = self.scope.handle_integer(self.base)
        cls = None if integer.words == descriptors.POINTER.words else self.scope.class_of(self.base)
        return descriptors.describe(descriptors.HANDLE, at, integer, cls)

    def result_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return a handle of the class."""
        return descriptors.describe(
            descriptors.RESULT, at, self.scope.handle_integer(self.base), self.scope.class_of(self.base)
        )


KIND = Handle
