"""Every kind of object that a program makes and destroys: the call that makes it, and the calls that destroy it.

Run as a program (`python -m tests.adapters.handle_pairs growth 1000`, or `races 200`) it prints one JSON document: for
each kind the leftovers of its rounds, or the results of two threads that destroyed the same object.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cuda_shim
from tests.adapters.answers import ok

Make = Callable[[], Any]
Pairs = dict[str, tuple[Make, Callable[[Any], Any]]]


def pairs(driver: Any, runtime: Any, nvrtc: Any) -> Pairs:
    """For each kind: a function that makes an object, and one that destroys it and returns the status."""
    image = _image(nvrtc)
    graph = ok(driver.cuGraphCreate(0))
    shape = driver.CUDA_ARRAY3D_DESCRIPTOR()
    shape.Width, shape.Height, shape.NumChannels = 16, 16, 1
    shape.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
    array = ok(driver.cuArray3DCreate(shape))
    surfaces = driver.CUDA_ARRAY3D_DESCRIPTOR()
    surfaces.Width, surfaces.Height, surfaces.NumChannels, surfaces.Flags = 16, 16, 1, 2
    surfaces.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
    store = ok(driver.cuArray3DCreate(surfaces))
    resource, surface = driver.CUDA_RESOURCE_DESC(), driver.CUDA_RESOURCE_DESC()
    for made, of in ((resource, array), (surface, store)):
        made.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        made.res.array.hArray = of
    pool = driver.CUmemPoolProps()
    pool.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    pool.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    physical = driver.CUmemAllocationProp()
    physical.type, physical.location.type = pool.allocType, pool.location.type
    unit = ok(driver.cuMemGetAllocationGranularity(physical, 0))
    destructor = _no_destructor()
    return {
        "stream": (lambda: driver.cuStreamCreate(0), driver.cuStreamDestroy),
        "event": (lambda: driver.cuEventCreate(0), driver.cuEventDestroy),
        "shared event": (lambda: driver.cuEventCreate(6), driver.cuEventDestroy),
        "graph": (lambda: driver.cuGraphCreate(0), driver.cuGraphDestroy),
        "instance": (lambda: driver.cuGraphInstantiate(graph, 0), driver.cuGraphExecDestroy),
        "conditional node": (lambda: _conditional(driver), driver.cuGraphDestroy),
        "array": (lambda: driver.cuArray3DCreate(shape), driver.cuArrayDestroy),
        "mipmaps": (lambda: driver.cuMipmappedArrayCreate(shape, 3), driver.cuMipmappedArrayDestroy),
        "texture": (
            lambda: driver.cuTexObjectCreate(resource, driver.CUDA_TEXTURE_DESC(), None), driver.cuTexObjectDestroy,
        ),
        "texture reference": (driver.cuTexRefCreate, driver.cuTexRefDestroy),
        "surface": (lambda: driver.cuSurfObjectCreate(surface), driver.cuSurfObjectDestroy),
        "pool": (lambda: driver.cuMemPoolCreate(pool), driver.cuMemPoolDestroy),
        "memory": (lambda: driver.cuMemAlloc(1000), driver.cuMemFree),
        "large memory": (lambda: driver.cuMemAlloc(5 << 20), driver.cuMemFree),
        "pinned memory": (lambda: driver.cuMemHostAlloc(5000, 0), driver.cuMemFreeHost),
        "managed memory": (lambda: driver.cuMemAllocManaged(5000, 1), driver.cuMemFree),
        "memory in order": (lambda: driver.cuMemAllocAsync(3000, 0), lambda at: driver.cuMemFreeAsync(at, 0)),
        "physical memory": (lambda: driver.cuMemCreate(unit, physical, 0), driver.cuMemRelease),
        "addresses": (lambda: driver.cuMemAddressReserve(unit, 0, 0, 0), lambda at: driver.cuMemAddressFree(at, unit)),
        "module": (lambda: driver.cuModuleLoadData(image), driver.cuModuleUnload),
        "library": (lambda: driver.cuLibraryLoadData(image, [], [], 0, [], [], 0), driver.cuLibraryUnload),
        "context": (lambda: _context(driver), driver.cuCtxDestroy),
        "user object": (
            lambda: driver.cuUserObjectCreate(0, destructor, 1, 1), lambda one: driver.cuUserObjectRelease(one, 1),
        ),
        "external memory": (lambda: _external(runtime), runtime.cudaDestroyExternalMemory),
        "program": (lambda: nvrtc.nvrtcCreateProgram(b"", b"x.cu", 0, [], []), nvrtc.nvrtcDestroyProgram),
        "link": (lambda: driver.cuLinkCreate(0, [], []), driver.cuLinkDestroy),
    }  # fmt: skip


#: The C function in which two threads race to destroy an object, for each pair.
RACES = {
    "stream": "hipStreamDestroy", "event": "hipEventDestroy", "graph": "hipGraphDestroy",
    "instance": "hipGraphExecDestroy", "array": "hipFreeArray", "mipmaps": "hipFreeMipmappedArray",
    "texture": "hipDestroyTextureObject", "surface": "hipDestroySurfaceObject", "pool": "hipMemPoolDestroy",
    "memory": "hipFree", "pinned memory": "hipHostFree", "module": "hipModuleUnload", "library": "hipLibraryUnload",
    "context": "hipCtxDestroy", "external memory": "hipDestroyExternalMemory", "physical memory": "hipMemRelease",
}  # fmt: skip

_HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_nothing = _HostFunction(lambda _: None)


def _no_destructor() -> int:
    return ctypes.cast(_nothing, ctypes.c_void_p).value or 0


def _image(nvrtc: Any) -> bytes:
    program = ok(nvrtc.nvrtcCreateProgram(b'__device__ int v; extern "C" __global__ void k() {}', b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, image))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return image


def _conditional(driver: Any) -> tuple[Any, Any]:
    """A graph with a condition, its node and the bodies of that, which go with it."""
    graph = ok(driver.cuGraphCreate(0))
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.handle = ok(driver.cuGraphConditionalHandleCreate(graph, ok(driver.cuCtxGetCurrent()), 1, 1))
    params.conditional.type = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_SWITCH
    params.conditional.size = 3
    ok(driver.cuGraphAddNode(graph, None, 0, params))
    ok(driver.cuGraphExecDestroy(ok(driver.cuGraphInstantiate(graph, 0))))
    return 0, graph


def _context(driver: Any) -> Any:
    made = driver.cuCtxCreate(0, 0)
    ok(driver.cuCtxPopCurrent())
    return made


def _external(runtime: Any) -> Any:
    file = os.memfd_create("external")
    os.ftruncate(file, 4096)
    described = runtime.cudaExternalMemoryHandleDesc()
    described.type = runtime.cudaExternalMemoryHandleType.cudaExternalMemoryHandleTypeOpaqueFd
    described.handle.fd, described.size = file, 4096
    return runtime.cudaImportExternalMemory(described)


def _left() -> tuple[int, int, int]:
    """Bytes of memory in use, open files, mappings."""
    resident = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    return resident, len(os.listdir("/proc/self/fd")), Path("/proc/self/maps").read_text("utf-8").count("\n")


def growth(found: Pairs, rounds: int) -> dict[str, tuple[int, ...]]:
    """Leftovers of `rounds` rounds of each pair, after as many rounds that may fill caches."""
    left = {}
    for kind, (make, destroy) in found.items():
        before = _left()
        for number in range(2 * rounds):
            made = ok(make())
            ok(destroy(made[0] if isinstance(made, list) else made))
            if number == rounds - 1:
                before = _left()
        left[kind] = tuple(now - then for now, then in zip(_left(), before, strict=True))
    return left


def races(found: Pairs, rounds: int, library: ctypes.CDLL) -> dict[str, list[list[int]]]:
    """The statuses of two threads that destroyed the same objects, each in the order of its own rounds."""
    reported = {}
    for kind, name in RACES.items():
        objects = [int(ok(found[kind][0]())) for _ in range(rounds)]
        destroy = getattr(library, name)
        destroy.argtypes = (ctypes.c_void_p,)
        start, statuses = threading.Barrier(2), ([0] * rounds, [0] * rounds)

        def work(own: list[int], destroy: Any = destroy, objects: list[int] = objects, start: Any = start) -> None:
            start.wait()
            for at, one in enumerate(objects):
                own[at] = destroy(one)

        threads = [threading.Thread(target=work, args=(own,)) for own in statuses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        reported[kind] = [sorted(both) for both in zip(*statuses, strict=True)]
    return reported


def main() -> None:
    cuda_shim.enable(backend="cpu", cuda="12.9")
    from cuda.bindings import driver, nvrtc, runtime

    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
    found, rounds = pairs(driver, runtime, nvrtc), int(sys.argv[2])
    if sys.argv[1] == "growth":
        print(json.dumps(growth(found, rounds)))
    else:
        from cuda_shim.backends import hip_python

        print(json.dumps(races(found, rounds, ctypes.CDLL(hip_python.load().backend.libamdhip64))))


if __name__ == "__main__":
    main()
