"""The functions of cuda.bindings that PyGPU uses, and the exceptions for a status that is not success.

The tuples that these functions return are the same in every CUDA that is served, so PyGPU uses the newest.
"""

from __future__ import annotations

from cuda_shim.binding import open_module
from cuda_shim.mapping.layouts import LAYOUTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DeviceError", "DeviceMemoryError", "checked", "driver", "nvrtc", "runtime"]

_OUT_OF_MEMORY = ("cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY")


class DeviceError(RuntimeError):
    """A call that a GPUArray made did not succeed.

    Attributes:
        code: the number of the status, as `cudaError_t.as_int` gives it.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.code)


class DeviceMemoryError(DeviceError, MemoryError):
    """The device has not enough memory."""


class _Served:
    """A module of cuda.bindings; a function is looked up once."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        function = open_module(self._module, LAYOUTS[-1]).resolve(name)
        setattr(self, name, function)
        return function


runtime = _Served("cuda.bindings.runtime")
driver = _Served("cuda.bindings.driver")
nvrtc = _Served("cuda.bindings.nvrtc")


def checked(answer: tuple[Any, ...], doing: str) -> Any:
    """Return the value that a call returned beside its status, None where it returned nothing else.

    Args:
        answer: the status, and the values returned with it.
        doing: the action, for the message: "copying 24 bytes to the device".

    Raises:
        DeviceMemoryError: the device is out of memory.
        DeviceError: any other status that is not success.
    """
    status, *values = answer
    if status != 0:
        kind = DeviceMemoryError if status.name in _OUT_OF_MEMORY else DeviceError
        raise kind(f"{doing} failed: {status.name} ({int(status)})", int(status))
    return values[0] if values else None
