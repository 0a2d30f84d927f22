"""Functions of the loaded hip-python by name."""

from __future__ import annotations

from cuda_shim.errors import UnsupportedAPI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.backends.hip_python import HipPython
    from cuda_shim.binding.untyped import AnyFunction

__all__ = ["find_hip"]


def find_hip(name: str, hip_python: HipPython) -> AnyFunction:
    """Return a function of hip-python by name. Raises UnsupportedAPI where this hip-python has none."""
    module = hip_python.hiprtc if name.startswith("hiprtc") else hip_python.hip
    function: AnyFunction | None = getattr(module, name, None)
    if function is None:
        raise UnsupportedAPI(f"hip-python {hip_python.version} has no {name}: update hip-python")
    return function
