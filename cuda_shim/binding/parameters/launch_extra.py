"""Kernel arguments in the form of `extra`."""

from __future__ import annotations

import ctypes

from cuda_shim.binding import launch_extra
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import NUMBER, Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]


class LaunchExtra(Bound):
    """`extra`: an address, which CUDA Python takes as a number."""

    order = NUMBER

    def check(self) -> Check:
        """Return cuda-python's conversion."""
        return C_INTEGERS["unsigned long long"].check

    def argument(self, code: Code) -> CArgument:
        """Return HIP's form of the array at that address."""
        name, check, in_hip = self.name, code.name("check_extra", self.check()), launch_extra.in_hip
        code.numbers += [
            f"if {name}.__class__ is not int or {name}:",
            f"    {name} = {check}({name})",
        ]
        return ctypes.c_void_p, f"({code.name('in_hip', in_hip)}({name}) if {name} else None)"

    def argument_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return 0, which most launches have; an array is converted in Python."""
        return descriptors.ArgumentDescriptor(descriptors.NUMBER, at, 8)


KIND = LaunchExtra
