"""The AMD GPU that CUDA C++ is compiled for, and hiprtc's options for it: its name, its clocks, its atomics."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim import settings
from cuda_shim.adapters.architecture import of_current_device, translated
from cuda_shim.backends import native
from cuda_shim.backends.compiler_targets import compiler_targets
from cuda_shim.backends.hip_python import load
from cuda_shim.errors import UnsupportedAPI

__all__ = ["compiled_for", "device_options", "has_image_units", "untranslatable"]

_NO_TARGET = (
    "no AMD GPU answers and none is named to compile for: set CUDA_SHIM_GFX, for example to gfx942, or pass "
    "--gpu-architecture=gfx942"
)
# GPUs whose compute units have no image instructions: CDNA 3 and 4, and LLVM's gfx125x.
_WITHOUT_IMAGES = ("gfx940", "gfx941", "gfx942", "gfx950", "gfx1250", "gfx1251", "gfx9-4-generic")


def compiled_for(hip_python: Any) -> str | None:
    """Return the target that CUDA C++ is compiled for: that of the setting `gfx`, else the current device's.

    None on the CPU runtime, empty where neither is known.
    """
    return settings.current().gfx or of_current_device(hip_python) if translated() else None


def untranslatable(target: str) -> str | None:
    """Return why hiprtc cannot compile for a target, empty for none; None where it can, as far as is known."""
    if not target:
        return _NO_TARGET
    targets = compiler_targets(load().backend.libhiprtc)
    processor = target.partition(":")[0]
    if not targets or processor in targets:
        return None
    return f"{processor} is unknown to the installed ROCm, whose compiler has {', '.join(sorted(targets))}"


def has_image_units(target: str) -> bool:
    """Return whether textures and surfaces compile for an AMD GPU's target."""
    return target.partition(":")[0] not in _WITHOUT_IMAGES


def device_options(hip_python: Any, target: str | None) -> list[bytes]:
    """Return hiprtc's options for a target that do not depend on the program: those that the headers here ask for.

    They give the rates of the current device's clocks, where the target is that device, and the form of atomic
    operations.
    """
    if target is None:
        return []
    options = [b"-DCUDA_ON_HIP_FAST_ATOMICS=1"] if settings.current().fast_atomics else []
    if target and target == of_current_device(hip_python):
        rates = {"CLOCK": "hipDeviceAttributeClockRate", "WALL_CLOCK": "hipDeviceAttributeWallClockRate"}
        for name, attribute in rates.items():
            rate = _attribute(hip_python, attribute)
            if rate > 0:
                options.append(f"-DCUDA_ON_HIP_{name}_KHZ={rate}".encode())
    return options


def _attribute(hip_python: Any, name: str) -> int:
    """Return an attribute of the current device; 0 where HIP does not know it."""
    constant = getattr(hip_python.hip.hipDeviceAttribute_t, name, None)
    status, device = hip_python.hip.hipGetDevice()
    if status or constant is None:
        return 0
    try:
        ask = native.function("hipDeviceGetAttribute", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    except UnsupportedAPI:
        return 0
    value = ctypes.c_int()
    return 0 if ask(ctypes.byref(value), int(constant), int(device)) else value.value
