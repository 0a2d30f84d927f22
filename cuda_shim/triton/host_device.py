"""The part of `torch.cuda` that Triton's benchmarks use: events, and waiting, on a device whose launches wait."""

from __future__ import annotations

import ctypes
import time

__all__ = ["CACHE_BYTES", "Event", "Scratch", "current_device", "synchronize"]

#: More than the second-level caches of host cores. A GPU's driver clears 256 MB, which takes host cores too long.
CACHE_BYTES = 32 << 20


class Event:
    """A time at which all launches before it have ended: a launch returns when its kernel has."""

    def __init__(self, enable_timing: bool = False) -> None:
        self._nanoseconds = 0

    def record(self, stream: object = None) -> None:
        """Take the time."""
        self._nanoseconds = time.perf_counter_ns()

    def synchronize(self) -> None:
        """Return: nothing is under way."""

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from this event to another."""
        return (end._nanoseconds - self._nanoseconds) / 1e6


def synchronize(device: object = None) -> None:
    """Return: nothing is under way."""


def current_device() -> int:
    """Return the number of the device."""
    return 0


class Scratch:
    """Zeroed memory with an address of the wanted alignment, for one launch."""

    def __init__(self, size: int, alignment: int) -> None:
        self._memory = ctypes.create_string_buffer(size + alignment)
        self._address = -(-ctypes.addressof(self._memory) // alignment) * alignment

    def data_ptr(self) -> int:
        """Return the address."""
        return self._address
