"""Random programs that do everything right, over every kind of memory, and numpy arrays that do the same.

`python -m tests.fuzz.legal STEPS THREADS [SEED]` by hand; a mismatch is reported with seed and step.
"""

from __future__ import annotations

import ctypes
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np

BYTES, COLUMNS, BLOCKS, STREAMS = 256, 32, 8, 3
SOURCE = b"""
extern "C" __device__ unsigned char variable[256];
extern "C" __global__ void add(unsigned char *to, const unsigned char *from) { to[threadIdx.x] += from[threadIdx.x]; }
extern "C" __global__ void fetch(unsigned char *to, unsigned long long texture) {
    to[threadIdx.x] = tex2D<unsigned char>(texture, threadIdx.x % 32 + 0.5f, threadIdx.x / 32 + 0.5f);
}
extern "C" __global__ void store(unsigned long long surface, const unsigned char *from) {
    surf2Dwrite(from[threadIdx.x], surface, threadIdx.x % 32, threadIdx.x / 32);
}
"""
MOVE = 1  # CU_GRAPH_USER_OBJECT_MOVE: the graph takes the program's reference
SECONDS_TO_END = 60
KINDS = ("device", "pinned", "managed", "ordered", "pool", "mapped", "variable", "large")


def ok(result: tuple[Any, ...]) -> Any:
    """The outputs of a call that must succeed."""
    status, *values = result
    assert int(status) == 0, status
    return values[0] if len(values) == 1 else values


