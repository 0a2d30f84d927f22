"""The kernels of a code object with the sizes of their parameters."""

from __future__ import annotations

import struct

from cuda_shim.adapters import code_object
from cuda_shim.backends import host
from cuda_shim.binding.functions import Binding

__all__ = ["kernels_of"]


def kernels_of(binding: Binding, code: bytes) -> list[tuple[str, list[int]]]:
    """Return the names of a code object's kernels, as cuModuleGetFunction takes them, and the bytes of each parameter.

    Nothing is loaded: a code object for an AMD GPU has them in its metadata, the CPU runtime's in a table. Empty where
    the code object is neither.
    """
    described = code_object.read(code)
    if described is not None:
        return described.kernels
    if binding.hip_python.backend.name != "cpu":
        return []
    try:
        return host.read_kernels(code)
    except (ValueError, struct.error):  # the list is for readers of the text: nothing that runs depends on it
        return []
