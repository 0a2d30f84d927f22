"""A program with a kernel for each thing that profiles, checks and limits report: `measured.py KERNEL…`."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

SOURCE = b"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
extern "C" __global__ void racing(float a, float* x, float* y, int n) {
    y[0] += threadIdx.x;
}
extern "C" __global__ void unwritten(float a, float* x, float* y, int n) {
    y[threadIdx.x] = x[n + threadIdx.x];
}
extern "C" __global__ void endless(float a, volatile float* x, float* y, int n) {
    while (x[0] < 1e9f) {}
}
"""
N = 256


def checked(result: tuple[object, ...]) -> int:
    """The value of a call that worked."""
    assert not result[0], result
    return result[1] if len(result) > 1 else 0  # type: ignore[return-value]


def load() -> int:
    """The compiled module."""
    program = checked(nvrtc.nvrtcCreateProgram(SOURCE, b"measured.cu", 0, [], []))
    checked(nvrtc.nvrtcCompileProgram(program, 0, []))
    code = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
    checked(nvrtc.nvrtcGetCUBIN(program, code))
    return checked(driver.cuModuleLoadData(code))


def launch(module: int, name: str, x: int, y: int) -> None:
    """Launch a kernel, and print its status."""
    kernel = checked(driver.cuModuleGetFunction(module, name.encode()))
    values = (2.0, x, y, N), (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    (status,) = driver.cuLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, 0, values, 0)  # the launch
    print(name, status.name)


def main() -> None:
    """Launch the requested kernels, on memory whose second half is never written."""
    checked(runtime.cudaFree(0))
    module = load()
    host = np.ones(N, "f4")
    x = checked(runtime.cudaMalloc(2 * N * 4))  # the first allocation
    y = checked(runtime.cudaMalloc(N * 4))
    checked(runtime.cudaMemcpy(x, host.ctypes.data, N * 4, runtime.cudaMemcpyKind.cudaMemcpyHostToDevice))
    checked(runtime.cudaMemset(y, 0, N * 4))
    for name in sys.argv[1:]:
        launch(module, name, x, y)
    print(runtime.cudaDeviceSynchronize()[0].name)
    checked(runtime.cudaFree(y)) if "saxpy" in sys.argv else None


if __name__ == "__main__":
    main()
    print("ended")
