"""Enum constants by value."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.enums.translation import require_constant
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND"]


class Enum(Bound):
    """A constant of an enum, which HIP may number otherwise, or lack."""

    def check(self) -> Check:
        """Return the check for a constant, or a number that C's enum can hold."""
        name, cls = self.name, self.scope.class_of(self.base)

        def check(value: object) -> None:
            require_constant(cls, **{name: value})

        return check

    def c_type(self) -> CType:
        """Return C's int, which an enum is."""
        return ctypes.c_int

    def converted(self, code: Code) -> str:
        """Return the expression of HIP's number."""
        code.constant(self.name)
        return f"{code.name(f'numbers_of_{self.base}', self.scope.enums(self.base).numbers)}[{self.name}]"

    def wrapped(self, code: Code, value: str) -> str:
        """Return the expression of CUDA's constant."""
        return f"{code.name(f'from_hip_{self.base}', self.scope.enums(self.base).from_hip)}[{value}]"

    def zero(self) -> object:
        """Return the constant that is nearest to 0."""
        return min(self.scope.class_of(self.base).__members__.values(), key=abs)

    def argument_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return a constant of the class."""
        return descriptors.enum_argument(at, self.scope.class_of(self.base), self.scope.enums(self.base).numbers)


KIND = Enum
