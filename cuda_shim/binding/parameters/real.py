"""C's floating point numbers."""

from __future__ import annotations

import math

from cuda_shim.binding.integers import C_REALS
from cuda_shim.binding.parameters.bound import NUMBER, Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND"]


class Real(Bound):
    """A `float` or `double`."""

    order = NUMBER

    def check(self) -> Check:
        """Return Python's own conversion, whose words cuda-python's errors are."""
        return _real

    def c_type(self) -> CType:
        """Return the type of the table."""
        return C_REALS[self.base]

    def converted(self, code: Code) -> str:
        """Return the argument; `fabs` converts as cuda-python does and not as `float`, which takes text."""
        name, check = self.name, code.name("real", math.fabs)
        code.numbers.append(f"if {name}.__class__ is not float:")
        code.numbers.append(f"    {check}({name})")
        code.numbers.append(f"    {name} = float({name})")
        return name

    def wrapped(self, code: Code, value: str) -> str:
        """Return a float as it is."""
        return value

    def zero(self) -> object:
        """Return a float."""
        return 0.0


def _real(value: object) -> None:
    math.fabs(value)  # type: ignore[arg-type]


KIND = Real
