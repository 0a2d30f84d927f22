"""Handles of memory and of pools for other processes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address, require
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["export_handle"]

_FABRIC = "Fabric"
_FABRIC_BYTES = 64
# The type of cuda-python's result for each kind of handle, by the ends of the constants' names in both modules.
_NUMBERS = {
    "None": ctypes.c_int,
    "PosixFileDescriptor": ctypes.c_int,
    "Win32": ctypes.c_size_t,
    "Win32Kmt": ctypes.c_uint,
}


def export_handle(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuMemExportToShareableHandle, cuMemPoolExportToShareableHandle, cudaMemPoolExportToShareableHandle.

    Gives the file descriptor, or other handle, as an int; a fabric handle as a CUmemFabricHandle.
    """
    outcome, hip = binding.outcome, binding.hip
    enum = "CUmemAllocationHandleType" if binding.api == "driver" else "cudaMemAllocationHandleType"
    to_hip = binding.enums(enum).to_hip
    kinds = {member.value: _kind(member.name) for member in binding.enums(enum).row.members}
    flags_of = C_INTEGERS[binding.row.parameters[-1].base].check

    def export(handle: Any, handle_type: Any, flags: Any) -> tuple[Any, ...]:
        require(handleType=handle_type)
        kind = kinds.get(handle_type.value)
        if kind is None:
            raise TypeError(f"Unsupported attribute: {handle_type.name}")
        memory = (ctypes.c_char * _FABRIC_BYTES)()
        try:
            (status,) = hip(ctypes.addressof(memory), address(handle), to_hip[handle_type], flags_of(flags))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success, _value(binding, kind, memory))

    return export


def _kind(name: str) -> str | None:
    """Return the end of a constant's name as the runtime spells it; None if it is not a kind of handle."""
    words = name.removeprefix("cudaMemHandleType").removeprefix("CU_MEM_HANDLE_TYPE_")
    spelled = words if name.startswith("cuda") else "".join(word.capitalize() for word in words.split("_"))
    return spelled if spelled in _NUMBERS or spelled == _FABRIC else None


def _value(binding: Binding, kind: str, memory: Any) -> Any:
    if kind != _FABRIC:
        return _NUMBERS[kind].from_buffer(memory).value
    handle = binding.class_of("CUmemFabricHandle")()
    ctypes.memmove(handle.getPtr(), memory, _FABRIC_BYTES)
    return handle
