"""A program whose runtime gets no memory at one request after the other: `python -m tests.fuzz.scarce_memory`.

failing_malloc.c must be loaded before the C library. Every step is made again and again, with its first, second, third
… request refused, until none is any more; then with that request and all behind it. The program prints the answers of
each step.
"""

from __future__ import annotations

import ctypes
import faulthandler
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

SOURCE = b"""
extern "C" __global__ void fill(int *target, int value) { target[threadIdx.x + blockIdx.x * blockDim.x] = value; }
extern "C" __global__ void turn(int *target, int value) {
    extern __shared__ int line[];
    line[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < 64) target[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void wrong(int *target) { target[1l << 40] = 1; }
"""
BYTES = 8 << 20
#: More requests than any step makes.
MOST = 2000


def main() -> None:
    faulthandler.enable()
    import cuda_shim

    cuda_shim.enable(backend="cpu", cuda="12.9")
    from cuda.bindings import driver, nvrtc, runtime

    from tests.fuzz.world import ok

    program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    ok(runtime.cudaFree(0))
    code = range_of("libamdhip64.so")
    steps = Steps(driver, runtime, image)
    for name, step in steps.all().items():
        for goes_on in (0, 1):
            which = f"{name} and all behind it" if goes_on else name
            print(f"{which}:", *answers(step, steps.recover, code, goes_on), flush=True)


def answers(step: Callable[[], int], recover: Callable[[], None], code: tuple[int, int], goes_on: int) -> list[str]:
    """Return the step's answers with each of its requests refused: every answer once; the last one has all granted."""
    fail = ctypes.CDLL(None).fail_allocations
    fail.argtypes, fail.restype = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_long, ctypes.c_int), ctypes.c_long
    seen: dict[str, None] = {}
    for after in range(MOST):
        print("request", after, file=sys.stderr, flush=True)
        fail(*code, after, goes_on)
        seen[str(step())] = None
        refused = fail(*code, -1, 0)
        recover()
        if not refused:
            return [*seen, "complete"]
    return [*seen, "never complete"]


