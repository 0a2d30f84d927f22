"""Sixteen threads at once do everything that allocates, orders, captures and launches, and check their results.

Run by itself with the library, a compiled modules/basic.cpp and a number of seconds; prints the outcome as JSON::

    python stress.py LIBRARY MODULE SECONDS
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
THREADS, STREAMS_EACH = 16, 4
SIZES = (1, 1000, 70_000)  # floats; the last is larger than a copy's chunk
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3
NON_BLOCKING, NO_TIMING, RELAXED = 1, 2, 2
HOST_FUNCTION = ctypes.CFUNCTYPE(None, P)


class Device:
    """The library, with every status checked."""

    def __init__(self, path: str, module: str) -> None:
        self.library = ctypes.CDLL(path)
        loaded, function = P(), P()
        image = Path(module).read_bytes()
        self("hipModuleLoadData", ctypes.byref(loaded), image)
        self("hipModuleGetFunction", ctypes.byref(function), loaded, b"saxpy")
        self.saxpy = function

    def __call__(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise AssertionError(f"{name} answered {status}")

    def make(self, name: str, *arguments: Any) -> P:
        made = P()
        self(name, ctypes.byref(made), *arguments)
        return made

    def launch(self, stream: P, scale: float, x: P, y: P, count: int) -> None:
        """y += scale * x in a stream."""
        values = ctypes.c_float(scale), P(x.value), P(y.value), ctypes.c_uint64(count)
        params = (P * 4)(*(ctypes.addressof(value) for value in values))
        self("hipModuleLaunchKernel", self.saxpy, (count + 127) // 128, 1, 1, 128, 1, 1, 0, stream, params, None)

    def free_bytes(self) -> int:
        free = SIZE()
        self("hipDeviceSynchronize")
        self("hipMemGetInfo", ctypes.byref(free), None)
        return free.value


class Worker:
    """One thread's work, on streams of its own."""

    def __init__(self, device: Device, seed: int, stop: threading.Event) -> None:
        self.device, self.stop, self.random = device, stop, np.random.default_rng(seed)
        self.rounds = 0

    def run(self) -> None:
        works: list[Callable[[], None]] = [self.across_streams, self.graph, self.plain_memory, self.host_functions]
        try:
            self.streams = [self.device.make("hipStreamCreateWithFlags", NON_BLOCKING) for _ in range(STREAMS_EACH)]
            while not self.stop.is_set():
                self.one_of(works)()
                self.rounds += 1
            for stream in self.streams:
                self.device("hipStreamDestroy", stream)
        finally:
            self.stop.set()

    def one_of(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def numbers(self) -> Any:
        return np.full(self.one_of(SIZES), self.random.integers(100), np.float32)

    def expect(self, found: Any, value: float) -> None:
        assert (found == value).all(), f"{found[found != value][:4]} instead of {value}"

    def across_streams(self) -> None:
        """Memory of the pool, written in one stream, used in another, read in a third."""
        d, numbers = self.device, self.numbers()
        count, size = len(numbers), SIZE(numbers.nbytes)
        back = np.zeros_like(numbers)
        first, second, third = (self.streams[i] for i in self.random.permutation(STREAMS_EACH)[:3])
        x, y = (d.make("hipMallocAsync", size, first) for _ in range(2))
        d("hipMemcpyAsync", x, P(numbers.ctypes.data), size, TO_DEVICE, first)
        d("hipMemsetAsync", y, 0, size, first)
        events = [d.make("hipEventCreateWithFlags", NO_TIMING) for _ in range(2)]
        d("hipEventRecord", events[0], first)
        d("hipStreamWaitEvent", second, events[0], 0)
        for _ in range(3):
            d.launch(second, 2, x, y, count)
        d("hipEventRecord", events[1], second)
        d("hipStreamWaitEvent", third, events[1], 0)
        d("hipMemcpyAsync", P(back.ctypes.data), y, size, TO_HOST, third)
        for pointer in (x, y):
            d("hipFreeAsync", pointer, third)
        d("hipStreamSynchronize", third)
        for event in events:
            d("hipEventDestroy", event)
        self.expect(back, 6 * numbers[0])

    def graph(self) -> None:
        """Launch a captured graph twice."""
        d, numbers = self.device, self.numbers()
        count, size = len(numbers), SIZE(numbers.nbytes)
        stream = self.one_of(self.streams)
        x, y = (d.make("hipMalloc", size) for _ in range(2))
        d("hipMemcpyAsync", x, P(numbers.ctypes.data), size, TO_DEVICE, stream)
        d("hipMemsetAsync", y, 0, size, stream)
        d("hipStreamBeginCapture", stream, RELAXED)
        d.launch(stream, 1, x, y, count)
        d("hipMemcpyAsync", x, y, size, ON_DEVICE, stream)
        graph = P()
        d("hipStreamEndCapture", stream, ctypes.byref(graph))
        launched = d.make("hipGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
        for _ in range(2):
            d("hipGraphLaunch", launched, stream)
        back = np.zeros_like(numbers)
        d("hipMemcpyAsync", P(back.ctypes.data), y, size, TO_HOST, stream)
        d("hipStreamSynchronize", stream)
        d("hipGraphExecDestroy", launched)
        d("hipGraphDestroy", graph)
        for pointer in (x, y):
            d("hipFree", pointer)
        self.expect(back, 2 * numbers[0])  # x, and then x + x

    def plain_memory(self) -> None:
        """Allocations of all kinds, and a stream that lives for one copy."""
        d, numbers = self.device, self.numbers()
        size = SIZE(numbers.nbytes)
        pinned, managed = d.make("hipHostMalloc", size, 0), d.make("hipMallocManaged", size, 1)
        stream = d.make("hipStreamCreate")
        ctypes.memmove(pinned, numbers.ctypes.data, numbers.nbytes)
        d("hipMemcpyAsync", managed, pinned, size, TO_DEVICE, stream)
        d("hipStreamDestroy", stream)  # the stream's work is done first
        back = np.zeros_like(numbers)
        d("hipMemcpy", P(back.ctypes.data), managed, size, TO_HOST)
        d("hipHostFree", pinned)
        d("hipFree", managed)
        self.expect(back, numbers[0])

    def host_functions(self) -> None:
        """Functions of the program between two pieces of work."""
        seen: list[int] = []
        stream = self.one_of(self.streams)
        function = HOST_FUNCTION(lambda _: seen.append(len(seen)))
        for _ in range(3):
            self.device("hipLaunchHostFunc", stream, function, None)
        self.device("hipStreamSynchronize", stream)
        assert seen == [0, 1, 2], seen


def resident_bytes() -> int:
    """Return the process's resident memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096


def main(library: str, module: str, seconds: float) -> dict[str, Any]:
    device, stop = Device(library, module), threading.Event()
    before = device.free_bytes()
    workers = [Worker(device, seed, stop) for seed in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        running = [pool.submit(worker.run) for worker in workers]
        # The first third is for objects that are set up once and kept.
        stop.wait(seconds / 3)
        early = resident_bytes()
        stop.wait(seconds * 2 / 3)
        late = resident_bytes()
        stop.set()
    failures = [repr(one.exception()) for one in running if one.exception()]
    return {
        "rounds": sum(worker.rounds for worker in workers), "idle": sum(worker.rounds == 0 for worker in workers),
        "failures": failures, "streams": THREADS * STREAMS_EACH,
        "resident": [early, late], "free": [before, device.free_bytes()],
    }  # fmt: skip


if __name__ == "__main__":
    started = time.monotonic()
    print(json.dumps({**main(sys.argv[1], sys.argv[2], float(sys.argv[3])), "seconds": time.monotonic() - started}))
