"""Print CUDA's answers to memsets of one device's memory in streams of another, as JSON.

    python tests/adapters/other_device/record_memsets.py > tests/adapters/other_device/memsets.json

on a machine with two NVIDIA GPUs and cuda-bindings.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from cuda.bindings import driver, nvrtc, runtime

BOTH = (0, 1)
BYTES = 64


def value(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def code() -> bytes:
    """PTX of a module with one variable."""
    program = value(nvrtc.nvrtcCreateProgram(b'extern "C" __device__ int variable[16];', b"k.cu", 0, [], []))
    value(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
    ptx = b" " * value(nvrtc.nvrtcGetPTXSize(program))
    value(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def access(ordinal: int) -> Any:
    """A description of a device that may read and write."""
    allowed = driver.CUmemAccessDesc()
    allowed.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    allowed.location.id = ordinal
    allowed.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return allowed


class Device:
    """A device's primary context with a stream, and memory of each kind."""

    def __init__(self, ordinal: int, ptx: bytes) -> None:
        self.ordinal = ordinal
        self.context = value(driver.cuDevicePrimaryCtxRetain(value(driver.cuDeviceGet(ordinal))))
        value(driver.cuCtxSetCurrent(self.context))
        self.stream = value(driver.cuStreamCreate(0))
        self.pool = value(driver.cuDeviceGetDefaultMemPool(ordinal))
        self._map()
        self.memories = {
            "allocated": value(driver.cuMemAlloc(BYTES)),
            "pool": value(driver.cuMemAllocFromPoolAsync(BYTES, self.pool, self.stream)),
            "variable": driver.cuModuleGetGlobal(value(driver.cuModuleLoadData(ptx)), b"variable")[1],
            "mapped": self.mapped,
            "managed": value(driver.cuMemAllocManaged(BYTES, 1)),
            "host": value(driver.cuMemHostAlloc(BYTES, 1)),
        }
        value(driver.cuCtxSynchronize())

    def _map(self) -> None:
        properties = driver.CUmemAllocationProp()
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        properties.location.id = self.ordinal
        self.bytes = value(driver.cuMemGetAllocationGranularity(properties, 0))
        self.mapped = value(driver.cuMemAddressReserve(self.bytes, 0, 0, 0))
        value(driver.cuMemMap(self.mapped, self.bytes, 0, value(driver.cuMemCreate(self.bytes, properties, 0)), 0))
        value(driver.cuMemSetAccess(self.mapped, self.bytes, [access(self.ordinal)], 1))

    def allow_peer(self, peer: Device) -> None:
        """Let a device access this one's memory whose access rights belong to the context."""
        value(driver.cuCtxSetCurrent(peer.context))
        value(driver.cuCtxEnablePeerAccess(self.context, 0))

    def share(self, peer: Device) -> None:
        """Let a device access this one's memory that has access rights of its own."""
        value(driver.cuMemPoolSetAccess(self.pool, [access(peer.ordinal)], 1))
        value(driver.cuMemSetAccess(self.mapped, self.bytes, [access(peer.ordinal)], 1))


def calls(memory: Any) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """The memsets that have no stream."""
    extent, pitched = runtime.cudaExtent(), runtime.make_cudaPitchedPtr(int(memory), 8, 8, 2)
    extent.width, extent.height, extent.depth = 4, 2, 2
    return {
        "cuMemsetD8": lambda: driver.cuMemsetD8(memory, 1, 4),
        "cuMemsetD16": lambda: driver.cuMemsetD16(memory, 1, 4),
        "cuMemsetD32": lambda: driver.cuMemsetD32(memory, 1, 4),
        "cuMemsetD2D8": lambda: driver.cuMemsetD2D8(memory, 8, 1, 4, 2),
        "cuMemsetD32 of nothing": lambda: driver.cuMemsetD32(memory, 1, 0),
        "cudaMemset": lambda: runtime.cudaMemset(memory, 1, 4),
        "cudaMemset2D": lambda: runtime.cudaMemset2D(memory, 8, 1, 4, 2),
        "cudaMemset3D": lambda: runtime.cudaMemset3D(pitched, 1, extent),
    }


def calls_in(memory: Any, stream: Any) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """Memsets in a stream."""
    return {
        "cuMemsetD8Async": lambda: driver.cuMemsetD8Async(memory, 1, 4, stream),
        "cuMemsetD2D32Async": lambda: driver.cuMemsetD2D32Async(memory, 8, 1, 1, 2, stream),
        "cuMemsetD8Async of nothing": lambda: driver.cuMemsetD8Async(memory, 1, 0, stream),
        "cudaMemsetAsync": lambda: runtime.cudaMemsetAsync(memory, 1, 4, stream),
    }


def statuses(devices: list[Device]) -> dict[str, dict[str, int]]:
    """The status of each memset, by the current device, the memory, and the stream."""
    found: dict[str, dict[str, int]] = {}
    for current, of in itertools.product(BOTH, BOTH):
        value(driver.cuCtxSetCurrent(devices[current].context))
        for kind, memory in devices[of].memories.items():
            places = {"no stream": calls(memory), "null stream": calls_in(memory, 0)}
            places |= {f"stream of {at}": calls_in(memory, devices[at].stream) for at in BOTH}
            for place, named in places.items():
                answers = {name: int(call()[0]) for name, call in named.items()}
                found[f"current {current}, {kind} memory of {of}, {place}"] = answers
        value(driver.cuCtxSynchronize())
    return found


def main() -> None:
    """Print the statuses without access of one device to the other's memory, and with it."""
    value(driver.cuInit(0))
    ptx = code()
    first, second = devices = [Device(ordinal, ptx) for ordinal in BOTH]
    found = {"no access": statuses(devices)}
    second.allow_peer(first)
    found["0 may access what 1 allocated"] = statuses(devices)
    second.share(first)
    found["0 may access all of 1"] = statuses(devices)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
