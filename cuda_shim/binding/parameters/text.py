"""C strings."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.arguments import c_string
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND"]


class Text(Bound):
    """A `char*`: bytes, in both directions."""

    def check(self) -> Check:
        """Return the check for bytes, or a bytearray."""
        return c_string

    def c_type(self) -> CType:
        """Return `char*`."""
        return ctypes.c_char_p

    def converted(self, code: Code) -> str:
        """Return the bytes."""
        name, check = self.name, code.name("c_string", c_string)
        return f"({name} if {name}.__class__ is bytes else {check}({name}))"

    def wrapped(self, code: Code, value: str) -> str:
        """Return the bytes up to the first NUL, as ctypes gives them; None for NULL."""
        return value

    def zero(self) -> object:
        """Return no text."""
        return None


KIND = Text
