"""Devices: texts that CUDA writes into a buffer of the caller's length, and setting one up."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.extension import extension
from cuda_shim.binding.arguments import address, byte_string
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["initialize", "name", "pci_bus_id"]

_PCI_BUS_ID_BYTES = 13  # "0000:00:00.0" and its NUL
_FLAGS_ARE_VALID = 1  # cudaInitDeviceFlagsAreValid


def name(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetName: `length` bytes, filled up with NULs; a name that is too long is cut."""
    return _padded(binding, 1)


def pci_bus_id(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId: `length` bytes, filled up with NULs; never cut."""
    return _padded(binding, _PCI_BUS_ID_BYTES)


def initialize(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaInitDevice: a device made ready, with its flags if `flags` tells that they are valid, and not current.

    HIP's is hipInitDevice, since ROCm 10.1; before that its parts do the same.
    """
    outcome, hip, unsigned = binding.outcome, binding.hip_python.hip, C_INTEGERS["unsigned int"].check
    device_of = C_INTEGERS["int"].check
    native = extension(binding, "hipInitDevice", ctypes.c_int, ctypes.c_uint, ctypes.c_uint)
    if native is not None:
        in_one_call = native

        def ask(device: Any, device_flags: Any, flags: Any) -> tuple[Any, ...]:
            status = in_one_call(device_of(device), unsigned(device_flags), unsigned(flags))
            return outcome.failed(status) if status else (outcome.success,)

        return ask

    def make_ready(device: Any, device_flags: Any, flags: Any) -> tuple[Any, ...]:
        status, current = hip.hipGetDevice()
        if not status:
            (status,) = hip.hipSetDevice(device)
        if status:
            return outcome.failed(status)
        if flags == _FLAGS_ARE_VALID:
            (status,) = hip.hipSetDeviceFlags(device_flags)
        hip.hipSetDevice(current)
        return outcome.failed(status) if status else (outcome.success,)

    return make_ready


def _padded(binding: Binding, shortest: int) -> Callable[..., tuple[Any, ...]]:
    outcome, hip = binding.outcome, binding.hip
    check_length = C_INTEGERS["int"].check

    def get(length: Any, dev: Any) -> tuple[Any, ...]:
        size = check_length(length)
        if size < shortest:
            return outcome.invalid()
        status, text = hip(size, address(dev))
        if status:
            return outcome.failed(status)
        return outcome.success, (byte_string(text) or b"")[: size - 1].ljust(size, b"\0")

    return get
