"""The kernels of a code object with the sizes of their parameters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from cuda_shim.adapters import code_object
from cuda_shim.binding.functions import Binding
from cuda_shim.errors import UnsupportedAPI

__all__ = ["kernels_of"]

_pointer, _size, _count = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint


def kernels_of(binding: Binding, code: bytes) -> list[tuple[str, list[int]]]:
    """Return the names of a code object's kernels, as cuModuleGetFunction takes them, and the bytes of each parameter.

    A code object for an AMD GPU has them in its metadata. The CPU runtime's is loaded; empty where that cannot be, as
    for relocatable code that is still to be linked.
    """
    described = code_object.read(code)
    if described is not None:
        return described.kernels
    if binding.hip_python.backend.name != "cpu":
        return []
    try:
        return _loaded(binding, code)
    except UnsupportedAPI:  # the list is for readers of the text: nothing that runs depends on it
        return []


def _loaded(binding: Binding, code: bytes) -> list[tuple[str, list[int]]]:
    count = binding.native("hipLibraryGetKernelCount", _pointer, _pointer)
    enumerate_kernels = binding.native("hipLibraryEnumerateKernels", _pointer, _count, _pointer)
    name_of = binding.native("hipKernelGetName", _pointer, _pointer)
    describe = binding.native("hipKernelGetParamInfo", _pointer, _size, _pointer, _pointer)
    unload = binding.native("hipLibraryUnload", _pointer)
    load = binding.native(
        "hipLibraryLoadData", _pointer, ctypes.c_char_p, _pointer, _pointer, _count, _pointer, _pointer, _count
    )
    library, number = _pointer(), _count()
    if load(ctypes.byref(library), code, None, None, 0, None, None, 0):
        return []
    try:
        if count(ctypes.byref(number), library):
            return []
        kernels = (_pointer * number.value)()
        if enumerate_kernels(kernels, number, library):
            return []
        return sorted(_kernel(kernel, name_of, describe) for kernel in kernels)
    finally:
        unload(library)


def _kernel(kernel: int | None, name_of: Callable[..., int], describe: Callable[..., int]) -> tuple[str, list[int]]:
    name, offset, width, sizes = ctypes.c_char_p(), _size(), _size(), list[int]()
    name_of(ctypes.byref(name), kernel)
    while not describe(kernel, len(sizes), ctypes.byref(offset), ctypes.byref(width)):
        sizes.append(width.value)
    return (name.value or b"").decode("ascii", "replace"), sizes
