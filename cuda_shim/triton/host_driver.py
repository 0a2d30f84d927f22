"""Triton's driver of NVIDIA's GPUs on the shim's libcuda: its launcher runs as it is, on memory of the host."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

from triton import knobs
from triton.backends.nvidia.driver import CudaDriver, CudaLauncher, CudaUtils

from cuda_shim import layouts, settings
from cuda_shim.backends import native
from cuda_shim.c_level import library
from cuda_shim.triton import host_device
from cuda_shim.triton.assembler import ensure_assembler

__all__ = ["HostDriver"]

#: A number, a flag or nothing is passed on without a look for its address.
_PLAIN = (int, float, bool, type(None))


class HostDriver(CudaDriver):  # type: ignore[misc]  # Triton ships no types
    """The driver of a device whose memory is the host's.

    Triton's class asks `torch.cuda` for devices and streams where PyTorch is loaded, and the driver where it is not;
    here the driver is always asked, since PyTorch's CPU build knows no device.
    """

    def __init__(self) -> None:
        self._libcuda = _load_libcuda()
        native.function("hipExtAllowHostPointers", ctypes.c_int)()  # else tensors of the host were illegal addresses
        self.utils = _Utils(self._libcuda)
        self.launcher_cls = CudaLauncher
        self.get_device_capability = self._get_device_capability
        self.get_current_stream = self._get_current_stream
        self.get_current_device = self._get_current_device
        self.set_current_device = self._set_current_device

    @staticmethod
    def is_active() -> bool:
        """Return whether the device can be used, which it can wherever this class can be loaded."""
        return True

    def get_active_torch_device(self) -> Any:
        """Return the device of tensors that kernels take."""
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        """Return the counterpart of `torch.cuda`, as far as Triton's benchmarks use it."""
        return host_device

    def get_empty_cache_for_benchmark(self) -> bytearray:
        """Return memory whose clearing replaces the processor's caches between measurements."""
        return bytearray(host_device.CACHE_BYTES)

    def clear_cache(self, cache: bytearray) -> None:
        """Write all of that memory."""
        ctypes.memset((ctypes.c_char * len(cache)).from_buffer(cache), 0, len(cache))

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: object) -> Any:
        """Return zeroed memory for a kernel that Proton measures."""
        return host_device.Scratch(size, alignment)


class _Utils:
    """Triton's functions in C, of which `launch` is given addresses instead of tensors, and waits for the kernel."""

    def __init__(self, libcuda: ctypes.CDLL) -> None:
        functions = vars(CudaUtils())
        vars(self).update(functions)
        launch: Callable[..., None] = functions["launch"]
        synchronize, error_name = libcuda.cuCtxSynchronize, libcuda.cuGetErrorString

        def launch_and_wait(*arguments: Any) -> None:
            """Launch a kernel and wait for it: a tensor of the host may be read as soon as this returns.

            The driver says of memory of the host that it is not the device's, and Triton's launcher refuses a tensor
            there; it takes an address as it is.
            """
            *first, global_scratch, profile_scratch, annotations, signature, given = arguments
            scratch = _addresses((global_scratch, profile_scratch))
            launch(*first, *scratch, annotations, signature, _addresses(given))
            status = synchronize()
            if status:
                text = ctypes.c_char_p()
                error_name(status, ctypes.byref(text))
                raise RuntimeError(f"Triton Error [CUDA]: {(text.value or b'unknown error').decode()}")

        self.launch = launch_and_wait


def _addresses(arguments: Any) -> tuple[Any, ...]:
    return tuple([each if isinstance(each, _PLAIN) else _address(each) for each in arguments])


def _address(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return _addresses(argument)
    data_ptr = getattr(argument, "data_ptr", None)
    return argument if data_ptr is None else data_ptr()


def _load_libcuda() -> ctypes.CDLL:
    """Open the shim's libcuda.so.1, and have Triton link its launcher with that and take its assembler."""
    chosen = settings.current()
    layout = layouts.served_layout(chosen).name
    folder = library.load(layout).folder
    libcuda = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
    status = libcuda.cuInit(0)
    if status:
        raise RuntimeError(f"cuInit returns {status}")
    knobs.nvidia.libcuda_path = folder
    knobs.nvidia.ptxas = knobs.nvidia.ptxas_blackwell = ensure_assembler(layout, chosen)
    return libcuda
