"""The architecture that hiprtc must be given for CUDA C++, and how wide a warp is there."""

from __future__ import annotations

from typing import Any

from cuda_shim import settings
from cuda_shim.backends.hip_python import load

__all__ = ["compute_capability", "is_gpu", "of_current_device", "of_device", "translated", "warp_size"]

_ON_GPUS = (8, 0)
_CUDA_WARP = 32
_by_device: dict[int, str] = {}


def translated() -> bool:
    """Return whether CUDA C++ is translated to HIP's; the CPU runtime compiles it as it stands."""
    return load().backend.name != "cpu"


def compute_capability(hip_python: Any) -> tuple[int, int]:
    """Return major and minor of every device, by which programs choose code.

    HIP's numbers are those of AMD's architectures (9.4, 11.0, 12.0), which promise Hopper's and Blackwell's
    instructions, clusters and asynchronous copies: on a GPU the newest whose features are served stands for them. On
    host cores a setting chooses. `__CUDA_ARCH__` is 800 unless a program asks for more.
    """
    if is_gpu(hip_python):
        return _ON_GPUS
    major, _, minor = settings.current().cpu_compute_capability.partition(".")
    return int(major), int(minor)


def is_gpu(hip_python: Any) -> bool:
    """Return whether HIP's device is an AMD GPU; the CPU runtime has an architecture of another kind."""
    return of_device(hip_python, 0).startswith("gfx")


def warp_size(hip_python: Any, wave_size: int) -> int:
    """Return the lanes of a warp, as kernels see them, on a device whose waves have `wave_size` lanes in HIP.

    CUDA's 32 on GPUs, also on waves of 64: their halves are two warps (`translate`). Host code counts as kernels do.
    """
    return _CUDA_WARP if is_gpu(hip_python) else wave_size


def of_current_device(hip_python: Any) -> str | None:
    """Return the current device's target such as "gfx90a:sramecc+:xnack-"; None on the CPU runtime, which has none.

    Empty where HIP fails: hiprtc then chooses, and reports the device's error.
    """
    if not translated():
        return None
    status, device = hip_python.hip.hipGetDevice()
    return "" if status else of_device(hip_python, device)


def of_device(hip_python: Any, device: int) -> str:
    """Return the architecture of a device as HIP names it; "" where HIP fails."""
    hip = hip_python.hip
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


def _text(name: Any) -> str:
    """Return a device's architecture name, which hip-python gives as text or as bytes."""
    return name if isinstance(name, str) else bytes(name).partition(b"\0")[0].decode("ascii", "replace")
