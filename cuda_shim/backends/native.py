"""C functions of the chosen libamdhip64 and libhiprtc, for the few that hip-python binds wrongly.

The library is opened by the path that hip-python was given, and dlopen answers one path with one library:
both see the same streams, modules and error state.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from cuda_shim.backends import Backend, hip_python
from cuda_shim.backends.releases import came_with
from cuda_shim.errors import BackendNotFound, UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["function", "symbol"]

_libraries: dict[str, ctypes.CDLL] = {}

# HIP's headers rename these two calls, whose struct grew in ROCm 6; every other function has its own name.
_SYMBOLS = {
    "hipChooseDevice": "hipChooseDeviceR0600",
    "hipGetDeviceProperties": "hipGetDevicePropertiesR0600",
}


def function(name: str, restype: Any, *argtypes: Any) -> Callable[..., Any]:
    """Return the C function `name` of the chosen backend, typed; the GIL is released while it runs.

    Names that start with hiprtc come from libhiprtc, all others from libamdhip64. Each call returns an object
    of its own, so two users may give one function different types. Raises UnsupportedAPI when the library has
    no such function, BackendNotFound when there is no backend.
    """
    backend = hip_python.load().backend
    opened = _library("hiprtc" if name.startswith("hiprtc") else "hip", backend)
    try:
        call = opened[symbol(name)]
    except AttributeError:
        release = came_with(name)
        since = f", as it came with HIP {release}" if release else ""
        raise UnsupportedAPI(
            f"{name} does not exist in {opened._name}{since}: update ROCm, or avoid the CUDA call that needs it"
        ) from None
    call.restype = restype
    call.argtypes = argtypes
    return call


def symbol(name: str) -> str:
    """Return the symbol under which the libraries export a function of HIP's headers."""
    return _SYMBOLS.get(name, name)


def _library(which: str, backend: Backend) -> ctypes.CDLL:
    """Return the opened library, `which` being "hip" or "hiprtc"."""
    path = backend.libhiprtc if which == "hiprtc" else backend.libamdhip64
    opened = _libraries.get(path)
    if opened is None:
        try:
            opened = _libraries[path] = ctypes.CDLL(path)
        except OSError as error:
            raise BackendNotFound(f"backend {backend.name}: cannot open {path}: {error}") from None
    return opened
