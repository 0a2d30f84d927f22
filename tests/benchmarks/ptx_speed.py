"""Kernels as CUDA C++ and as the PTX that NVRTC makes of them, side by side on the CPU runtime.

    python -m cuda_shim run --backend cpu tests/benchmarks/ptx_speed.py

Prints for each kernel the best of launches that take turns, and the time of translating beside that of compiling.
"""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import compilers

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.program_files import read_program

SOURCE = read_program(__file__, "ptx_speed.cu")
N = 1 << 22
#: The least number of turns of one measurement, and its least time.
ROUNDS, SECONDS = 7, 0.6


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def code_object():
    """Return the code object of the source."""
    program = ok(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"bench.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    code = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
    ok(nvrtc.nvrtcGetCUBIN(program, code))
    return code


def from_source():
    """The source as a module."""
    return ok(driver.cuModuleLoadData(code_object()))


def images():
    """The code object of the source, and PTX of the newest NVRTC 12."""
    begin = time.perf_counter()
    code = code_object()
    print(f"compiling the C++: {time.perf_counter() - begin:.2f} s (less where it is in the cache)")
    made = compilers.nvrtc()["12.9"].ptx(SOURCE.encode(), b"bench.cu", [b"--gpu-architecture=compute_80"], {}, [])
    return code, made[0]


def launches():
    """By kernel: grid, block, arguments (arrays become device memory), and which of them is compared."""
    random = np.random.default_rng(1)
    x, y = random.random(N, np.float32), random.random(N, np.float32)
    square = random.random((512, 512), np.float32)
    points = random.random((8192, 4), np.float32)
    i32 = np.int32
    return {
        "saxpy": ((N // 256, 1), (256, 1), [np.float32(2), x, y, i32(N)], 2),
        "matmul": ((32, 32), (16, 16), [square, square.T.copy(), np.zeros_like(square), i32(512)], 2),
        "reduction": ((256, 1), (256, 1), [x, np.zeros(256, np.float32), i32(N)], 1),
        "mandelbrot": ((64, 64), (16, 16), [np.zeros(1 << 20, i32), i32(1024), i32(1024), i32(200)], 0),
        "black_scholes": ((N // 1024, 1), (256, 1), [x + 1, y + 1, np.zeros(N // 4, np.float32), np.zeros(N // 4, np.float32), i32(N // 4)], 2),
        "nbody": ((64, 1), (128, 1), [points, np.zeros_like(points), i32(8192)], 1),
    }  # fmt: skip


class Launch:
    """A kernel of a module with its grid, block, and arguments, whose arrays are copied to the device."""

    def __init__(self, module, name, grid, block, arguments, compared):
        self._function = ok(driver.cuModuleGetFunction(module, name.encode()))
        self._shape, self._result, held = (*grid, 1, *block, 1), arguments[compared], []
        self._buffers = {}
        for place, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                self._buffers[place] = ok(driver.cuMemAlloc(argument.nbytes))
                ok(driver.cuMemcpyHtoD(self._buffers[place], argument.ctypes.data, argument.nbytes))
                held.append(ctypes.c_void_p(int(self._buffers[place])))
            else:
                held.append((ctypes.c_char * argument.nbytes).from_buffer_copy(argument.tobytes()))
        self._held, self._compared = held, self._buffers[compared]
        self._pointers = (ctypes.c_void_p * len(held))(*(ctypes.addressof(value) for value in held))

    def __call__(self):
        """Launch it, and wait for its end."""
        ok(driver.cuLaunchKernel(self._function, *self._shape, 0, 0, ctypes.addressof(self._pointers), 0))
        ok(driver.cuCtxSynchronize())

    def result(self):
        """The array that is compared, as it is now."""
        held = np.empty_like(self._result)
        ok(driver.cuMemcpyDtoH(held, self._compared, held.nbytes))
        return held

    def free(self):
        """Give the device memory back."""
        for buffer in self._buffers.values():
            ok(driver.cuMemFree(buffer))


def by_turns(*works):
    """The shortest time of each of several works, in milliseconds: they take turns, so that a busy machine slows all."""
    times: list[list[float]] = [[] for _ in works]
    begin = time.perf_counter()
    while len(times[0]) < ROUNDS or time.perf_counter() - begin < SECONDS:
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
    return [1e3 * min(taken) for taken in times]


def side_by_side(modules, kernels):
    """By kernel, its milliseconds in each of two modules, where it must give the same."""
    for name, launch in kernels.items():
        both = [Launch(module, name, *launch) for module in modules]
        for one in both:
            one()
        assert np.allclose(both[0].result(), both[1].result(), rtol=1e-4, atol=1e-3), name
        yield name, *by_turns(*both)
        for one in both:
            one.free()


def main():
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    code, text = images()
    from cuda_shim.translate.ptx.writer import translate

    begin = time.perf_counter()
    translate(text.decode())
    print(f"translating the PTX: {time.perf_counter() - begin:.2f} s")
    modules = [ok(driver.cuModuleLoadData(image)) for image in (code, text + b"\0")]
    for name, own, other in side_by_side(modules, launches()):
        print(f"{name:14} C++ {own:8.2f} ms   PTX {other:8.2f} ms   {other / own:.2f}", flush=True)


if __name__ == "__main__":
    main()
