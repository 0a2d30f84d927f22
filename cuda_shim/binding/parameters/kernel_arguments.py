"""The arguments of a kernel, in the forms that a launch takes."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.kernel_parameters import pack, place
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import Code, Passed

__all__ = ["KIND"]


class KernelArguments(Bound):
    """`kernelParams`."""

    def check(self) -> Check:
        """The packing."""
        return pack

    def argument(self, code: Code) -> Passed:
        """The address of what was packed, which lives until HIP has returned."""
        code.arguments.append(f"kept_{self.name}, address_{self.name} = {code.name('place', place)}({self.name})")
        return ctypes.c_void_p, f"address_{self.name}"


KIND = KernelArguments
