"""What CUDA C++ is compiled for: the architecture that hiprtc has to be given, and how wide a warp is there."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim import settings
from cuda_shim.backends import native
from cuda_shim.backends.compiler_targets import compiler_targets
from cuda_shim.backends.hip_python import load
from cuda_shim.errors import UnsupportedAPI

__all__ = [
    "compiled_for",
    "device_options",
    "has_image_units",
    "of_current_device",
    "translated",
    "untranslatable",
    "warp_size",
]

_NO_TARGET = (
    "no AMD GPU answers and none is named to compile for: set CUDA_SHIM_GFX, for example to gfx942, or pass "
    "--gpu-architecture=gfx942"
)
_CUDA_WARP = 32
# GPUs whose compute units have no image instructions: CDNA 3 and 4, and what LLVM knows as gfx125x.
_WITHOUT_IMAGES = ("gfx940", "gfx941", "gfx942", "gfx950", "gfx1250", "gfx1251", "gfx9-4-generic")
_by_device: dict[int, str] = {}


def translated() -> bool:
    """Return whether CUDA C++ is translated to HIP's; the CPU runtime compiles it as it stands."""
    return load().backend.name != "cpu"


def warp_size(wave_size: int) -> int:
    """Return the lanes of a warp, as kernels see them, on a device whose waves HIP says have `wave_size` lanes.

    CUDA's 32 wherever kernels are translated, also on waves of 64: their halves are two warps (`translate`). Host code
    must count as the kernels do.
    """
    return _CUDA_WARP if translated() else wave_size


def of_current_device(hip_python: Any) -> str | None:
    """Return the current device's target such as "gfx90a:sramecc+:xnack-"; None on the CPU runtime, which has none.

    Empty where HIP cannot say: hiprtc then chooses, and reports what is wrong with the device.
    """
    if not translated():
        return None
    hip = hip_python.hip
    status, device = hip.hipGetDevice()
    if status:
        return ""
    if device not in _by_device:
        if hip_python.generation >= 10:
            status, properties = hip.hipGetDeviceProperties(device)
        else:
            properties = hip.hipDeviceProp_t()
            (status,) = hip.hipGetDeviceProperties(properties, device)
        if status:
            return ""
        _by_device[device] = _text(properties.gcnArchName)
    return _by_device[device]


def compiled_for(hip_python: Any) -> str | None:
    """Return the target that CUDA C++ is compiled for: that of the setting `gfx`, else the current device's.

    None on the CPU runtime, empty where neither is known.
    """
    return settings.current().gfx or of_current_device(hip_python) if translated() else None


def untranslatable(target: str) -> str | None:
    """Return why hiprtc cannot compile for a target, empty for none; None where it can, as far as is known."""
    if not target:
        return _NO_TARGET
    known = compiler_targets(load().backend.libhiprtc)
    processor = target.partition(":")[0]
    if not known or processor in known:
        return None
    return f"{processor} is unknown to the installed ROCm, whose compiler has {', '.join(sorted(known))}"


def has_image_units(target: str) -> bool:
    """Return whether textures and surfaces compile for an AMD GPU's target."""
    return target.partition(":")[0] not in _WITHOUT_IMAGES


def device_options(hip_python: Any, target: str | None) -> list[bytes]:
    """Return hiprtc's options for a target that do not depend on the program: what the headers here ask for.

    They say at what rates the clocks of the current device tick, where it is what is compiled for, and how atomic
    operations are to be made.
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


def _text(name: Any) -> str:
    """Return a device's architecture name, which hip-python gives as text or as bytes."""
    return name if isinstance(name, str) else bytes(name).partition(b"\0")[0].decode("ascii", "replace")
