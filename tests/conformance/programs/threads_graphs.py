"""Threads that capture, build and launch graphs, and queue host functions, at the same time."""

import ctypes
import threading
from typing import Any

import numpy
from _device import context, module
from _show import show
from cuda.bindings import driver

device = context()
current = driver.cuCtxGetCurrent()[1]
add = driver.cuModuleGetFunction(
    module('extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }'), b"add"
)[1]  # fmt: skip
THREADS, ROUNDS = 16, 5
pointer = int(driver.cuMemAlloc(4 * THREADS)[1])
driver.cuMemsetD8(pointer, 0, 4 * THREADS)
shared = driver.cuGraphCreate(0)[1]
seen: list[int] = []
failed: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def function(data: int) -> None:
    seen.append(data)


def good(result: tuple[Any, ...]) -> Any:
    if int(result[0]):
        failed.append(result[0])
    return result[1] if len(result) == 2 else result[1:]


def work(number: int) -> None:
    good(driver.cuCtxSetCurrent(current))
    stream = good(driver.cuStreamCreate(1))
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    host = driver.CUhostFn(_ptr=ctypes.addressof(function))
    given = ((pointer + 4 * number, number), (ctypes.c_void_p, ctypes.c_int))
    for _ in range(ROUNDS):
        good(driver.cuStreamBeginCapture(stream, mode))
        good(driver.cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, given, 0))
        graph = good(driver.cuStreamEndCapture(stream))
        executable = good(driver.cuGraphInstantiate(graph, 0))
        good(driver.cuGraphLaunch(executable, stream))
        good(driver.cuLaunchHostFunc(stream, host, number + 1))
        good(driver.cuGraphLaunch(executable, stream))
        good(driver.cuStreamSynchronize(stream))
        good(driver.cuGraphExecDestroy(executable))
        good(driver.cuGraphDestroy(graph))
    good(driver.cuStreamDestroy(stream))


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
words = numpy.zeros(THREADS, dtype=numpy.int32)
driver.cuMemcpyDtoH(words, pointer, 4 * THREADS)
show("failed", failed)
show("added", words.tolist())
show("seen", sorted(seen))
