"""A small library on CUDA: the average of each window of an array. It knows nothing of cuda_shim."""

from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

SOURCE = rb"""
extern "C" __global__ void moving_average(const float *x, float *averages, int window, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
    for (int k = 0; k < window; k++) sum += x[i + k];
    averages[i] = sum / window;
}
"""


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != 0:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def kernel() -> Any:
    """The kernel, compiled and loaded."""
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"moving_average.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    check(nvrtc.nvrtcDestroyProgram(program))
    return check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(bytes(image))), b"moving_average"))


def moving_average(x: Any, window: int) -> Any:
    """The average of each `window` neighbours; ValueError where the array has fewer."""
    x = np.ascontiguousarray(x, np.float32)
    count = x.size - window + 1
    if window < 1 or count < 1:
        raise ValueError(f"a window of {window} in an array of {x.size}")
    averages = np.empty(count, np.float32)
    check(runtime.cudaFree(0))  # the device's context
    on_device, out = check(runtime.cudaMalloc(x.nbytes)), check(runtime.cudaMalloc(averages.nbytes))
    try:
        check(runtime.cudaMemcpy(on_device, x, x.nbytes, runtime.cudaMemcpyKind.cudaMemcpyHostToDevice))
        values = [np.array([v], t) for v, t in ((on_device, "u8"), (out, "u8"), (window, "i4"), (count, "i4"))]
        arguments = np.array([value.ctypes.data for value in values], np.uint64)
        check(driver.cuLaunchKernel(kernel(), (count + 127) // 128, 1, 1, 128, 1, 1, 0, 0, arguments.ctypes.data, 0))
        to_host = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
        check(runtime.cudaMemcpy(averages, out, averages.nbytes, to_host))
    finally:
        for memory in (on_device, out):
            check(runtime.cudaFree(memory))
    return averages
