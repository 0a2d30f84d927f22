"""Texture references: those that no module has; border colours, of which CUDA Python passes one component of four."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding

__all__ = ["attach", "create", "destroy", "get_border_color", "set_border_color"]

_Color = ctypes.c_float * 4

# HIP has no call that makes a reference: it is a struct of the program's. Those in use by address, and those that were
# destroyed, which are the next to be used: a program may still hold the address, and HIP follows it.
_created: dict[int, Any] = {}
_destroyed: list[Any] = []


def create(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTexRefCreate: as NVIDIA's driver makes one, it holds single floats, clamps coordinates and reads normalised."""
    outcome, reference_class, hip = binding.outcome, binding.class_of("CUtexref"), binding.hip_python.hip
    formats = binding.class_of("CUarray_format").__members__
    modes = binding.class_of("CUaddress_mode").__members__
    set_format = binding.native("hipTexRefSetFormat", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    set_mode = binding.native("hipTexRefSetAddressMode", ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    set_flags = binding.native("hipTexRefSetFlags", ctypes.c_void_p, ctypes.c_uint)

    def initialise(at: int) -> int:
        clamp = int(modes["CU_TR_ADDRESS_MODE_CLAMP"])
        status = set_format(at, int(formats["CU_AD_FORMAT_FLOAT"]), 1) or set_flags(at, 0)
        for axis in range(3):
            status = status or set_mode(at, axis, clamp)
        return status

    def make() -> tuple[Any, ...]:
        struct = _destroyed.pop() if _destroyed else hip.textureReference()
        at = int(struct)
        ctypes.memset(at, 0, struct.c_sizeof())
        status = initialise(at)
        if status:
            return outcome.failed(status)
        _created[at] = struct
        return outcome.success, reference_class(at)

    return make


def destroy(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTexRefDestroy. A module's own references go with the module."""
    outcome, unbind = binding.outcome, binding.native("hipUnbindTexture", ctypes.c_void_p)

    def destroy_(reference: Any) -> tuple[Any, ...]:
        struct = _created.pop(address(reference), None)
        if struct is None:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        _destroyed.append(struct)
        status = unbind(int(struct))
        return outcome.failed(status) if status else (outcome.success,)

    return destroy_


def attach(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuParamSetTexRef: kernels find their module's references, and no others, as with NVIDIA's driver."""
    outcome = binding.outcome
    ask = binding.native("hipTexRefGetFlags", ctypes.c_void_p, ctypes.c_void_p)

    def attach_(function: Any, unit: Any, reference: Any) -> tuple[Any, ...]:
        at = address(reference)
        if not at:
            return outcome.named("CUDA_ERROR_INVALID_HANDLE")
        if at in _created:
            return outcome.invalid()
        status = ask(ctypes.byref(ctypes.c_uint()), at)
        return outcome.failed(status) if status else (outcome.success,)

    return attach_


def set_border_color(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTexRefSetBorderColor: CUDA Python takes the red component; the driver reads four, the others are 0 here."""
    outcome = binding.outcome
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_void_p)

    def set_(reference: Any, red: Any) -> tuple[Any, ...]:
        status = native(address(reference), _Color(red, 0.0, 0.0, 0.0))
        return outcome.failed(status) if status else (outcome.success,)

    return set_


def get_border_color(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuTexRefGetBorderColor: CUDA Python gives the red component, of four that the driver writes."""
    outcome = binding.outcome
    native = binding.native(binding.row.hip or "", ctypes.c_void_p, ctypes.c_void_p)

    def get(reference: Any) -> tuple[Any, ...]:
        color = _Color()
        status = native(color, address(reference))
        return outcome.failed(status) if status else (outcome.success, color[0])

    return get
