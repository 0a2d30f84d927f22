"""The kernels of a code object with the sizes of their parameters."""

from __future__ import annotations

import ctypes

from cuda_shim.binding.functions import Binding

__all__ = ["kernels_of"]

_pointer, _size, _count = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint


def kernels_of(binding: Binding, code: bytes) -> list[tuple[str, list[int]]]:
    """Return the names of a code object's kernels, as cuModuleGetFunction takes them, and the bytes of each parameter.

    Empty where HIP cannot load it alone, as relocatable code that is still to be linked.
    """
    load = binding.native(
        "hipLibraryLoadData", _pointer, ctypes.c_char_p, _pointer, _pointer, _count, _pointer, _pointer, _count
    )
    library = _pointer()
    if load(ctypes.byref(library), code, None, None, 0, None, None, 0):
        return []
    try:
        return _listed(binding, library)
    finally:
        binding.native("hipLibraryUnload", _pointer)(library)


def _listed(binding: Binding, library: ctypes.c_void_p) -> list[tuple[str, list[int]]]:
    count = _count()
    if binding.native("hipLibraryGetKernelCount", _pointer, _pointer)(ctypes.byref(count), library):
        return []
    kernels = (_pointer * count.value)()
    if binding.native("hipLibraryEnumerateKernels", _pointer, _count, _pointer)(kernels, count, library):
        return []
    name_of = binding.native("hipKernelGetName", _pointer, _pointer)
    describe = binding.native("hipKernelGetParamInfo", _pointer, _size, _pointer, _pointer)
    found: list[tuple[str, list[int]]] = []
    for kernel in kernels:
        name, offset, width, sizes = ctypes.c_char_p(), _size(), _size(), list[int]()
        if name_of(ctypes.byref(name), kernel):
            continue
        while not describe(kernel, len(sizes), ctypes.byref(offset), ctypes.byref(width)):
            sizes.append(width.value)
        found.append(((name.value or b"").decode("ascii", "replace"), sizes))
    return sorted(found)
