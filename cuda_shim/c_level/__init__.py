"""CUDA's C interface, which compiled packages call, as one library generated from the tables.

A package written in Cython reaches CUDA through the C functions that `cuda.bindings.cydriver` and its siblings hand out
as capsules (`modules`), another one opens libcuda by its file name (`dlopen`). Both get functions of one library: if a
row describes the whole call, C calls HIP directly (`direct`), and if an adapter in Python decides, C calls that
(`bridges`). So handles, contexts, streams and errors are the same ones from either side.

Nothing here is imported, and no library is built, before a program asks for it.
"""

from __future__ import annotations

from cuda_shim.mapping.layouts import C_MODULES, NVIDIAS_OWN_MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.c_level.modules import CModuleBinder
    from cuda_shim.c_level.nvidias_own import NvidiasOwnBinder

__all__ = ["open_module"]


def open_module(fullname: str, layout: str) -> CModuleBinder | NvidiasOwnBinder:
    """Return the contents of a module for compiled packages. Raises KeyError for a module that is none."""
    if fullname in NVIDIAS_OWN_MODULES:
        from cuda_shim.c_level.nvidias_own import NvidiasOwnBinder

        return NvidiasOwnBinder(C_MODULES[fullname], fullname, layout)
    from cuda_shim.c_level.modules import CModuleBinder

    return CModuleBinder(C_MODULES[fullname], layout)
