"""Functions that return a value bare, without a status."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.functions import Binding
from cuda_shim.binding.handles import is_handle_class
from cuda_shim.binding.structs import is_struct_class

__all__ = ["extent", "pitched_pointer", "position", "size"]


def extent(binding: Binding) -> Callable[..., Any]:
    """make_cudaExtent: width, height, depth."""
    return _filled(binding, "cudaExtent", ("width", "height", "depth"))


def pitched_pointer(binding: Binding) -> Callable[..., Any]:
    """make_cudaPitchedPtr: pointer, pitch in bytes, logical width in elements, logical height."""
    return _filled(binding, "cudaPitchedPtr", ("ptr", "pitch", "xsize", "ysize"))


def position(binding: Binding) -> Callable[..., Any]:
    """make_cudaPos: x, y, z."""
    return _filled(binding, "cudaPos", ("x", "y", "z"))


def size(binding: Binding) -> Callable[..., Any]:
    """sizeof: bytes of the C type that a handle or struct class stands for. Raises TypeError for other objects."""

    def of(cls: Any) -> int:
        if isinstance(cls, type) and is_handle_class(cls):
            return ctypes.sizeof(cls.__handle__.ctype)  # type: ignore[attr-defined]
        if isinstance(cls, type) and is_struct_class(cls):
            return int(cls.__struct__.layout.size)  # type: ignore[attr-defined]
        raise TypeError(f"Unknown type: {cls}")

    return of


def _filled(binding: Binding, struct: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    cls = binding.class_of(struct)

    def make(*values: Any) -> Any:
        struct = cls()
        for field, value in zip(fields, values, strict=True):
            setattr(struct, field, value)
        return struct

    return make
