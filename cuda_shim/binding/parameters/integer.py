"""C's integers."""

from __future__ import annotations

from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import NUMBER, Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND", "Integer"]


class Integer(Bound):
    """An `int`, a `size_t` and their like: a number that fits, cuda-python's errors for any other.

    ctypes would truncate a number that is too large.
    """

    order = NUMBER

    def check(self) -> Check:
        """Return cuda-python's conversion."""
        return C_INTEGERS[self.base].check

    def ahead(self, code: Code) -> None:
        """Add the conversion, without a call where the argument is right already."""
        name, integer = self.name, C_INTEGERS[self.base]
        check = code.name(f"check_{name}", integer.check)
        code.numbers.append(f"if {name}.__class__ is not int or not {integer.low} <= {name} <= {integer.high}:")
        code.numbers.append(f"    {name} = {check}({name})")

    def c_type(self) -> CType:
        """Return the type of the table."""
        return C_INTEGERS[self.base].ctype

    def converted(self, code: Code) -> str:
        """Return the argument, converted ahead of everything else."""
        self.ahead(code)
        return self.name

    def wrapped(self, code: Code, value: str) -> str:
        """Return an int as it is."""
        return value

    def argument_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return a number within its limits."""
        return descriptors.describe(descriptors.NUMBER, at, C_INTEGERS[self.base])

    def result_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return a number."""
        return descriptors.describe(descriptors.RESULT, at, C_INTEGERS[self.base])


KIND = Integer
