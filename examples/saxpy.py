"""SAXPY on 16 million floats: compile CUDA C++ through NVRTC, launch through the driver, check the result.

Run it with `python -m cuda_shim run examples/saxpy.py`, or as it is where an NVIDIA GPU and cuda-python are.
"""

import ctypes
import time
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

SAXPY = rb"""
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}
"""


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != 0:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def compile_kernel(source: bytes, options: list[bytes]) -> bytes:
    """Source text to an image that the driver loads; the compiler's log goes into the exception."""
    program = check(nvrtc.nvrtcCreateProgram(source, b"saxpy.cu", 0, [], []))
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * check(nvrtc.nvrtcGetProgramLogSize(program))
        check(nvrtc.nvrtcGetProgramLog(program, log))
        raise RuntimeError(log.decode(errors="replace"))
    image: bytes = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    check(nvrtc.nvrtcDestroyProgram(program))
    return image


def main() -> None:
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    name = check(driver.cuDeviceGetName(256, device)).split(b"\0")[0].decode()
    context = check(driver.cuDevicePrimaryCtxRetain(device))
    check(driver.cuCtxSetCurrent(context))

    module = check(driver.cuModuleLoadData(compile_kernel(SAXPY, [b"--gpu-architecture=compute_75"])))
    kernel = check(driver.cuModuleGetFunction(module, b"saxpy"))

    n = 1 << 24
    a = np.float32(2.0)
    x = np.random.default_rng(0).random(n, dtype=np.float32)
    y = np.random.default_rng(1).random(n, dtype=np.float32)
    out = np.empty_like(x)

    stream = check(driver.cuStreamCreate(0))
    d_x, d_y, d_out = (check(driver.cuMemAlloc(x.nbytes)) for _ in range(3))
    check(driver.cuMemcpyHtoDAsync(d_x, x, x.nbytes, stream))
    check(driver.cuMemcpyHtoDAsync(d_y, y, y.nbytes, stream))

    values = (float(a), d_x, d_y, d_out, n)
    types = (ctypes.c_float, None, None, None, ctypes.c_size_t)
    threads = 512
    check(driver.cuStreamSynchronize(stream))
    start = time.perf_counter()
    check(
        driver.cuLaunchKernel(kernel, (n + threads - 1) // threads, 1, 1, threads, 1, 1, 0, stream, (values, types), 0)
    )
    check(driver.cuStreamSynchronize(stream))
    elapsed = time.perf_counter() - start

    check(driver.cuMemcpyDtoHAsync(out, d_out, out.nbytes, stream))
    check(driver.cuStreamSynchronize(stream))
    np.testing.assert_allclose(out, a * x + y, rtol=1e-6)
    print(f"saxpy of {n:,} floats on {name}: verified, kernel {1e3 * elapsed:.1f} ms")

    for pointer in (d_x, d_y, d_out):
        check(driver.cuMemFree(pointer))
    check(driver.cuStreamDestroy(stream))
    check(driver.cuModuleUnload(module))
    check(driver.cuDevicePrimaryCtxRelease(device))


if __name__ == "__main__":
    main()
