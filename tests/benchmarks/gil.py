"""Measure for how long each call keeps the interpreter from running other threads, beside its duration.

    python -m cuda_shim run --backend cpu tests/benchmarks/gil.py

Another thread looks at the clock all the time: its longest pause while a call ran is the time for which the call held
the GIL. It looks at the clock every few microseconds, and a thread switch takes up to 5 ms of its own
(`sys.getswitchinterval`).
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cuda.bindings import driver, nvrtc, runtime

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks.lines import Line, show

WAIT = rb"""
extern "C" __global__ void wait(volatile unsigned *to, unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) { *to = *to * 1664525u + i; }
}
"""
ROUNDS = 150_000_000
MANY = 256 << 20


class Clock(threading.Thread):
    """Looks at the clock until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.longest = 0.0
        self.stopped = False

    def run(self) -> None:
        last = time.perf_counter()
        while not self.stopped:
            now = time.perf_counter()
            self.longest = max(self.longest, now - last)
            last = now


lines: list[Line] = []


@contextmanager
def measured(what: str) -> Iterator[None]:
    """Add lines about the block: milliseconds, and the part of them in which no other thread could run."""
    clock = Clock()
    clock.start()
    time.sleep(0.02)
    clock.longest = 0.0
    started = time.perf_counter()
    yield
    took = time.perf_counter() - started
    clock.stopped = True
    clock.join()
    lines.append(Line("lock", what, "milliseconds", took * 1e3))
    lines.append(Line("lock", f"{what}: of it alone", "milliseconds", clock.longest * 1e3))


def ok(answer: tuple[Any, ...]) -> Any:
    assert answer[0] == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


def compiled(source: bytes, options: list[bytes]) -> bytes:
    program = ok(nvrtc.nvrtcCreateProgram(source, b"wait.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, len(options), options))
    image = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, image))
    return image


def measure(rounds: int = ROUNDS, many: int = MANY) -> list[Line]:
    """Measure the calls that wait, copy or compile: behind a kernel of `rounds` rounds, with `many` bytes."""
    sys.setswitchinterval(0.0005)
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
    never_seen = b"// %d\n" % time.time_ns() + WAIT
    with measured("nvrtcCompileProgram"):
        image = compiled(never_seen, [])
    with measured("cuModuleLoadData"):
        module = ok(driver.cuModuleLoadData(image))
    kernel = ok(driver.cuModuleGetFunction(module, b"wait"))
    stream, memory = ok(driver.cuStreamCreate(1)), ok(driver.cuMemAlloc(many))
    host = (ctypes.c_char * many)()
    event = ok(driver.cuEventCreate(0))

    def launch(on: Any = stream) -> None:
        ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, on, ((memory, rounds), (None, ctypes.c_uint)), 0))

    launch()
    ok(driver.cuStreamSynchronize(stream))
    waits: dict[str, Callable[[], Any]] = {
        "cuStreamSynchronize": lambda: driver.cuStreamSynchronize(stream),
        "cuCtxSynchronize": driver.cuCtxSynchronize,
        "cudaDeviceSynchronize": runtime.cudaDeviceSynchronize,
        "cuEventSynchronize": lambda: (driver.cuEventRecord(event, stream), driver.cuEventSynchronize(event))[1],
        "cuMemFree of other memory": lambda: driver.cuMemFree(ok(driver.cuMemAlloc(64))),
        "cuMemcpyDtoHAsync to pageable memory": lambda: driver.cuMemcpyDtoHAsync(host, memory, 64, stream),
        "cuStreamQuery": lambda: driver.cuStreamQuery(stream),
    }
    for what, wait in waits.items():
        launch()
        with measured(f"{what} behind a kernel"):
            status, *_ = wait()
        assert status == 0 or what == "cuStreamQuery", status
        ok(driver.cuStreamSynchronize(stream))
    copies: dict[str, Callable[[], Any]] = {
        "cuMemcpyHtoD": lambda: driver.cuMemcpyHtoD(memory, host, many),
        "cuMemcpyDtoH": lambda: driver.cuMemcpyDtoH(host, memory, many),
        "cuMemsetD8": lambda: driver.cuMemsetD8(memory, 1, many),
        "cudaMemcpy": lambda: runtime.cudaMemcpy(
            host, int(memory), many, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        ),
        "cuMemAlloc": lambda: driver.cuMemAlloc(many),
        "cuModuleUnload": lambda: driver.cuModuleUnload(module),
    }
    for what, copy in copies.items():
        with measured(what):
            status, *_ = copy()
        assert status == 0, what
    return lines


if __name__ == "__main__":
    show(measure())
