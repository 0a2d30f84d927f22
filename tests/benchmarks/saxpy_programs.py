"""SAXPY as it is written for CUDA Python, and on hip-python: the programs of `saxpy_phases.py`.

    python saxpy_programs.py cuda|hip BLOCKS SALT

Prints the milliseconds of each phase as JSON. Nothing of a checkout is imported, for the package may be installed.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from typing import Any

REPETITIONS = 7
THREADS = 512
SOURCE = rb"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}
"""

Phases = dict[str, float]


class Clock:
    """Milliseconds by phase: the fastest where one is repeated."""

    def __init__(self) -> None:
        self.phases: Phases = {}

    def __call__(self, phase: str, work: Callable[[], Any], repeat: int = 1) -> Any:
        for _ in range(repeat):
            start = time.perf_counter()
            found = work()
            spent = 1e3 * (time.perf_counter() - start)
            self.phases[phase] = min(spent, self.phases.get(phase, spent))
        return found


def ok(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must have worked."""
    if int(answer[0]):
        raise RuntimeError(answer)
    return answer[1] if len(answer) > 1 else None


def arrays(blocks: int) -> tuple[Any, Any, Any]:
    """The two that are added, and room for the sum."""
    import numpy as np

    random = np.random.default_rng(1)
    x, y = (random.random(THREADS * blocks, dtype=np.float32) for _ in range(2))
    return x, y, np.zeros_like(x)


def verify(x: Any, y: Any, out: Any) -> None:
    """Both programs must have computed the same as numpy."""
    import numpy as np

    np.testing.assert_allclose(out, np.float32(2) * x + y, rtol=1e-6)


def cuda_program(blocks: int, source: bytes) -> Phases:
    """The program as it is written for CUDA Python."""
    clock = Clock()
    x, y, out = arrays(blocks)

    def load() -> tuple[Any, Any]:
        from cuda.bindings import driver, nvrtc

        return driver, nvrtc

    driver, nvrtc = clock("import", load)

    def begin() -> Any:
        ok(driver.cuInit(0))
        device = ok(driver.cuDeviceGet(0))
        context = ok(driver.cuDevicePrimaryCtxRetain(device))
        ok(driver.cuCtxSetCurrent(context))
        return device

    def compiled() -> bytes:
        program = ok(nvrtc.nvrtcCreateProgram(source, b"saxpy.cu", 0, [], []))
        ok(nvrtc.nvrtcCompileProgram(program, 0, []))
        image = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
        ok(nvrtc.nvrtcGetCUBIN(program, image))
        ok(nvrtc.nvrtcDestroyProgram(program))
        return image

    device = clock("device and context", begin)
    image = clock("compile", compiled)
    module = clock("load the module", lambda: ok(driver.cuModuleLoadData(image)))
    kernel = clock("find the kernel", lambda: ok(driver.cuModuleGetFunction(module, b"saxpy")))
    stream = clock("make a stream", lambda: ok(driver.cuStreamCreate(0)))
    d_x, d_y, d_out = clock("allocate", lambda: [ok(driver.cuMemAlloc(x.nbytes)) for _ in range(3)])

    def upload() -> None:
        ok(driver.cuMemcpyHtoDAsync(d_x, x, x.nbytes, stream))
        ok(driver.cuMemcpyHtoDAsync(d_y, y, y.nbytes, stream))
        ok(driver.cuStreamSynchronize(stream))

    def launch() -> None:
        values = (2.0, int(d_x), int(d_y), int(d_out), x.size)
        types = (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        ok(driver.cuLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, stream, (values, types), 0))
        ok(driver.cuStreamSynchronize(stream))

    def download() -> None:
        ok(driver.cuMemcpyDtoHAsync(out, d_out, out.nbytes, stream))
        ok(driver.cuStreamSynchronize(stream))

    def release() -> None:
        for memory in (d_x, d_y, d_out):
            ok(driver.cuMemFree(memory))
        ok(driver.cuStreamDestroy(stream))
        ok(driver.cuModuleUnload(module))
        ok(driver.cuDevicePrimaryCtxRelease(device))

    clock("copy to the device", upload, REPETITIONS)
    clock("launch and wait", launch, REPETITIONS)
    clock("copy from the device", download, REPETITIONS)
    clock("free", release)
    verify(x, y, out)
    return clock.phases


def hip_program(blocks: int, source: bytes) -> Phases:
    """The same calls straight on hip-python."""
    clock = Clock()
    x, y, out = arrays(blocks)

    def load() -> tuple[Any, Any]:
        from rocm.bindings import hip, hiprtc

        return hip, hiprtc

    hip, hiprtc = clock("import", load)

    def begin() -> Any:
        ok(hip.hipInit(0))
        device = ok(hip.hipDeviceGet(0))
        context = ok(hip.hipDevicePrimaryCtxRetain(device))
        ok(hip.hipCtxSetCurrent(context))
        return device

    def compiled() -> bytes:
        program = ok(hiprtc.hiprtcCreateProgram(source, b"saxpy.cu", 0, None, None))
        ok(hiprtc.hiprtcCompileProgram(program, 0, None))
        image = bytearray(ok(hiprtc.hiprtcGetCodeSize(program)))
        ok(hiprtc.hiprtcGetCode(program, image))
        ok(hiprtc.hiprtcDestroyProgram(program.createRef()))
        return bytes(image)

    device = clock("device and context", begin)
    image = clock("compile", compiled)
    module = clock("load the module", lambda: ok(hip.hipModuleLoadData(image)))
    kernel = clock("find the kernel", lambda: ok(hip.hipModuleGetFunction(module, b"saxpy")))
    stream = clock("make a stream", lambda: ok(hip.hipStreamCreateWithFlags(0)))
    d_x, d_y, d_out = clock("allocate", lambda: [ok(hip.hipMalloc(x.nbytes)) for _ in range(3)])

    def upload() -> None:
        ok(hip.hipMemcpyHtoDAsync(d_x, x, x.nbytes, stream))
        ok(hip.hipMemcpyHtoDAsync(d_y, y, y.nbytes, stream))
        ok(hip.hipStreamSynchronize(stream))

    def launch() -> None:
        values = (ctypes.c_float(2.0), d_x, d_y, d_out, ctypes.c_size_t(x.size))
        ok(hip.hipModuleLaunchKernel(kernel, blocks, 1, 1, THREADS, 1, 1, 0, stream, None, values))
        ok(hip.hipStreamSynchronize(stream))

    def download() -> None:
        ok(hip.hipMemcpyDtoHAsync(out, d_out, out.nbytes, stream))
        ok(hip.hipStreamSynchronize(stream))

    def release() -> None:
        for memory in (d_x, d_y, d_out):
            ok(hip.hipFree(memory))
        ok(hip.hipStreamDestroy(stream))
        ok(hip.hipModuleUnload(module))
        ok(hip.hipDevicePrimaryCtxRelease(device))

    clock("copy to the device", upload, REPETITIONS)
    clock("launch and wait", launch, REPETITIONS)
    clock("copy from the device", download, REPETITIONS)
    clock("free", release)
    verify(x, y, out)
    return clock.phases


PROGRAMS = {"cuda": cuda_program, "hip": hip_program}


def main(which: str, blocks: str, salt: str) -> None:
    """Run one of them; `salt` makes its source another text."""
    print(json.dumps(PROGRAMS[which](int(blocks), SOURCE + b"// " + salt.encode())))


if __name__ == "__main__":
    main(*sys.argv[1:])
