"""The work of this folder's programs in each of their processes: squares of a range, on one device."""

from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

SQUARES = rb"""
extern "C" __global__ void squares(long long first, long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (first + i) * (first + i);
}
"""


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != 0:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def compiled() -> bytes:
    """The kernel's image."""
    program = check(nvrtc.nvrtcCreateProgram(SQUARES, b"squares.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, 0, []))
    image: bytes = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    return image


def squares(first: int, n: int, device: int = 0) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The squares of n numbers from `first` on, computed by a device."""
    check(driver.cuInit(0))
    check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(device))))))
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(compiled())), b"squares"))
    out = np.empty(n, dtype=np.int64)
    memory = check(driver.cuMemAlloc(out.nbytes))
    values = np.array([first], np.int64), np.array([int(memory)], np.uint64), np.array([n], np.int32)
    arguments = np.array([value.ctypes.data for value in values], np.uint64)
    check(driver.cuLaunchKernel(kernel, (n + 255) // 256, 1, 1, 256, 1, 1, 0, 0, arguments.ctypes.data, 0))
    check(driver.cuMemcpyDtoH(out, memory, out.nbytes))
    check(driver.cuMemFree(memory))
    return out
