"""Everything that a long-lived program does, over and over: the process's resources must not grow.

    python -m cuda_shim run --backend cpu tests/hip_on_host/soak.py SECONDS ROUNDS_OF_A_RESET

Threads copy and launch in streams of their own and replay graphs, while the main thread compiles programs that no cache
has, loads and unloads them, forks children that use the device, takes signals, makes and destroys contexts and resets
the device. Prints for each round, as a line of JSON, the process's resources at its end: its resident KiB, file
descriptors, threads and mappings.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

THREADS, STEPS, COUNT = 4, 8, 10_000
#: Makes the programs of this run unlike those of any other, which the cache of kernels may have.
RUN = f"-DRUN={os.getpid()}{time.time_ns()}"

SOURCE = """
extern "C" __global__ void scale(float* values, int count) {
    __shared__ float line[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();
    if (i < count) values[i] = line[threadIdx.x] * FACTOR;
}
"""


def ok(answer: tuple[Any, ...]) -> Any:
    assert int(answer[0]) == 0, answer[0]
    return answer[1] if len(answer) == 2 else answer[1:]


def compiled(factor: int) -> bytes:
    """The code of a kernel that multiplies by `factor`."""
    program = ok(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"soak.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 2, [f"-DFACTOR={factor}".encode(), RUN.encode()]))
    code = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, code))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return code


def launch(function: Any, memory: Any, stream: Any) -> None:
    types = None, ctypes.c_int
    ok(driver.cuLaunchKernel(function, -(-COUNT // 64), 1, 1, 64, 1, 1, 0, stream, ((memory, COUNT), types), 0))


def use_streams(function: Any, context: Any) -> None:
    """Copies and launches in a stream, then the same as a graph, which is replayed; the numbers are checked."""
    ok(driver.cuCtxSetCurrent(context))
    stream, event = ok(driver.cuStreamCreate(1)), ok(driver.cuEventCreate(0))
    values = np.ones(COUNT, np.float32)
    memory = ok(driver.cuMemAllocAsync(values.nbytes, stream))
    ok(driver.cuMemcpyHtoDAsync(memory, values.ctypes.data, values.nbytes, stream))
    for _ in range(STEPS):
        launch(function, memory, stream)
    ok(driver.cuEventRecord(event, stream))
    ok(driver.cuEventSynchronize(event))
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    launch(function, memory, stream)
    graph = ok(driver.cuStreamEndCapture(stream))
    replayed = ok(driver.cuGraphInstantiate(graph, 0))
    for _ in range(STEPS):
        ok(driver.cuGraphLaunch(replayed, stream))
    ok(driver.cuMemcpyDtoHAsync(values.ctypes.data, memory, values.nbytes, stream))
    ok(driver.cuMemFreeAsync(memory, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert (values == 2.0 ** (2 * STEPS)).all(), values
    ok(driver.cuGraphExecDestroy(replayed))
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuEventDestroy(event))
    ok(driver.cuStreamDestroy(stream))


def use_module(number: int) -> None:
    """A kernel that was never compiled before, in a context that ends with it."""
    context = ok(driver.cuCtxCreate(None, 0, 0)) if number % 2 else None
    factor = 3 + number
    module = ok(driver.cuModuleLoadData(compiled(factor)))
    values = np.ones(COUNT, np.float32)
    memory = ok(driver.cuMemAlloc(values.nbytes))
    ok(driver.cuMemcpyHtoD(memory, values.ctypes.data, values.nbytes))
    launch(ok(driver.cuModuleGetFunction(module, b"scale")), memory, 0)
    ok(driver.cuMemcpyDtoH(values.ctypes.data, memory, values.nbytes))
    assert (values == factor).all(), values
    if context is not None:
        ok(driver.cuCtxDestroy(context))  # with all that was made in it
    else:
        ok(driver.cuMemFree(memory))
        ok(driver.cuModuleUnload(module))


def use_child() -> None:
    """A forked child has no device of its parent's, and leaves its parent as it was."""
    child = os.fork()
    if child == 0:
        os._exit(0 if int(driver.cuDeviceGetCount()[0]) in (0, 3) else 1)
    assert os.waitpid(child, 0)[1] == 0


def held() -> dict[str, int]:
    """Return the process's resources: resident KiB, descriptors, threads, mappings."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "resident": int(status["VmRSS"].split()[0]),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": int(status["Threads"]),
        "mappings": Path("/proc/self/maps").read_text().count("\n"),
    }


def main() -> None:
    """Run for argv[1] seconds, with a reset in each argv[2] rounds; print the resources after each round."""
    end, rounds_of_a_reset = time.monotonic() + float(sys.argv[1]), int(sys.argv[2])
    signals: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _: signals.append(number))
    ok(driver.cuInit(0))
    rounds = 0
    code = compiled(2)
    with ThreadPoolExecutor(THREADS) as pool:
        while time.monotonic() < end or rounds < 2 * rounds_of_a_reset:
            ok(runtime.cudaFree(0))
            context = ok(driver.cuCtxGetCurrent())
            function = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(code)), b"scale"))
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
            running = [pool.submit(use_streams, function, context) for _ in range(THREADS)]
            use_module(rounds)
            use_child()
            for each in running:
                each.result()
            signal.setitimer(signal.ITIMER_REAL, 0)
            rounds += 1
            if rounds % rounds_of_a_reset == 0:
                ok(runtime.cudaDeviceReset())
            print(json.dumps(held()), flush=True)
    assert signals
    assert threading.active_count() == 1


if __name__ == "__main__":
    main()