class Machine:
    """Blocks of 256 bytes, each in some kind of memory, and their expected contents.

    Every step runs behind the one before it: in its stream, or by an event.
    """

    def __init__(self, driver: ModuleType, image: bytes, seed: int) -> None:
        self.cu, self.numbers = driver, random.Random(seed)  # noqa: S311
        self.module = ok(driver.cuModuleLoadData(image))
        self.kernels = {
            name: ok(driver.cuModuleGetFunction(self.module, name)) for name in (b"add", b"fetch", b"store")
        }
        self.library = ok(driver.cuLibraryLoadData(image, [], [], 0, [], [], 0))
        self.adders = [
            self.kernels[b"add"],
            ok(driver.cuKernelGetFunction(ok(driver.cuLibraryGetKernel(self.library, b"add")))),
        ]
        self._make_functions()
        self.streams = [ok(driver.cuStreamCreate(1)) for _ in range(STREAMS)]
        self.last, self.stream = None, self.streams[0]
        properties = driver.CUmemPoolProps()
        properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        self.pool = ok(driver.cuMemPoolCreate(properties))
        self.physical = driver.CUmemAllocationProp()
        self.physical.type, self.physical.location.type = properties.allocType, properties.location.type
        self.unit = ok(driver.cuMemGetAllocationGranularity(self.physical, 0))
        self.access = driver.CUmemAccessDesc()
        self.access.location.type = properties.location.type
        self.access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        self._make_array()
        self.shadow = np.zeros((BLOCKS, BYTES), np.uint8)
        self.blocks: list[tuple[str, Any, Any]] = []
        for number in range(BLOCKS):
            self.blocks.append(self.make("variable" if number == 0 else "device"))
            ok((*driver.cuMemsetD8(self.blocks[number][1], 0, BYTES), None))

    def _make_functions(self) -> None:
        """Make host functions that count their calls, and the expected counts: in streams, and of user objects."""
        self.called, self.ended, self.to_call, self.to_end = 0, 0, 0, 0

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def call(_: object) -> None:
            self.called += 1

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def end(_: object) -> None:
            self.ended += 1

        self._functions = call, end
        self.call, self.destroy = (self.cu.CUhostFn(ctypes.cast(one, ctypes.c_void_p).value) for one in (call, end))

    def _make_array(self) -> None:
        cu = self.cu
        shape = cu.CUDA_ARRAY3D_DESCRIPTOR()
        shape.Width, shape.Height, shape.NumChannels, shape.Flags = COLUMNS, BYTES // COLUMNS, 1, 2
        shape.Format = cu.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8
        self.array = ok(cu.cuArray3DCreate(shape))
        resource, sampling = cu.CUDA_RESOURCE_DESC(), cu.CUDA_TEXTURE_DESC()
        resource.resType = cu.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        resource.res.array.hArray = self.array
        sampling.flags = 1  # CU_TRSF_READ_AS_INTEGER
        self.texture = ok(cu.cuTexObjectCreate(resource, sampling, None))
        self.surface = ok(cu.cuSurfObjectCreate(resource))

    def make(self, kind: str) -> tuple[str, Any, Any]:
        """Allocate memory of a kind: its name, its address and its owner objects."""
        cu = self.cu
        if kind == "device":
            return kind, int(ok(cu.cuMemAlloc(BYTES))), None
        if kind == "large":
            return kind, int(ok(cu.cuMemAlloc(3 << 20))), None
        if kind == "pinned":
            return kind, int(ok(cu.cuMemHostAlloc(BYTES, 0))), None
        if kind == "managed":
            return kind, int(ok(cu.cuMemAllocManaged(BYTES, 1))), None
        if kind == "ordered":
            return kind, int(ok(cu.cuMemAllocAsync(BYTES, self.stream))), None
        if kind == "pool":
            return kind, int(ok(cu.cuMemAllocFromPoolAsync(BYTES, self.pool, self.stream))), None
        if kind == "variable":
            return kind, int(ok(cu.cuModuleGetGlobal(self.module, b"variable"))[0]), None
        place = ok(cu.cuMemAddressReserve(self.unit, 0, 0, 0))
        memory = ok(cu.cuMemCreate(self.unit, self.physical, 0))
        ok((*cu.cuMemMap(place, self.unit, 0, memory, 0), None))
        ok((*cu.cuMemSetAccess(place, self.unit, [self.access], 1), None))
        return "mapped", int(place), memory

    def end(self, block: tuple[str, Any, Any]) -> None:
        """Give memory back; of all kinds but those in order only when nothing runs."""
        cu, (kind, address, memory) = self.cu, block
        if kind in ("ordered", "pool"):
            ok((*cu.cuMemFreeAsync(address, self.stream), None))
            return
        self.settle()
        if kind == "pinned":
            ok((*cu.cuMemFreeHost(address), None))
        elif kind == "mapped":
            ok((*cu.cuMemUnmap(address, self.unit), None))
            ok((*cu.cuMemRelease(memory), None))
            ok((*cu.cuMemAddressFree(address, self.unit), None))
        elif kind != "variable":
            ok((*cu.cuMemFree(address), None))

    def settle(self) -> None:
        """Wait for everything."""
        for stream in self.streams:
            ok((*self.cu.cuStreamSynchronize(stream), None))

    def launch(self, name: bytes, *values: int) -> None:
        arguments = values, (ctypes.c_void_p,) * len(values)
        kernel = self.kernels[name] if name != b"add" else self.numbers.choice(self.adders)
        ok((*self.cu.cuLaunchKernel(kernel, 1, 1, 1, BYTES, 1, 1, 0, self.stream, arguments, 0), None))

    def copy_2d(self, to_array: bool, address: int) -> None:
        cu, params = self.cu, self.cu.CUDA_MEMCPY2D()
        unified, array = cu.CUmemorytype.CU_MEMORYTYPE_UNIFIED, cu.CUmemorytype.CU_MEMORYTYPE_ARRAY
        params.srcMemoryType, params.dstMemoryType = (unified, array) if to_array else (array, unified)
        if to_array:
            params.srcDevice, params.srcPitch, params.dstArray = address, COLUMNS, self.array
        else:
            params.dstDevice, params.dstPitch, params.srcArray = address, COLUMNS, self.array
        params.WidthInBytes, params.Height = COLUMNS, BYTES // COLUMNS
        ok((*cu.cuMemcpy2DAsync(params, self.stream), None))

    def through_texture(self, to: int, of: int) -> None:
        """Copy by way of the array, read as a texture."""
        self.copy_2d(True, of)
        self.launch(b"fetch", to, int(self.texture))

    def through_surface(self, to: int, of: int) -> None:
        """Copy by way of the array, written as a surface."""
        self.launch(b"store", int(self.surface), of)
        self.copy_2d(False, to)

    def captured(self, work: Any) -> None:
        """Do it as a graph that the stream records, launched at once and destroyed at once."""
        cu = self.cu
        mode = cu.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        ok((*cu.cuStreamBeginCapture(self.stream, mode), None))
        work()
        graph = ok(cu.cuStreamEndCapture(self.stream))
        if self.numbers.random() < 0.3:
            held = ok(cu.cuUserObjectCreate(0, self.destroy, 1, 1))
            ok((*cu.cuGraphRetainUserObject(graph, held, 1, MOVE), None))
            self.to_end += 1
        if self.numbers.random() < 0.3:
            original, graph = graph, ok(cu.cuGraphClone(graph))
            ok((*cu.cuGraphDestroy(original), None))
        instance = ok(cu.cuGraphInstantiate(graph, 0))
        ok((*cu.cuGraphDestroy(graph), None))
        ok((*cu.cuGraphLaunch(instance, self.stream), None))
        ok((*cu.cuGraphExecDestroy(instance), None))

    def step(self) -> None:
        """One random step, behind the one before it."""
        cu, numbers = self.cu, self.numbers
        following = numbers.choice(self.streams)
        if following is not self.stream:
            event = ok(cu.cuEventCreate(2))
            ok((*cu.cuEventRecord(event, self.stream), None))
            ok((*cu.cuStreamWaitEvent(following, event, 0), None))
            ok((*cu.cuEventDestroy(event), None))
            self.stream = following
        target, source = numbers.randrange(BLOCKS), numbers.randrange(BLOCKS)
        to, of, value = self.blocks[target][1], self.blocks[source][1], numbers.randrange(256)
        kind = numbers.choice(
            ("set", "copy", "add", "array", "surface", "renew", "set", "copy", "add", "compare", "call")
        )
        if kind == "set":
            work = lambda: ok((*cu.cuMemsetD8Async(to, value, BYTES, self.stream), None))  # noqa: E731
            self.shadow[target] = value
        elif kind == "copy":
            work = lambda: ok((*cu.cuMemcpyAsync(to, of, BYTES, self.stream), None))  # noqa: E731
            self.shadow[target] = self.shadow[source]
        elif kind == "add":
            work = lambda: self.launch(b"add", to, of)  # noqa: E731
            self.shadow[target] += self.shadow[source]
        elif kind == "array":
            work = lambda: self.through_texture(to, of)  # noqa: E731
            self.shadow[target] = self.shadow[source]
        elif kind == "surface":
            work = lambda: self.through_surface(to, of)  # noqa: E731
            self.shadow[target] = self.shadow[source]
        elif kind == "call":
            work = lambda: ok((*cu.cuLaunchHostFunc(self.stream, self.call, 0), None))  # noqa: E731
            self.to_call += 1
        elif kind == "renew":
            return self.renew(target or 1)
        else:
            return self.compare(target)
        if numbers.random() < 0.2:
            self.captured(work)
        else:
            work()
        return None

    def renew(self, number: int) -> None:
        """Move a block into memory of another kind."""
        made = self.make(self.numbers.choice([kind for kind in KINDS if kind != "variable"]))
        ok((*self.cu.cuMemcpyAsync(made[1], self.blocks[number][1], BYTES, self.stream), None))
        self.end(self.blocks[number])
        self.blocks[number] = made

    def compare(self, number: int) -> None:
        """Assert that the block has its expected contents."""
        ok((*self.cu.cuStreamSynchronize(self.stream), None))
        told = np.empty(BYTES, np.uint8)
        ok((*self.cu.cuMemcpyDtoH(told, self.blocks[number][1], BYTES), None))
        assert np.array_equal(told, self.shadow[number]), (self.blocks[number][0], told, self.shadow[number])

    def close(self) -> None:
        """Compare everything, and give everything back."""
        cu = self.cu
        for number in range(BLOCKS):
            self.compare(number)
        for block in self.blocks:
            self.end(block)
        self.settle()
        assert self.called == self.to_call, (self.called, self.to_call)
        until = (
            time.monotonic() + SECONDS_TO_END
        )  # CUDA does not promise that objects end before a stream's last step does
        while self.ended < self.to_end and time.monotonic() < until:
            time.sleep(0.01)
        assert self.ended == self.to_end, (self.ended, self.to_end)
        for destroy, made in (
            (cu.cuTexObjectDestroy, self.texture), (cu.cuSurfObjectDestroy, self.surface),
            (cu.cuArrayDestroy, self.array), (cu.cuMemPoolDestroy, self.pool), (cu.cuModuleUnload, self.module),
            (cu.cuLibraryUnload, self.library),
            *((cu.cuStreamDestroy, stream) for stream in self.streams),
        ):  # fmt: skip
            ok((*destroy(made), None))


