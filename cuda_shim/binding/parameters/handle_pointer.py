"""Pointers to handles: the memory of one handle, or an address."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.arguments import handle_pointer
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code

__all__ = ["KIND"]


class HandlePointer(Bound):
    """A `CUgraphicsResource*` and its like."""

    def check(self) -> Check:
        """Return the conversion."""
        return handle_pointer(self.name, self.scope.class_of(self.base))

    def c_type(self) -> CType:
        """Return a pointer."""
        return ctypes.c_void_p

    def converted(self, code: Code) -> str:
        """Return the address of the handle's memory."""
        return f"{code.name(f'pointer_{self.name}', self.check())}({self.name})"


KIND = HandlePointer
