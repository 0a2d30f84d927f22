"""The arguments of a kernel, in the forms that a launch takes."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.kernel_parameters import Block, Structures, codes, fill_structures, place, place_for_c
from cuda_shim.binding.native_calls import argument_descriptors as descriptors
from cuda_shim.binding.parameters.bound import Bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.native_calls.argument_descriptors import ArgumentDescriptor
    from cuda_shim.binding.parameters.bound import Check
    from cuda_shim.binding.parameters.code import CArgument, Code

__all__ = ["KIND"]


class KernelArguments(Bound):
    """`kernelParams`."""

    def check(self) -> Check:
        """Return the packing."""
        return place

    def argument(self, code: Code) -> CArgument:
        """Return the address of the packed values, which live until HIP has returned; a number is one already."""
        name, at, owner = self.name, f"address_{self.name}", f"owner_{self.name}"
        code.arguments += [
            f"if {name}.__class__ is int and 0 <= {name} <= {C_INTEGERS['unsigned long long'].high}:",
            f"    {owner}, {at} = None, {name}",
            "else:",
            f"    {owner}, {at} = {code.name('place', place_for_c)}({name})",
        ]
        function = next((one.name for one in self.row.parameters if one.base == "CUfunction"), None)
        if function is not None and self.scope.hip_python.describes_functions:
            structures, fill = code.name("Structures", Structures), code.name("fill_structures", fill_structures)
            code.arguments += [
                f"    if {owner}.__class__ is {structures}:",
                f"        {fill}({function}, {owner})",
            ]
            code.refuses()
        # HIP has copied the values when it returns.
        code.after += [
            f"if {owner}.__class__ is {code.name('Block', Block)}:",
            f"    {owner}.free.append({owner})",
        ]
        return ctypes.c_void_p, at

    def argument_descriptor(self, at: int) -> ArgumentDescriptor:
        """Return an address, or values of classes that were packed before."""
        return descriptors.describe(descriptors.VALUES, at, descriptors.POINTER, table=codes)


KIND = KernelArguments
