"""Resources of a device that have to be given back: memory, streams, events, modules.

A resource is given back when nothing refers to it any more, or when it is released by hand; never twice. After a
reset of its device there is nothing left to give back, and the address may be another resource's by then.
"""

from __future__ import annotations

import weakref

from cuda_shim.log import logger
from cuda_shim.pygpu.calls import checked, runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["Borrowed", "Memory", "Resource", "allocate", "current_device", "forget_device", "on_device"]

_live: weakref.WeakSet[Resource] = weakref.WeakSet()


class Resource:
    """One thing on a device, by the handle or address that CUDA gave for it.

    Attributes:
        handle: CUDA's handle or address for it.
        device: the number of the device that it is on.
    """

    def __init__(self, handle: Any, device: int, destroy: Callable[[Any], tuple[Any, ...]]) -> None:
        self.handle = handle
        self.device = device
        self._destroy = destroy
        self._end = weakref.finalize(self, _give_back, destroy, handle)
        self._end.atexit = False  # the end of the process gives all of it back
        _live.add(self)

    @property
    def alive(self) -> bool:
        """True while it exists."""
        return self._end.alive

    def release(self) -> Any:
        """Give it back now and return the status of doing so; None where it was given back before."""
        if self._end.detach() is None:
            return None
        (status,) = self._destroy(self.handle)
        return status

    def forget(self) -> None:
        """Take note that it went with its device."""
        self._end.detach()


class Memory(Resource):
    """Memory of a device; its handle is the address."""

    @property
    def address(self) -> int:
        """The address. Raises ValueError where the memory has been freed."""
        if not self.alive:
            raise ValueError("the device memory of this array has been freed")
        return int(self.handle)


class Borrowed:
    """Memory that another library's array owns, and that lives as long as this object.

    Attributes:
        device: the number of the device that it is on.
        owner: the object that has to stay alive.
    """

    def __init__(self, address: int, device: int, owner: object) -> None:
        self._address = address
        self.device = device
        self.owner = owner
        self.alive = True

    @property
    def address(self) -> int:
        """The address. Raises ValueError after `release`."""
        if not self.alive:
            raise ValueError("the device memory of this array has been freed")
        return self._address

    def release(self) -> None:
        """Let go of the owner, which decides whether to free the memory."""
        self.alive = False
        self.owner = None


def _give_back(destroy: Callable[[Any], tuple[Any, ...]], handle: Any) -> None:
    """Give back a resource without references; no caller takes a status, so the log has it."""
    (status,) = destroy(handle)
    if status != 0:
        logger().warning("PyGPU: giving back %#x failed: %s", int(handle), status.name)


def allocate(size: int) -> tuple[Any, Memory | None]:
    """Return memory of `size` bytes on the current device as (status, memory); None where the status is not success."""
    status, device = runtime.cudaGetDevice()
    if status != 0:
        return status, None
    status, address = runtime.cudaMalloc(size)
    return status, Memory(address, device, runtime.cudaFree) if status == 0 else None


def current_device() -> int:
    """Return the number of the current device. Raises DeviceError where there is none."""
    return int(checked(runtime.cudaGetDevice(), "asking for the current device"))


class on_device:  # noqa: N801  a context manager, used as a statement
    """A `with` block during which a device is the current one. Raises DeviceError where there is no such device."""

    def __init__(self, device: int) -> None:
        self._device = device

    def __enter__(self) -> None:
        self._before = current_device()
        if self._before != self._device:
            checked(runtime.cudaSetDevice(self._device), f"choosing device {self._device}")

    def __exit__(self, *_: object) -> None:
        if self._before != self._device:
            checked(runtime.cudaSetDevice(self._before), f"going back to device {self._before}")


def forget_device(device: int) -> None:
    """Take note that a device was reset: all that lived on it is gone."""
    for resource in _on(device):
        resource.forget()


def _on(device: int) -> Iterator[Resource]:
    return iter([resource for resource in _live if resource.device == device])
