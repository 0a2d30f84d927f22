"""Struct and union classes with CUDA's members, in CUDA's memory layout, and their way to HIP and back."""

from __future__ import annotations

from cuda_shim.binding.structs.classes import StructInfo, duplicate, is_struct_class, make_struct
from cuda_shim.binding.structs.hip import (
    array_from_hip,
    array_to_hip,
    begins_as_zeros,
    by_value,
    from_hip,
    hip_size,
    native_value,
    output,
    pieces_to_hip,
    pointer_to,
    result_memory,
    same_in_hip,
    take_back,
    to_hip,
)
from cuda_shim.binding.structs.memory import Unread, change_when_read

__all__ = [
    "StructInfo",
    "Unread",
    "array_from_hip",
    "array_to_hip",
    "begins_as_zeros",
    "by_value",
    "change_when_read",
    "duplicate",
    "from_hip",
    "hip_size",
    "is_struct_class",
    "make_struct",
    "native_value",
    "output",
    "pieces_to_hip",
    "pointer_to",
    "result_memory",
    "same_in_hip",
    "take_back",
    "to_hip",
]
