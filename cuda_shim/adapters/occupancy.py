"""The launch configuration of highest occupancy, also with shared memory that depends on the block's size; clusters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.extension import extension
from cuda_shim.adapters.launch import LaunchAttributes
from cuda_shim.binding.arguments import address
from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs import to_hip

__all__ = ["available_shared_memory", "clusters", "max_potential_block_size"]

_OF_CLUSTERS = {
    "cuOccupancyMaxActiveClusters": "hipExtModuleOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialClusterSize": "hipExtModuleOccupancyMaxPotentialClusterSize",
}
_NO_CLUSTERS = "HIP answers this for kernels that are compiled into a host program alone; launch without clusters"

# Called with the interpreter locked, which suits functions made with CFUNCTYPE and PYFUNCTYPE alike.
_DynamicSize = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


class _QueryRefused(Exception):
    """A query of the search that HIP refused; `status` is HIP's."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def max_potential_block_size(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuOccupancyMaxPotentialBlockSize, and the form with flags.

    HIP's are hipModuleOccupancyMaxPotentialBlockSize and ...WithFlags, which know a fixed size of shared memory
    alone; with a function for that size, block sizes are tried here, as NVIDIA's cuda_occupancy.h does.
    """
    outcome, size, integer = binding.outcome, C_INTEGERS["size_t"].check, C_INTEGERS["int"].check
    search = _Search(binding)

    def serve(function: Any, dynamic_size: Any, bytes_: Any, limit: Any, *flags: Any) -> tuple[Any, ...]:
        handle, callback = address(function), address(dynamic_size)
        fixed, largest = size(bytes_), integer(limit)
        flags = tuple(map(C_INTEGERS["unsigned int"].check, flags))
        if largest < 0:
            return outcome.invalid()
        try:
            if callback:
                sizes = search.by_function(handle, _DynamicSize(callback), largest, flags)
            else:
                sizes = search.by_size(handle, fixed, largest, flags)
        except _QueryRefused as failure:
            return outcome.failed(failure.status)
        return (outcome.success, *sizes)

    return serve


def clusters(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuOccupancyMaxActiveClusters and cuOccupancyMaxPotentialClusterSize.

    HIP's two are for kernels of a host program. The CPU backend's library has calls of its own for those of modules.
    """
    pointer, outcome, attributes = ctypes.c_void_p, binding.outcome, LaunchAttributes(binding)
    native = extension(binding, _OF_CLUSTERS[binding.row.name], pointer, pointer, pointer)

    def serve(function: Any, config: Any) -> tuple[Any, ...]:
        handle, clusters = address(function), ctypes.c_int()
        try:
            served = attributes.served(config)  # must live while the library reads it
            if native is None:
                raise Refused(_NO_CLUSTERS, supported=False)
            status = native(ctypes.byref(clusters), handle, to_hip(served))
        except Refused as refusal:
            return outcome.refused(refusal)
        return outcome.failed(status) if status else (outcome.success, clusters.value)

    return serve


def available_shared_memory(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock.

    HIP's own is for kernels of host programs. A multiprocessor's shared memory is divided among the blocks that are
    asked for, if they fit; a block has no more than the device allows.
    """
    outcome, integer, queries = binding.outcome, C_INTEGERS["int"].check, _Queries(binding)
    by_handle = binding.api == "driver"

    def serve(function: Any, count: Any, threads: Any) -> tuple[Any, ...]:
        handle = address(function) if by_handle else memory_address(function)[1]
        blocks, size = integer(count), integer(threads)
        if blocks <= 0 or size <= 0:
            return outcome.invalid()
        try:
            return outcome.success, queries.available_shared_memory(handle, blocks, size)
        except _QueryRefused as failure:
            return outcome.failed(failure.status)

    return serve


class _Queries:
    """HIP's questions about functions and devices. Methods raise `_QueryRefused`."""

    def __init__(self, binding: Binding, *flags: Any) -> None:
        pointer, integer, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        active = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor" + ("WithFlags" if flags else "")
        self._active = binding.native(active, pointer, pointer, integer, size, *flags)
        self._function_attribute = binding.native("hipFuncGetAttribute", pointer, integer, pointer)
        self._device_attribute = binding.native("hipDeviceGetAttribute", pointer, integer, integer)
        self._device = binding.native("hipGetDevice", pointer)
        hip = binding.hip_python.hip
        self._names = hip.hipDeviceAttribute_t
        self._max_threads = int(hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        self._static_shared = int(hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)

    def available_shared_memory(self, function: int, blocks: int, threads: int) -> int:
        """Return the bytes of dynamic shared memory that each of `blocks` blocks may have; 0 where they do not fit."""
        if _query_int(self._active, function, threads, 0) < blocks:
            return 0
        device = _query_int(self._device)
        share = self._of_device(device, "hipDeviceAttributeMaxSharedMemoryPerMultiprocessor") // blocks
        room = min(share, self._of_device(device, "hipDeviceAttributeMaxSharedMemoryPerBlock"))
        return max(0, room - _query_int(self._function_attribute, self._static_shared, function))

    def _of_device(self, device: int, name: str) -> int:
        return _query_int(self._device_attribute, int(getattr(self._names, name)), device)


class _Search(_Queries):
    """HIP's queries that the search needs."""

    def __init__(self, binding: Binding) -> None:
        pointer, integer, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        flags = (ctypes.c_uint,) * (len(binding.row.inputs) - 4)
        super().__init__(binding, *flags)
        self._best = binding.native(binding.row.hip or "", pointer, pointer, pointer, size, integer, *flags)

    def by_size(self, function: int, size: int, limit: int, flags: tuple[int, ...]) -> tuple[int, int]:
        """Return the smallest grid that fills the device, and the block size, with `size` bytes of shared memory."""
        grid, block = ctypes.c_int(), ctypes.c_int()
        _check(self._best(ctypes.byref(grid), ctypes.byref(block), function, size, limit, *flags))
        return grid.value, block.value

    def by_function(
        self, function: int, dynamic_size: Callable[[int], int], limit: int, flags: tuple[int, ...]
    ) -> tuple[int, int]:
        """Return the same, where `dynamic_size` gives the bytes that a block of a number of threads needs."""
        device = _query_int(self._device)
        largest = _query_int(self._function_attribute, self._max_threads, function)
        largest = min(largest, self._of_device(device, "hipDeviceAttributeMaxThreadsPerBlock"), limit or largest)
        full = self._of_device(device, "hipDeviceAttributeMaxThreadsPerMultiProcessor")
        warp = self._of_device(device, "hipDeviceAttributeWarpSize")
        most = blocks = best = 0
        for aligned in range(-(-largest // warp) * warp, 0, -warp):
            threads = min(aligned, largest)
            active = _query_int(self._active, function, threads, dynamic_size(threads), *flags)
            if active * threads > most:
                most, blocks, best = active * threads, active, threads
            if most == full:
                break
        return blocks * self._of_device(device, "hipDeviceAttributeMultiprocessorCount"), best


def _query_int(query: Callable[..., int], *arguments: int) -> int:
    """Return the int that a query gives."""
    cell = ctypes.c_int()
    _check(query(ctypes.byref(cell), *arguments))
    return cell.value


def _check(status: int) -> None:
    if status:
        raise _QueryRefused(status)