def range_of(library: str) -> tuple[int, int]:
    """Return the address range of a library's code."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith(library)]
    bounds = [int(bound, 16) for fields in lines for bound in fields[0].split("-")]
    return min(bounds), max(bounds)


class Steps:
    """Steps of a program; each leaves nothing behind, and returns its first error."""

    def __init__(self, driver: Any, runtime: Any, image: bytes) -> None:
        self.cu, self.rt, self.image = driver, runtime, image
        self.prepare()

    def prepare(self) -> None:
        """Make the objects that all steps use."""
        from tests.fuzz.world import ok

        self.module = ok(self.cu.cuModuleLoadData(self.image))
        names = (b"fill", b"turn", b"wrong")
        self.fill, self.turn, self.wrong = (ok(self.cu.cuModuleGetFunction(self.module, name)) for name in names)
        self.memory = ok(self.cu.cuMemAlloc(BYTES))
        self.host = ok(self.cu.cuMemAllocHost(BYTES))
        self.event = ok(self.cu.cuEventCreate(0))

    def recover(self) -> None:
        """Reset the device after a fault that sticks."""
        if int(self.cu.cuCtxSynchronize()[0]):
            self.rt.cudaDeviceReset()
            self.prepare()

    def all(self) -> dict[str, Callable[[], int]]:
        return {name: getattr(self, name) for name in dir(self) if name.startswith("step_")}

    def chain(self, *calls: Callable[[], Any]) -> int:
        """The first error of calls that are all made."""
        status = 0
        for call in calls:
            result = call()
            status = status or int(result[0])
        return status

    def with_stream(self, *uses: Callable[[Any], Any]) -> int:
        """The first error of calls with a stream of their own, which is waited for."""
        status, stream = self.cu.cuStreamCreate(1)
        if status:
            return int(status)
        calls = [lambda use=use: use(stream) for use in uses]
        return self.chain(*calls, lambda: self.cu.cuStreamSynchronize(stream), lambda: self.cu.cuStreamDestroy(stream))

    def launch(self, stream: Any, function: Any, blocks: int, threads: int, cooperative: bool = False) -> Any:
        values = (self.memory, 5), (None, ctypes.c_int)
        shape = (function, blocks, 1, 1, threads, 1, 1, threads * 4, stream, values)
        return self.cu.cuLaunchCooperativeKernel(*shape) if cooperative else self.cu.cuLaunchKernel(*shape, 0)

    def step_stream(self) -> int:
        return self.with_stream()

    def step_memory(self) -> int:
        status, memory = self.cu.cuMemAlloc(1 << 20)
        return int(status) or self.chain(lambda: self.cu.cuMemFree(memory))

    def step_pinned(self) -> int:
        status, memory = self.cu.cuMemAllocHost(1 << 20)
        return int(status) or self.chain(lambda: self.cu.cuMemFreeHost(memory))

    def step_managed(self) -> int:
        status, memory = self.cu.cuMemAllocManaged(1 << 20, 1)
        return int(status) or self.chain(lambda: self.cu.cuMemFree(memory))

    def step_fill(self) -> int:
        return self.with_stream(lambda stream: self.cu.cuMemsetD8Async(self.memory, 1, 1 << 20, stream))

    def step_large_fill(self) -> int:
        return self.with_stream(lambda stream: self.cu.cuMemsetD8Async(self.memory, 1, BYTES, stream))

    def step_large_copy(self) -> int:
        return self.with_stream(lambda stream: self.cu.cuMemcpyHtoDAsync(self.memory, self.host, BYTES, stream))

    def step_launch(self) -> int:
        return self.with_stream(
            lambda stream: self.cu.cuMemsetD8Async(self.memory, 1, 1 << 20, stream),
            lambda stream: self.launch(stream, self.fill, 1000, 64),
        )

    def step_fibres(self) -> int:
        return self.with_stream(*[lambda stream: self.launch(stream, self.turn, 64, 96)] * 2)

    def step_cooperative(self) -> int:
        return self.with_stream(lambda stream: self.launch(stream, self.turn, 1, 96, cooperative=True))

    def step_fault(self) -> int:
        values = (self.memory,), (None,)
        calls = [lambda stream: self.cu.cuLaunchKernel(self.wrong, 1, 1, 1, 1, 1, 1, 0, stream, values, 0)]
        status = self.with_stream(*calls)
        return status if status in (0, 2, 700) else 999

    def step_ordered_memory(self) -> int:
        def allocate(stream: Any) -> Any:
            status, memory = self.cu.cuMemAllocAsync(1 << 20, stream)
            return (status,) if status else self.cu.cuMemFreeAsync(memory, stream)

        return self.with_stream(allocate)

    def step_events(self) -> int:
        return self.with_stream(
            lambda stream: self.cu.cuEventRecord(self.event, stream),
            lambda stream: self.cu.cuMemsetD8Async(self.memory, 1, 1 << 20, stream),
            lambda stream: self.cu.cuEventRecord(self.event, stream),
            lambda stream: self.cu.cuStreamWaitEvent(stream, self.event, 0),
            lambda stream: self.cu.cuEventSynchronize(self.event),
        )

    def step_captured_graph(self) -> int:
        return self.with_stream(self.capture)

    def capture(self, stream: Any) -> Any:
        status = self.chain(
            lambda: self.cu.cuStreamBeginCapture(stream, self.cu.CUstreamCaptureMode(0)),
            lambda: self.cu.cuMemsetD8Async(self.memory, 1, 1 << 20, stream),
            lambda: self.launch(stream, self.fill, 8, 64),
            lambda: self.cu.cuEventRecord(self.event, stream),
        )
        ended, graph = self.cu.cuStreamEndCapture(stream)
        if ended or not int(graph):
            return (status or int(ended),)
        made, instance = self.cu.cuGraphInstantiate(graph, 0)
        calls = [lambda: self.cu.cuGraphDestroy(graph)]
        if not made:
            calls = [
                lambda: self.cu.cuGraphLaunch(instance, stream),
                lambda: self.cu.cuStreamSynchronize(stream),
                lambda: self.cu.cuGraphExecDestroy(instance),
                *calls,
            ]
        return (status or int(made) or self.chain(*calls),)

    def step_module(self) -> int:
        status, module = self.cu.cuModuleLoadData(self.image)
        if status:
            return int(status)
        return self.chain(
            lambda: self.cu.cuModuleGetFunction(module, b"fill"),
            lambda: self.cu.cuModuleGetFunction(module, b"turn"),
            lambda: self.cu.cuModuleUnload(module),
        )


if __name__ == "__main__":
    main()