def run(driver: ModuleType, image: bytes, seed: int, steps: int) -> None:
    """Run a program of `steps` steps; raise AssertionError with seed and step where memory has wrong contents."""
    ok((*driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))), None))
    machine = Machine(driver, image, seed)
    for at in range(steps):
        try:
            machine.step()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, step {at}: {error}") from error
    machine.close()


def run_threads(driver: ModuleType, nvrtc: ModuleType, threads: int, steps: int, seed: int = 1) -> None:
    """As many programs at once, of `steps` steps together."""
    ok((*driver.cuInit(0), None))
    program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"legal.cu", 0, [], []))
    ok((*nvrtc.nvrtcCompileProgram(program, 0, []), None))
    image = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok((*nvrtc.nvrtcGetPTX(program, image), None))
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, driver, image, seed + one, steps // threads) for one in range(threads)]
        for one in running:
            one.result()


def main() -> None:
    """By hand."""
    import cuda_shim

    cuda_shim.enable(backend="cpu", cuda="12.9")
    from cuda.bindings import driver, nvrtc

    steps, threads, *seed = map(int, sys.argv[1:])
    began = time.monotonic()
    run_threads(driver, nvrtc, threads, steps, *seed)
    print(f"{steps} steps in {threads} threads: no difference, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
