"""The AMD GPUs that the installed compiler knows; hiprtc of older releases ends the process for any other."""

from __future__ import annotations

import ctypes
import functools

__all__ = ["compiler_targets"]


@functools.cache
def compiler_targets(libhiprtc: str) -> frozenset[str]:
    """Return the processors that AMD's compiler knows, such as "gfx90a"; empty where that cannot be found out.

    The compiler is libamd_comgr, which hiprtc loads from the folder that it is in itself.
    """
    from pathlib import Path  # some milliseconds, which programs on host cores need not wait for

    folder = Path(libhiprtc).resolve().parent
    for path in sorted(folder.glob("libamd_comgr.so*")):
        try:
            return _targets(ctypes.CDLL(str(path)))
        except (OSError, AttributeError):
            continue
    return frozenset()


def _targets(comgr: ctypes.CDLL) -> frozenset[str]:
    """Return the processors of LLVM's target names, such as amdgcn-amd-amdhsa--gfx90a. Raises AttributeError."""
    count_of, name_of = comgr.amd_comgr_get_isa_count, comgr.amd_comgr_get_isa_name
    count_of.argtypes = (ctypes.c_void_p,)
    name_of.argtypes = (ctypes.c_size_t, ctypes.c_void_p)
    count, names = ctypes.c_size_t(), []
    if count_of(ctypes.byref(count)):
        return frozenset()
    for index in range(count.value):
        name = ctypes.c_char_p()
        if not name_of(index, ctypes.byref(name)) and name.value:
            names.append(name.value.decode("ascii", "replace").rpartition("--")[2].partition(":")[0])
    return frozenset(names)
