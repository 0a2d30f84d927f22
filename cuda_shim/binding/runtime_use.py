"""Whether the program uses CUDA's runtime API, whose calls make a device's primary context current by themselves.

The driver API has no current context before one is set. HIP, where both are one, always has one; what it says to a
program that only calls the driver is therefore not what CUDA says.
"""

from __future__ import annotations

__all__ = ["in_use", "note"]

# What looks at the machine, or at what happened, and begins nothing.
_ONLY_LOOKING = frozenset(
    {
        "cudaDeviceGetAttribute", "cudaDriverGetVersion", "cudaGetDeviceCount", "cudaGetDeviceProperties",
        "cudaGetErrorName", "cudaGetErrorString", "cudaGetLastError", "cudaPeekAtLastError", "cudaRuntimeGetVersion",
        "getLocalRuntimeVersion", "make_cudaExtent", "make_cudaPitchedPtr", "make_cudaPos", "sizeof",
    }
)  # fmt: skip

_used = False


def note(function: str) -> None:
    """Note that a function of the runtime is about to be called for the first time."""
    global _used
    _used = _used or function not in _ONLY_LOOKING


def in_use() -> bool:
    """Whether any call may have begun a context by itself."""
    return _used
