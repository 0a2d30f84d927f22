"""Untyped memory (`void*`), and pointers to types that no row describes."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.buffers import memory_address, memory_for_c, pinned, plain_classes
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import Bound
from cuda_shim.errors import UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]

_HIGHEST = C_INTEGERS["unsigned long long"].high


class Address(Bound):
    """An address, or the memory of a buffer, which stays in place until HIP has returned."""

    def check(self) -> Check:
        """Return the conversion."""
        return memory_address

    def argument(self, code: Code) -> CArgument:
        """Return the address; a number is one already."""
        name, base = self.name, self.base
        if not self.parameter.suffix:
            raise UnsupportedAPI(f"{self.row.name}: argument {name} has type {base}, which no row describes")
        find = code.name("memory_for_c", memory_for_c)
        code.arguments += [
            f"if {name}.__class__ is int and 0 <= {name} <= {_HIGHEST}:",
            f"    address_{name} = {name}",
            f"elif {name}.__class__ is bytes:",
            f"    address_{name} = {name}",  # ctypes passes bytes as their address
            f"elif {name}.__class__ is bytearray and {name}:",
            f"    address_{name} = {code.name('pinned', pinned)}({name})",
            "else:",
            f"    address_{name} = {find}({name})",
        ]
        return ctypes.c_void_p, f"address_{name}"

    def c_type(self) -> CType:
        """Return a pointer."""
        return ctypes.c_void_p

    def wrapped(self, code: Code, value: str) -> str:
        """Return the address as an int, 0 for NULL."""
        return f"{value} or 0"

    def argument_descriptor(self, at: int) -> ArgumentDescriptor | None:
        """Return memory, of the classes that the C side knows; None for a type that no row describes."""
        return (
            descriptors.describe(descriptors.ADDRESS, at, descriptors.POINTER, table=plain_classes)
            if self.parameter.suffix
            else None
        )

    def result_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return an address."""
        return descriptors.describe(descriptors.RESULT, at, descriptors.POINTER)


KIND = Address
